/**
 * Alerts on real faults of an operator: processes of this checkout on a cluster of simulated nodes. Each is scraped as the pod of its own
 * release, with the alerts of its chart, whose durations are shortened by values. Each fault makes its alert fire; one healthy operator has
 * no alert. Once an alert fires, the commands and queries of its runbook run. Faults that need containers, and the other alerts, are in
 * `alerts.full.spec.ts`.
 */
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Cluster,
  clusterDown,
  clusterUp,
  SIMULATE_AFTER_ANNOTATION,
  SIMULATE_LABEL,
  terminalProgress,
} from '@muster/cluster';
import { crdFor, PODS, PYTORCH_JOBS, pytorchJobDefinition, type KubeObject, type PyTorchJob } from '@muster/job-api';
import { type ClusterAccess, type ClusterClient, createKubeClient, loadCluster } from '@muster/kube';
import { eventually, faultProxy, installCrd, NAMESPACES, type FaultProxy, type ProxiedRequest } from '@muster/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PrometheusOfReleases, type Release } from '../test-support/prometheus-of-releases.ts';
import { runbookCommands, runbookShell, runRunbook, type RunbookShell } from '../test-support/runbook.ts';
import { OperatorProcess } from './operator-process.ts';

const NAME = `op-alerts-${process.pid}`;
const FRAMEWORK = 'pytorch-elastic';
const LIMIT_MS = 600_000;

/** Slightly longer than a start on a slow machine. */
const FOR = '10s';

/** The charts' own thresholds, except for reconcile runs that take half a minute, or five. */
const RULES = {
  MusterOperatorDown: { for: FOR },
  MusterNoLeader: { for: '30s' },
  MusterSeveralLeaders: { for: FOR },
  MusterReconcileErrors: { for: FOR },
  MusterReconcileSlow: { for: FOR, threshold: 5 },
  MusterReconcileHangs: { for: FOR, threshold: 5 },
  MusterQueueStuck: { for: '5s' },
  MusterWatchRestarts: { for: FOR },
  MusterApiServerErrors: { for: FOR },
  // A process reports its last minute, so also its start for a minute.
  MusterEventLoopBlocked: { for: '90s' },
  MusterMemoryHigh: { for: FOR },
  MusterRecordingFails: { for: FOR },
  MusterJobWaiting: { for: '30s' },
  MusterJobsFailing: { for: FOR },
  MusterJobStalled: { for: FOR },
  MusterJobProgressUnknown: { for: FOR },
  MusterElasticBelowMinimum: { for: FOR },
};

const release = (namespace: string, values: Release['values'] = {}): Release => ({
  namespace,
  values: { alerts: { enabled: true, rules: RULES }, ...values },
});

const WELL = release('well');
const RELEASES = {
  leaders: release('leaders'),
  refused: release('refused'),
  corrupt: release('corrupt'),
  slow: release('slow'),
  hanging: release('hanging'),
  watches: release('watches'),
  failing: release('failing'),
  blocked: release('blocked'),
  small: release('small', { resources: { limits: { memory: '64Mi' } } }),
  recording: release('recording'),
  elastic: release('elastic'),
  standing: release('standing'),
  silent: release('silent'),
};

const isStatusWrite = ({ method, path }: ProxiedRequest) => method !== 'GET' && path.endsWith('/status');

describe('the alerts of a chart', { timeout: LIMIT_MS }, () => {
  let cluster: Cluster;
  let access: ClusterAccess;
  let client: ClusterClient;
  let prometheus: PrometheusOfReleases;
  let logs: string;
  let shell: RunbookShell;
  const atEnd: (() => Promise<unknown>)[] = [];
  const afterTest: (() => Promise<unknown>)[] = [];

  const undo = async (steps: (() => Promise<unknown>)[]) => {
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step();
  };

  beforeAll(async () => {
    const progress = terminalProgress();
    logs = await mkdtemp(join(tmpdir(), 'muster-alerts-'));
    atEnd.push(() => rm(logs, { recursive: true }));
    cluster = await clusterUp({ name: NAME, node: 'simulated', nodes: 3, progress });
    atEnd.push(() => clusterDown({ name: NAME, progress }));
    access = await loadCluster({ kubeconfig: cluster.kubeconfig });
    shell = await runbookShell(cluster.kubeconfig, progress);
    atEnd.push(() => shell.remove());
    client = createKubeClient(access, { userAgent: 'muster-test/0' });
    atEnd.push(() => client.close());
    await installCrd(client, crdFor(pytorchJobDefinition));
    const releases = [WELL, ...Object.values(RELEASES)];
    for (const { namespace } of [...releases, { namespace: 'elsewhere' }]) {
      await client.create(NAMESPACES, { metadata: { name: namespace } });
    }
    const operator = await started(WELL, { stops: atEnd });
    prometheus = await PrometheusOfReleases.start(FRAMEWORK, releases, progress);
    atEnd.push(() => prometheus.stop());
    await prometheus.scrape(operator.url!, WELL);
    await submit(WELL, 'runs', { workers: 3 });
    await submit(WELL, 'ends', { workers: 2, end: 'succeed' });
    // Too rarely for an alert.
    await submit(WELL, 'retries', { workers: 1, end: 'fail', after: '200s' });
  }, LIMIT_MS);
  afterEach(() => undo(afterTest));
  afterAll(() => undo(atEnd), LIMIT_MS);

  /** A ready operator, unless it cannot become ready. */
  async function started(
    { namespace }: Release,
    {
      kubeconfig = cluster.kubeconfig,
      flags = [],
      stops = afterTest,
      log = namespace,
    }: { kubeconfig?: string; flags?: readonly string[]; stops?: (() => Promise<unknown>)[]; log?: string } = {},
  ): Promise<OperatorProcess> {
    const logFolder = join(logs, log);
    const operator = new OperatorProcess({
      ...{ framework: FRAMEWORK, kubeconfig, namespaces: [namespace], logFolder },
      flags: ['--leader-election-lease-duration=60s', '--leader-election-renew-deadline=40s', ...flags],
    });
    stops.push(() => operator.stop());
    await operator.ready(AbortSignal.timeout(LIMIT_MS));
    return operator;
  }

  /** A scraped operator whose requests go through the proxy. */
  async function behindProxy(of: Release, flags: readonly string[] = []): Promise<FaultProxy> {
    const proxy = await faultProxy(access);
    afterTest.push(() => proxy.close());
    const operator = await started(of, { kubeconfig: proxy.kubeconfig, flags });
    await prometheus.scrape(operator.url!, of);
    return proxy;
  }

  interface JobShape {
    readonly workers: number;
    readonly elasticFrom?: number;
    readonly progressDeadlineSeconds?: number;
    readonly end?: 'succeed' | 'fail';
    readonly after?: string;
    readonly node?: string;
  }

  async function submit({ namespace }: Release, name: string, shape: JobShape): Promise<void> {
    const { workers, elasticFrom, progressDeadlineSeconds, end, after = '5s', node } = shape;
    const labels = end === undefined ? {} : { [SIMULATE_LABEL]: end };
    const job: PyTorchJob & KubeObject = {
      metadata: { name, namespace },
      spec: {
        runPolicy: {
          ...{ suspend: false, backoffLimit: 1000 },
          ...(progressDeadlineSeconds !== undefined && { progressDeadlineSeconds }),
        },
        ...(elasticFrom !== undefined && { elasticPolicy: { minReplicas: elasticFrom, maxReplicas: workers } }),
        pytorchReplicaSpecs: {
          Worker: {
            replicas: workers,
            restartPolicy: 'OnFailure',
            template: {
              metadata: { labels, annotations: { [SIMULATE_AFTER_ANNOTATION]: after } },
              spec: {
                containers: [
                  {
                    name: 'pytorch',
                    image: 'registry.example/train:1',
                    ports: [{ name: 'progress', containerPort: 8081 }],
                  },
                ],
                ...(node !== undefined && { nodeSelector: { 'kubernetes.io/hostname': node } }),
              },
            },
          },
        },
      },
    };
    await client.create(PYTORCH_JOBS, job);
  }

  /** Resolves when the alert has fired and the commands of its runbook that apply here have shown the expected output. */
  async function fired(
    alert: string,
    { namespace }: Release,
    labels: Readonly<Record<string, string>> = {},
    values: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await prometheus.fired(alert, { namespace, framework: FRAMEWORK, ...labels });
    const job = {
      '<namespace>': namespace,
      '<job>': labels['job_name'] ?? '',
      '<kind>': PYTORCH_JOBS.kind,
      '<framework>': FRAMEWORK,
      $NS: namespace,
    };
    const log = join(logs, namespace, `${FRAMEWORK}-operator.log`);
    await runRunbook(alert, 'fault', { shell, values: { ...job, ...values }, log });
    for (const query of runbookCommands(alert).queries) expect(await prometheus.series(query), query).not.toEqual([]);
  }

  it('MusterSeveralLeaders fires if an operator without leader election runs beside a leader', async () => {
    const { leaders } = RELEASES;
    for (const leaderElect of [true, false]) {
      const operator = await started(leaders, {
        flags: [`--leader-elect=${leaderElect}`],
        log: `elects-${leaderElect}`,
      });
      await prometheus.scrape(operator.url!, leaders);
    }
    await fired('MusterSeveralLeaders', leaders);
  });

  it("MusterReconcileErrors fires if a policy rejects the operator's writes of jobs", async () => {
    const { refused } = RELEASES;
    await refuseStatusOf(refused.namespace);
    const operator = await started(refused);
    await prometheus.scrape(operator.url!, refused);
    for (let number = 0; number < 3; number++) await submit(refused, `job-${number}`, { workers: 1 });
    await fired('MusterReconcileErrors', refused, { controller: 'pytorchjob' });
  });

  it('MusterReconcileSlow fires if the API server takes seconds for a write', async () => {
    const { slow } = RELEASES;
    const proxy = await behindProxy(slow);
    proxy.inject(isStatusWrite, { type: 'delay', ms: 6_000 });
    for (let number = 0; number < 3; number++) await submit(slow, `job-${number}`, { workers: 1 });
    await fired('MusterReconcileSlow', slow, { controller: 'pytorchjob' });
  });

  it('MusterReconcileHangs and MusterQueueStuck fire if the API server no longer responds to writes', async () => {
    const { hanging } = RELEASES;
    const proxy = await faultProxy(access);
    afterTest.push(() => proxy.close());
    proxy.inject(isStatusWrite, { type: 'stall' });
    for (let number = 0; number < 5; number++) await submit(hanging, `job-${number}`, { workers: 1 });
    const operator = await started(hanging, { kubeconfig: proxy.kubeconfig, flags: ['--concurrency=2'] });
    await eventually(() => proxy.requests.filter(isStatusWrite).length >= 2, { withinMs: 60_000 });
    // Only now: an empty queue within ten minutes counts as not stuck.
    await prometheus.scrape(operator.url!, hanging);
    await Promise.all([
      fired('MusterQueueStuck', hanging, { controller: 'pytorchjobs' }),
      fired('MusterReconcileHangs', hanging, { controller: 'pytorchjobs' }),
    ]);
  });

  it('MusterWatchRestarts fires if watches are repeatedly closed', async () => {
    const { watches } = RELEASES;
    const proxy = await behindProxy(watches);
    let hasFired = false;
    const firing = fired('MusterWatchRestarts', watches).finally(() => (hasFired = true));
    while (!hasFired) {
      proxy.cutWatches();
      await sleep(200);
    }
    await firing;
  });

  it('MusterApiServerErrors fires if the API server responds with 503', async () => {
    const { failing } = RELEASES;
    const proxy = await behindProxy(failing);
    let seen = 0;
    proxy.inject(({ watch }) => !watch && ++seen % 2 === 0, { type: 'answer', code: 503 });
    for (let number = 0; number < 5; number++) await submit(failing, `job-${number}`, { workers: 2 });
    await fired('MusterApiServerErrors', failing);
  });

  it('MusterEventLoopBlocked fires for a process that is stopped for most of the time', async () => {
    const { blocked } = RELEASES;
    const operator = await started(blocked);
    // It is stopped for longer than the default timeout of a scrape.
    await prometheus.scrape(operator.url!, blocked, '4s');
    let hasFired = false;
    const firing = fired('MusterEventLoopBlocked', blocked).finally(() => (hasFired = true));
    while (!hasFired) {
      operator.kill('SIGSTOP');
      // It checks its loop every half second, so it measures up to half a second less.
      await sleep(1300);
      operator.kill('SIGCONT');
      // Long enough for a response to Prometheus, which takes several turns of the loop.
      await sleep(300);
    }
    await firing;
  });

  it("MusterMemoryHigh fires for a process that reaches its container's memory limit", async () => {
    const { small } = RELEASES;
    const operator = await started(small);
    await prometheus.scrape(operator.url!, small);
    await fired('MusterMemoryHigh', small);
  });

  it('MusterRecordingFails fires if the volume of the records is full', async () => {
    const { recording } = RELEASES;
    const folder = join(logs, 'records');
    await mkdir(folder);
    const operator = await started(recording, { flags: ['--record', folder] });
    await prometheus.scrape(operator.url!, recording);
    await submit(recording, 'recorded', { workers: 1 });
    const files = () => readdir(folder);
    await eventually(async () => (await files()).length > 0, { withinMs: 60_000, describe: files });
    for (const file of await files()) {
      await rm(join(folder, file));
      // Each write to it fails with ENOSPC.
      await symlink('/dev/full', join(folder, file));
    }
    await submit(recording, 'lost', { workers: 1 });
    await fired('MusterRecordingFails', recording);
  });

  it('MusterElasticBelowMinimum fires for a running job that lacks workers', async () => {
    const { elastic } = RELEASES;
    const operator = await started(elastic);
    await prometheus.scrape(operator.url!, elastic);
    const nodes = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false } as const;
    const name = (await client.list(nodes)).items[0]?.metadata?.name ?? '';
    await submit(elastic, 'shrunk', { workers: 3, elasticFrom: 2, node: name });
    const state = async () =>
      (await client.get(PYTORCH_JOBS, { namespace: elastic.namespace, name: 'shrunk' })).status?.state;
    await eventually(async () => (await state()) === 'Running', { withinMs: 60_000, describe: state });
    await client.patch(nodes, { name }, { spec: { unschedulable: true } });
    afterTest.push(() => client.patch(nodes, { name }, { spec: { unschedulable: false } }));
    for (const index of [1, 2]) {
      await client.delete(PODS, { namespace: elastic.namespace, name: `shrunk-worker-${index}` });
    }
    await fired('MusterElasticBelowMinimum', elastic, { job_name: 'shrunk' }, { '<size>': '2' });
  });

  it('MusterJobStalled fires for a job whose programs report the same step for progressDeadlineSeconds', async () => {
    const { standing } = RELEASES;
    const proxy = await behindProxy(standing);
    proxy.inject({ method: 'GET', path: /:8081\/proxy\/progress$/ }, { type: 'answer', code: 200, body: { step: 7 } });
    await submit(standing, 'stuck', { workers: 2, progressDeadlineSeconds: 10 });
    await fired('MusterJobStalled', standing, { job_name: 'stuck' });
  });

  it('MusterJobProgressUnknown fires for a job whose programs do not respond', async () => {
    const { silent } = RELEASES;
    const operator = await started(silent);
    await prometheus.scrape(operator.url!, silent);
    // No program listens on the port of a simulated pod.
    await submit(silent, 'mute', { workers: 2, progressDeadlineSeconds: 10 });
    const pod = { '<pod>': 'mute-worker-0', '<port>': '8081' };
    await fired('MusterJobProgressUnknown', silent, { job_name: 'mute' }, pod);
  });

  it('MusterReconcileDefects fires for a job whose status has an invalid record', async () => {
    const { corrupt } = RELEASES;
    const crd = crdFor(pytorchJobDefinition);
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
    const versions = crd.spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema: anything } }));
    await installCrd(client, { ...crd, spec: { ...crd.spec, versions } });
    const operator = await started(corrupt);
    await prometheus.scrape(operator.url!, corrupt);
    // An increase needs an earlier value.
    await eventually(
      async () =>
        (await prometheus.series('controller_runtime_reconcile_panics_total{namespace="corrupt"}')).length > 0,
      { withinMs: 60_000 },
    );
    await submit(corrupt, 'strange', { workers: 1 });
    const key = { namespace: corrupt.namespace, name: 'strange' };
    await eventually(async () => (await client.get(PYTORCH_JOBS, key)).status?.state !== undefined);
    await client.patch(PYTORCH_JOBS, key, { status: { restarts: 'many' } }, { subresource: 'status' });
    await fired('MusterReconcileDefects', corrupt, { controller: 'pytorchjob' }, { '<job>': 'strange' });
  });

  it('never fire for a healthy operator', async () => {
    expect(await prometheus.ruleProblems()).toEqual([]);
    const lived = async () => [
      ...(await prometheus.series('muster_job_restarts{namespace="well"} > 0')),
      ...(await prometheus.series('training_operator_jobs_successful_total{namespace="well"} > 0')),
    ];
    await eventually(async () => (await lived()).length === 2, { withinMs: 200_000, describe: lived });
    expect(await prometheus.everFired(WELL.namespace)).toEqual([]);
  });

  /** A mistake that a rule of the cluster may contain. */
  async function refuseStatusOf(namespace: string): Promise<void> {
    const resource = (kind: string, plural: string) =>
      ({ group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false }) as const;
    const policies = resource('ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
    const bindings = resource('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings');
    const metadata = { name: 'no-status' };
    const rule = {
      apiGroups: ['kubeflow.org'],
      apiVersions: ['v1'],
      operations: ['UPDATE'],
      resources: ['pytorchjobs/status'],
    };
    const policy = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false' }] };
    await client.create<KubeObject & { spec: object }>(policies, { metadata, spec: policy });
    const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
    const binding = { policyName: metadata.name, validationActions: ['Deny'], matchResources };
    await client.create<KubeObject & { spec: object }>(bindings, { metadata, spec: binding });
  }
});
