/** What kubelets and other controllers do with a job's objects: pods start and end, Jobs and StatefulSets create pods, clusters get ready. */
import type { KubeObject, Pod } from '@muster/job-api';

/** How the pods of a job end. `flaky`: every third pod fails. */
export const POD_FATES = ['succeed', 'fail', 'flaky', 'stay'] as const;

export type PodFate = (typeof POD_FATES)[number];

/** The pod after a while; undefined when it is gone, the same object if nothing changes. */
export function advanced(pod: Pod, fate: PodFate, now: string): Pod | undefined {
  const { metadata, status } = pod;
  if (metadata?.deletionTimestamp !== undefined) return undefined;
  switch (status?.phase) {
    case 'Pending':
      return { ...pod, status: running(pod, now) };
    case 'Running': {
      if (fate === 'stay') return pod;
      const number = Number(/\d+$/.exec(metadata?.uid ?? '')?.[0] ?? 0);
      const fails = fate === 'fail' || (fate === 'flaky' && number % 3 === 0);
      return { ...pod, status: ended(pod, fails ? 1 : 0, now) };
    }
    default:
      return pod;
  }
}

function containers({ spec }: Pod) {
  return (spec?.containers ?? []).map(({ name }) => ({ name, image: '', imageID: '', restartCount: 0 }));
}

function running(pod: Pod, startedAt: string): NonNullable<Pod['status']> {
  const states = containers(pod).map((each) => ({ ...each, ready: true, state: { running: { startedAt } } }));
  const conditions = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status: 'True' },
  ];
  return { phase: 'Running', podIP: '10.0.0.1', startTime: startedAt, conditions, containerStatuses: states };
}

function ended(pod: Pod, exitCode: number, finishedAt: string): NonNullable<Pod['status']> {
  const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt };
  const states = containers(pod).map((each) => ({ ...each, ready: false, state: { terminated } }));
  const conditions = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status: 'False' },
  ];
  return { ...pod.status, phase: exitCode === 0 ? 'Succeeded' : 'Failed', conditions, containerStatuses: states };
}

interface Workload extends KubeObject {
  readonly spec?: {
    readonly suspend?: boolean;
    readonly replicas?: number;
    readonly template?: { readonly metadata?: object; readonly spec?: Pod['spec'] };
  };
}

/** The pods of a Job or a StatefulSet; none of other objects. */
export function podsOfWorkload(object: KubeObject): Pod[] {
  const { kind, metadata, spec } = object as Workload;
  const { name = '', uid = '' } = metadata ?? {};
  const ends =
    kind === 'Job' && spec?.suspend !== true
      ? ['abcde']
      : kind === 'StatefulSet'
        ? [...Array(spec?.replicas ?? 1).keys()].slice(0, 20)
        : [];
  return ends.map((end) => ({
    kind: 'Pod',
    metadata: {
      ...spec?.template?.metadata,
      name: `${name}-${end}`,
      ownerReferences: [{ apiVersion: 'v1', kind: kind ?? '', name, uid, controller: true }],
    },
    spec: spec?.template?.spec ?? { containers: [] },
  }));
}

/** The status that another controller writes; undefined if there is none. */
export function statusFromOthers({ kind, metadata }: KubeObject, pods: readonly Pod[]): object | undefined {
  if (kind === 'PodGroup') return { phase: 'Running' };
  if (kind === 'RayCluster') return rayClusterStatus(metadata?.name ?? '');
  if (kind !== 'Job') return undefined;
  const phases = pods.flatMap((pod) =>
    pod.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid) ? [pod.status?.phase] : [],
  );
  if (phases.includes('Succeeded'))
    return { succeeded: 1, conditions: [{ type: 'Complete', status: 'True', reason: 'CompletionsReached' }] };
  if (!phases.includes('Failed')) return { active: phases.length };
  const condition = {
    type: 'Failed',
    status: 'True',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
  };
  return { failed: 1, conditions: [condition] };
}

function rayClusterStatus(name: string): object {
  const head = { serviceName: `${name}-head-svc`, podName: `${name}-head`, podIP: '10.0.0.1', serviceIP: '10.0.0.2' };
  const conditions = [
    { type: 'HeadPodReady', status: 'True' },
    { type: 'RayClusterProvisioned', status: 'True' },
  ];
  return { state: 'ready', head, endpoints: { dashboard: '8265' }, conditions };
}
