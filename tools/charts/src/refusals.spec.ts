/** Rejected values, and the error messages. */
import { beforeAll, describe, expect, it } from 'vitest';
import { helm, HELM_TIMEOUT_MS, IMAGE, renderedText, type Values } from '../test-support/helm.ts';

interface Refusal {
  readonly what: string;
  readonly values: Values;
  readonly message: string;
}

const BY_TEMPLATES: readonly Refusal[] = [
  {
    what: 'no image',
    values: { image: {} },
    message: 'image.repository is required, because Muster publishes no images yet: build one with "npm run images -- operator mpi"',
  },
  {
    what: 'several replicas without leader election',
    values: { replicaCount: 2, leaderElection: { enabled: false } },
    message: 'replicaCount: more than one replica needs leaderElection.enabled=true',
  },
  {
    what: 'several replicas in shadow mode',
    values: { replicaCount: 2, shadow: { enabled: true } },
    message: 'replicaCount: shadow.enabled needs one replica',
  },
  {
    what: 'recording in shadow mode',
    values: { recording: { enabled: true }, shadow: { enabled: true } },
    message: 'recording.enabled has no effect with shadow.enabled',
  },
  {
    what: 'watch.scope=namespaces without a list',
    values: { watch: { scope: 'namespaces' } },
    message: 'watch.namespaces is empty',
  },
  {
    what: 'a list of namespaces with another scope',
    values: { watch: { namespaces: ['a'] } },
    message: 'watch.namespaces is ignored with watch.scope=cluster: set watch.scope=namespaces',
  },
  {
    what: 'a gang scheduler without a name',
    values: { gangScheduling: { scheduler: 'scheduler-plugins', schedulerName: '' } },
    message: 'gangScheduling.schedulerName is empty',
  },
  {
    what: 'both numbers of a disruption budget',
    values: { podDisruptionBudget: { enabled: true, minAvailable: 0, maxUnavailable: 1 } },
    message: 'podDisruptionBudget: set minAvailable or maxUnavailable, not both',
  },
  {
    what: 'a disruption budget that blocks the eviction of the only pod',
    values: { podDisruptionBudget: { enabled: true, minAvailable: 1 } },
    message: "podDisruptionBudget.minAvailable=1 with replicaCount=1 blocks every eviction of the operator's pods",
  },
  {
    what: 'a disruption budget whose percentage is rounded up to all pods',
    values: { replicaCount: 3, podDisruptionBudget: { enabled: true, minAvailable: '67%' } },
    message: 'podDisruptionBudget.minAvailable=67% with replicaCount=3 blocks every eviction',
  },
  ...[0, '0%'].map((maxUnavailable) => ({
    what: `a disruption budget without any pod: ${maxUnavailable}`,
    values: { replicaCount: 2, podDisruptionBudget: { enabled: true, maxUnavailable } },
    message: "podDisruptionBudget.maxUnavailable=0 blocks every eviction of the operator's pods",
  })),
  {
    what: 'a lease duration shorter than the renew deadline',
    values: { leaderElection: { leaseDuration: '9.5s' } },
    message: 'leaderElection.leaseDuration (9.5s) must be longer than leaderElection.renewDeadline (10s)',
  },
  {
    what: 'equal times of the Lease in several units',
    values: { leaderElection: { leaseDuration: '1h1m', renewDeadline: '60m59s1000ms' } },
    message: 'leaderElection.leaseDuration (1h1m) must be longer than leaderElection.renewDeadline (60m59s1000ms)',
  },
  {
    what: 'a renew deadline without time for a retry',
    values: { leaderElection: { renewDeadline: '2400ms' } },
    message: 'leaderElection.renewDeadline (2400ms) must be more than 1.2 times leaderElection.retryPeriod (2s)',
  },
  ...['--log-levle=debug', '-v', '--pytorch-init-container-template-file=x'].map((flag) => ({
    what: `a flag that the operator does not have: ${flag}`,
    values: { operator: { extraArgs: ['--log-level', 'debug', flag] } },
    message: `operator.extraArgs: the operator has no flag ${flag.split('=')[0]}. Its flags: --`,
  })),
  {
    what: 'a ServiceMonitor without a Service',
    values: { metrics: { service: { enabled: false }, serviceMonitor: { enabled: true } } },
    message: 'metrics.serviceMonitor needs metrics.service.enabled=true',
  },
  {
    what: 'both monitors',
    values: { metrics: { podMonitor: { enabled: true }, serviceMonitor: { enabled: true } } },
    message: 'enable serviceMonitor or podMonitor, not both',
  },
];

const BY_SCHEMA: readonly Refusal[] = [
  { what: 'a misspelt value', values: { replicas: 2 }, message: "additional properties 'replicas' not allowed" },
  {
    what: 'a misspelt value of a group',
    values: { operator: { concurency: 2 } },
    message: "at '/operator': additional properties 'concurency' not allowed",
  },
  {
    what: "another framework's value",
    values: { initContainer: { image: 'x' } },
    message: "additional properties 'initContainer' not allowed",
  },
  {
    what: 'an unknown scope',
    values: { watch: { scope: 'namespaced' } },
    message: "at '/watch/scope': value must be one of 'cluster', 'namespaces', 'own'",
  },
  {
    what: 'an unknown gang scheduler',
    values: { gangScheduling: { scheduler: 'slurm' } },
    message: "at '/gangScheduling/scheduler': value must be one of '', 'volcano', 'scheduler-plugins', 'kubernetes', 'yunikorn', 'kai-scheduler'",
  },
  { what: 'a text for a number', values: { replicaCount: '2' }, message: "at '/replicaCount': got string, want integer" },
  { what: 'a concurrency of 0', values: { operator: { concurrency: 0 } }, message: 'minimum: got 0, want 1' },
  { what: 'a duration without a unit', values: { leaderElection: { leaseDuration: '15' } }, message: "'15' does not match" },
  { what: 'no duration at all', values: { leaderElection: { retryPeriod: '' } }, message: 'minLength: got 0, want 2' },
  { what: 'a digest that is a tag', values: { image: { digest: 'latest' } }, message: "'latest' does not match" },
  { what: 'a text for a switch', values: { crds: { install: 'no' } }, message: "at '/crds/install': got string, want boolean" },
  {
    what: 'a namespace twice',
    values: { watch: { scope: 'namespaces', namespaces: ['a', 'a'] } },
    message: 'items at 0 and 1 are equal',
  },
  { what: 'a misspelt part of resources', values: { resources: { limit: { memory: '1Gi' } } }, message: "at '/resources': additional properties 'limit' not allowed" },
  { what: 'a misspelt time of a probe', values: { livenessProbe: { period: 3 } }, message: "at '/livenessProbe': additional properties 'period' not allowed" },
  { what: 'another thing to probe', values: { readinessProbe: { exec: {} } }, message: "additional properties 'exec' not allowed" },
  { what: 'a misspelt affinity', values: { affinity: { nodeAfinity: {} } }, message: "additional properties 'nodeAfinity' not allowed" },
  { what: 'a misspelt strategy', values: { updateStrategy: { typ: 'Recreate' } }, message: "additional properties 'typ' not allowed" },
  { what: 'namespaces as a text', values: { watch: { namespaces: 'a,b' } }, message: 'got string, want array' },
  {
    what: 'a CIDR without a prefix length',
    values: { networkPolicy: { apiServerCIDRs: ['10.0.0.1'] } },
    message: "'10.0.0.1' does not match",
  },
];

describe('a chart', () => {
  beforeAll(() => helm(['version']), HELM_TIMEOUT_MS);

  it.each([...BY_TEMPLATES, ...BY_SCHEMA])('rejects $what', async ({ values, message }) => {
    await expect(renderedText('mpi', { image: IMAGE, ...values })).rejects.toThrow(message);
  });

  it.each<Values>([
    { leaderElection: { leaseDuration: '1m', renewDeadline: '59s', retryPeriod: '500ms' } },
    { replicaCount: 3, podDisruptionBudget: { enabled: true, minAvailable: '66%' } },
    { replicaCount: 0, podDisruptionBudget: { enabled: true, minAvailable: 1 } },
    { podDisruptionBudget: { enabled: true, maxUnavailable: '1%' } },
    { operator: { extraArgs: ['--log-level', 'debug', '--host=::1', '--kube-api-qps=5'] } },
  ])('accepts %j', async (values) => {
    await expect(renderedText('mpi', { image: IMAGE, ...values })).resolves.toContain('kind: Deployment');
  });

  it('leaves the fields of Kubernetes objects to the API server', async () => {
    const text = await renderedText('mpi', {
      image: IMAGE,
      podSecurityContext: { fsGroupChangePolicy: 'OnRootMismatch' },
      resources: { limits: { 'example.com/gpu': 1 } },
      livenessProbe: { initialDelaySeconds: 3 },
    });
    for (const field of ['fsGroupChangePolicy: OnRootMismatch', 'example.com/gpu: 1', 'initialDelaySeconds: 3']) {
      expect(text).toContain(field);
    }
  });
});
