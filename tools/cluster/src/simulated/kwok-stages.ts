/**
 * How kwok's simulated nodes and pods behave, as kwok `Stage` objects. A node becomes Ready and stays so. A pod that is
 * scheduled becomes Running and Ready at once and stays so, unless it has the label:
 *
 *   label       muster.dev/simulate: succeed | fail
 *   annotation  muster.dev/simulate-after: 2s            how long it runs (Go duration; default 200ms)
 *   annotation  muster.dev/simulate-exit-code: "137"     of all containers of a failing pod (default 1)
 *
 * Restart policies are not simulated: a pod that ends has ended.
 */

export const SIMULATE_LABEL = 'muster.dev/simulate';
export const SIMULATE_AFTER_ANNOTATION = 'muster.dev/simulate-after';
export const SIMULATE_EXIT_CODE_ANNOTATION = 'muster.dev/simulate-exit-code';

const DEFAULT_AFTER_MS = 200;

interface MatchExpression {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  values?: string[];
}

export interface KwokStage {
  apiVersion: 'kwok.x-k8s.io/v1alpha1';
  kind: 'Stage';
  metadata: { name: string };
  spec: {
    resourceRef: { apiGroup: 'v1'; kind: 'Node' | 'Pod' };
    selector: { matchLabels?: Record<string, string>; matchExpressions: MatchExpression[] };
    delay?: {
      durationMilliseconds: number;
      durationFrom?: { expressionFrom: string };
      jitterDurationMilliseconds?: number;
    };
    next: { statusTemplate?: string; delete?: boolean };
  };
}

/** kwok's configuration: its concurrency, and the stages. */
export function kwokConfiguration(): object[] {
  const options = {
    podPlayStageParallelism: 16,
    nodePlayStageParallelism: 4,
    nodeLeaseParallelism: 4,
    podsOnNodeSyncParallelism: 4,
  };
  const configuration = { apiVersion: 'config.kwok.x-k8s.io/v1alpha1', kind: 'KwokConfiguration', options };
  return [configuration, nodeInitialize, nodeHeartbeat, podReady, podEnd('succeed'), podEnd('fail'), podDelete];
}

const isLive: MatchExpression = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' };
const hasReady = (operator: 'In' | 'NotIn'): MatchExpression => ({
  key: '.status.conditions.[] | select( .type == "Ready" ) | .status',
  operator,
  values: ['True'],
});
const inPhase = (phase: string): MatchExpression => ({ key: '.status.phase', operator: 'In', values: [phase] });

function stage(name: string, kind: 'Node' | 'Pod', spec: Omit<KwokStage['spec'], 'resourceRef'>): KwokStage {
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { apiGroup: 'v1', kind }, ...spec },
  };
}

const NODE_CONDITIONS = `
{{ $now := Now }}
{{ $since := or .metadata.creationTimestamp $now }}
conditions:
{{ range NodeConditions }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ $now | Quote }}
  lastTransitionTime: {{ $since | Quote }}
{{ end }}
`;

const nodeInitialize = stage('node-initialize', 'Node', {
  selector: { matchExpressions: [hasReady('NotIn')] },
  next: {
    statusTemplate: `${NODE_CONDITIONS}
addresses:
- type: InternalIP
  address: {{ NodeIP | Quote }}
- type: Hostname
  address: {{ NodeName | Quote }}
nodeInfo:
  architecture: amd64
  operatingSystem: linux
  osImage: simulated
  kernelVersion: simulated
  containerRuntimeVersion: kwok://{{ Version }}
  kubeletVersion: kwok-{{ Version }}
  kubeProxyVersion: ""
  bootID: ""
  machineID: ""
  systemUUID: ""
phase: Running
`,
  },
});

/** Leases show every few seconds that the node is alive; this only updates the times in its status. */
const nodeHeartbeat = stage('node-heartbeat', 'Node', {
  selector: { matchExpressions: [inPhase('Running'), hasReady('In')] },
  delay: { durationMilliseconds: 300_000, jitterDurationMilliseconds: 330_000 },
  next: { statusTemplate: NODE_CONDITIONS },
});

const podReady = stage('pod-ready', 'Pod', {
  selector: { matchExpressions: [isLive, inPhase('Pending'), hasReady('NotIn')] },
  next: {
    statusTemplate: `
{{ $now := Now }}
phase: Running
startTime: {{ $now | Quote }}
conditions:
{{ range list "PodReadyToStartContainers" "Initialized" "ContainersReady" "Ready" }}
- type: {{ . | Quote }}
  status: "True"
  lastTransitionTime: {{ $now | Quote }}
{{ end }}
{{ range .spec.readinessGates }}
- type: {{ .conditionType | Quote }}
  status: "True"
  lastTransitionTime: {{ $now | Quote }}
{{ end }}
initContainerStatuses:
{{ range .spec.initContainers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: true
  restartCount: 0
  started: false
  state:
    terminated:
      exitCode: 0
      reason: Completed
      startedAt: {{ $now | Quote }}
      finishedAt: {{ $now | Quote }}
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: true
  restartCount: 0
  started: true
  state:
    running:
      startedAt: {{ $now | Quote }}
{{ end }}
{{ with NodeIPWith .spec.nodeName }}
hostIP: {{ . | Quote }}
hostIPs:
- ip: {{ . | Quote }}
{{ end }}
{{ with PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) }}
podIP: {{ . | Quote }}
podIPs:
- ip: {{ . | Quote }}
{{ end }}
`,
  },
});

function podEnd(outcome: 'succeed' | 'fail'): KwokStage {
  const failed = outcome === 'fail';
  const exitCode = failed
    ? `index ( or .metadata.annotations dict ) "${SIMULATE_EXIT_CODE_ANNOTATION}" | default "1" | int`
    : '0';
  return stage(`pod-${outcome}`, 'Pod', {
    selector: {
      matchLabels: { [SIMULATE_LABEL]: outcome },
      matchExpressions: [isLive, inPhase('Running'), hasReady('In')],
    },
    delay: {
      durationMilliseconds: DEFAULT_AFTER_MS,
      durationFrom: { expressionFrom: `.metadata.annotations["${SIMULATE_AFTER_ANNOTATION}"]` },
    },
    next: {
      statusTemplate: `
{{ $now := Now }}
{{ $started := or .status.startTime $now }}
{{ $exitCode := ${exitCode} }}
phase: ${failed ? 'Failed' : 'Succeeded'}
conditions:
{{ range list "Ready" "ContainersReady" }}
- type: {{ . | Quote }}
  status: "False"
  reason: ${failed ? 'PodFailed' : 'PodCompleted'}
  lastTransitionTime: {{ $now | Quote }}
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  ready: false
  restartCount: 0
  started: false
  state:
    terminated:
      exitCode: {{ $exitCode }}
      reason: ${failed ? 'Error' : 'Completed'}
      startedAt: {{ $started | Quote }}
      finishedAt: {{ $now | Quote }}
{{ end }}
`,
    },
  });
}

/**
 * kwok deletes by name, and also processes pods that are already gone, for which there is nothing to wait for. It would delete a new pod
 * with the same name.
 */
const podDelete = stage('pod-delete', 'Pod', {
  selector: {
    matchExpressions: [
      { key: '.metadata.deletionTimestamp', operator: 'Exists' },
      // As a string: kwok does not compare numbers.
      { key: '.metadata.deletionGracePeriodSeconds | tostring', operator: 'NotIn', values: ['0'] },
    ],
  },
  next: { delete: true },
});
