/** Volcano Jobs with the plugin mpi on a real API server. Pods do not run; the tests report their status. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  EVENTS,
  LABELS,
  NETWORK_POLICIES,
  PODS,
  SECRETS,
  SERVICES,
  VOLCANO_COMMAND_CRD,
  VOLCANO_COMMANDS,
  VOLCANO_JOBS,
  volcanoJobDefinition,
  type KubeObject,
  type Pod,
  type Resource,
  type VolcanoJob,
} from '@muster/job-api';
import {
  bindPod,
  endEvictedPod,
  eventually,
  evictPod,
  installCrd,
  loneOperatorOptions,
  started,
  testCluster,
  TravelClock,
} from '@muster/testing';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { Registry } from 'prom-client';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { mpiPlugin } from './volcano-plugin.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const CONFIG_MAPS: Resource<ConfigMap> = {
  ...{ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
};

const cluster = await testCluster();
const { client } = cluster;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const NAME = 'hello';

let namespace: string;
let clock: TravelClock;

beforeAll(async () => {
  await installCrd(client, crdFor(volcanoJobDefinition));
  await installCrd(client, VOLCANO_COMMAND_CRD);
});

beforeEach(async () => {
  namespace = await cluster.namespace();
  const registry = new Registry();
  const start = { client, namespaces: [namespace], serviceMode: 'PerJob', logger: silent } as const;
  // Skips the delay for new Jobs.
  clock = new TravelClock();
  clock.advance(5000);
  const options = loneOperatorOptions({ ...start, clock });
  const operator = await started(
    createJobOperator({ ...options, adapters: [volcanoJobAdapter(mpiPlugin)], registry }),
    registry,
  );
  onTestFinished(() => operator.stop());
});

const CLAIMS: Resource<KubeObject & { spec?: object }> = {
  ...{ group: '', version: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', namespaced: true },
};

const template = {
  spec: {
    // No scheduler has this name; tests report the pods' status.
    schedulerName: 'absent',
    restartPolicy: 'Never',
    containers: [{ name: 'mpi', image: 'registry.example/hello:1' }],
  },
};

function submit(spec: Partial<VolcanoJob['spec']> = {}) {
  const tasks = [
    { name: 'master', replicas: 1, template },
    { name: 'worker', replicas: 2, template },
  ];
  return client.create(VOLCANO_JOBS, {
    metadata: { name: NAME, namespace },
    spec: { plugins: { mpi: [] }, tasks, ...spec },
  });
}

const key = (name: string) => ({ namespace, name });
const job = () => client.get(VOLCANO_JOBS, key(NAME));
const pods = async (): Promise<Pod[]> => {
  const { items } = await client.list(PODS, { namespace });
  return items.toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
};
const secret = () => client.get(SECRETS, key(`${NAME}-ssh`));

async function becomes<T>(look: () => Promise<T>, expected: object): Promise<void> {
  const isSo = async () => {
    expect(await look()).toMatchObject(expected);
    return true;
  };
  await eventually(isSo, {
    withinMs: 60_000,
    describe: async () => ({ expected, seen: await look(), job: (await job()).status }),
  });
}

const shows = (status: object) => becomes(job, { status });
const arePods = (...names: string[]) =>
  becomes(
    pods,
    names.map((name) => ({ metadata: { name: `${NAME}-${name}` } })),
  );

/** Like `vcctl`. Resolves when the Command is deleted. */
async function command(action: string) {
  const { metadata } = await job();
  const owner = { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', name: NAME, uid: metadata?.uid ?? '' };
  const target = { ...owner, controller: true, blockOwnerDeletion: true };
  const generateName = `${NAME}-${action.toLowerCase()}-`;
  await client.create(VOLCANO_COMMANDS, {
    metadata: { generateName, namespace, ownerReferences: [target] },
    target,
    action,
  });
  await becomes(async () => ({ left: (await client.list(VOLCANO_COMMANDS, { namespace })).items.length }), { left: 0 });
}

async function events() {
  const { items } = await client.list(EVENTS, { namespace });
  return items
    .filter(({ reason = '' }) => reason.startsWith('Command'))
    .toSorted((a, b) => ((a.eventTime ?? '') < (b.eventTime ?? '') ? -1 : 1));
}

type Phase = NonNullable<NonNullable<Pod['status']>['phase']>;

async function report(pod: string, phase: Phase, exitCode = 0) {
  const state =
    phase === 'Running'
      ? { running: {} }
      : { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } };
  const containerStatuses = [
    { name: 'mpi', ready: phase === 'Running', restartCount: 0, image: '', imageID: '', state },
  ];
  await client.patchStatus(PODS, key(`${NAME}-${pod}`), { status: { phase, containerStatuses } });
}

async function running() {
  await arePods('master-0', 'worker-0', 'worker-1');
  for (const pod of ['master-0', 'worker-0', 'worker-1']) await report(pod, 'Running');
  await shows({ state: { phase: 'Running' }, running: 3, minAvailable: 3 });
}

describe('a Volcano Job with the plugin mpi', () => {
  it('gets its network, keys and hosts, runs, and is completed with its master', async () => {
    await submit();
    await running();
    await becomes(() => client.get(SERVICES, key(NAME)), { spec: { clusterIP: 'None' } });
    await becomes(() => client.get(NETWORK_POLICIES, key(NAME)), { spec: { policyTypes: ['Ingress'] } });
    expect(Object.keys((await secret()).data ?? {}).toSorted()).toEqual([
      'authorized_keys',
      'config',
      'id_rsa',
      'id_rsa.pub',
    ]);
    const [master] = await pods();
    expect(master?.spec).toMatchObject({ hostname: 'hello-master-0', subdomain: NAME });
    expect(master?.spec?.containers[0]?.env).toContainEqual({
      name: 'MPI_HOST',
      value: 'hello-worker-0.hello,hello-worker-1.hello',
    });
    await report('master-0', 'Succeeded');
    // The workers are terminating until the API server deletes them, since they are not on a node.
    await shows({
      state: { phase: 'Completed' },
      succeeded: 1,
      running: 0,
      retryCount: 0,
      controlledResources: { 'plugin-mpi': 'mpi', 'plugin-svc': 'svc', 'plugin-ssh': 'ssh' },
    });
    await arePods('master-0');
  });

  it('restarts by its policy, with the same network and keys', async () => {
    await submit({ policies: [{ event: 'PodFailed', action: 'RestartJob' }] });
    await running();
    const [before, service] = [await secret(), await client.get(SERVICES, key(NAME))];
    await report('worker-1', 'Failed', 1);
    const again = { metadata: { labels: { [LABELS.attempt]: '1' } } };
    await becomes(pods, [again, again, again]);
    await shows({ retryCount: 1 });
    await running();
    expect((await secret()).data).toEqual(before.data);
    expect((await client.get(SERVICES, key(NAME))).metadata?.uid).toBe(service.metadata?.uid);
  });

  it('updates the hosts for added workers, and keeps its keys', async () => {
    const { spec } = await submit();
    await running();
    const before = (await secret()).data ?? {};
    const [master, worker] = spec.tasks;
    await client.patch(VOLCANO_JOBS, key(NAME), { spec: { tasks: [master, { ...worker, replicas: 3 }] } });
    await arePods('master-0', 'worker-0', 'worker-1', 'worker-2');
    const { config = '', ...keys } = (await secret()).data ?? {};
    expect({ ...keys, config: '' }).toEqual({ ...before, config: '' });
    expect(Buffer.from(config, 'base64').toString()).toContain('HostName hello-worker-2.hello\n');
    const hostfile = expect.stringContaining('hello-worker-2.hello slots=1') as string;
    await becomes(() => client.get(CONFIG_MAPS, key(`${NAME}-mpi`)), { data: { hostfile } });
  });

  it('creates its described claims, and does not change them while it exists', async () => {
    const volumeClaim = { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } };
    await submit({
      volumes: [
        { mountPath: '/data', volumeClaimName: 'datasets' },
        { mountPath: '/out', volumeClaim },
      ],
      policies: [{ event: 'PodFailed', action: 'RestartJob' }],
    });
    await running();
    const claim = async () => {
      const { items } = await client.list(CLAIMS, { namespace });
      expect(items).toHaveLength(1);
      return items[0]!;
    };
    await becomes(claim, { metadata: { ownerReferences: [{ kind: 'Job', name: NAME }] }, spec: volumeClaim });
    const [master] = await pods();
    expect(master?.spec?.containers[0]?.volumeMounts).toEqual(
      expect.arrayContaining([
        { name: 'job-volume-0', mountPath: '/data' },
        { name: 'job-volume-1', mountPath: '/out' },
      ]),
    );
    const { metadata } = await claim();
    await report('worker-0', 'Failed', 1);
    const again = { metadata: { labels: { [LABELS.attempt]: '1' } } };
    await becomes(pods, [again, again, again]);
    expect((await claim()).metadata?.uid).toBe(metadata?.uid);
  });

  it('restarts only the task by a policy with RestartTask', async () => {
    const restarted = {
      name: 'worker',
      replicas: 2,
      template,
      policies: [{ exitCode: 3, action: 'RestartTask' as const }],
    };
    await submit({ tasks: [{ name: 'master', replicas: 1, template }, restarted] });
    await running();
    await report('worker-1', 'Failed', 3);
    const again = { metadata: { labels: { [LABELS.attempt]: '1' } } };
    await becomes(pods, [{ metadata: { name: 'hello-master-0' } }, again, again]);
    expect((await pods())[0]?.metadata?.labels?.[LABELS.attempt]).toBeUndefined();
  });

  it('restarts only the partition by a policy with RestartPartition', async () => {
    const partitionPolicy = { totalPartitions: 2, partitionSize: 2, minPartitions: 1 };
    const policies = [{ event: 'PodFailed' as const, action: 'RestartPartition' as const }];
    const worker = { name: 'worker', replicas: 4, template, partitionPolicy, policies };
    await submit({ tasks: [{ name: 'master', replicas: 1, template }, worker] });
    const all = ['master-0', 'worker-0', 'worker-1', 'worker-2', 'worker-3'];
    await arePods(...all);
    for (const pod of all) await report(pod, 'Running');
    await shows({ state: { phase: 'Running' }, running: 5, minAvailable: 3 });
    const uids = async () => new Map((await pods()).map(({ metadata }) => [metadata?.name, metadata?.uid]));
    const before = await uids();
    expect((await pods()).map(({ metadata }) => metadata?.labels?.['volcano.sh/partition-id'])).toEqual([
      undefined,
      ...['0', '0', '1', '1'],
    ]);
    await report('worker-3', 'Failed', 1);
    const recreated = async () =>
      [...(await uids())].filter(([pod, uid]) => before.get(pod) !== uid).map(([pod]) => pod);
    await becomes(recreated, ['hello-worker-2', 'hello-worker-3']);
    for (const pod of ['worker-2', 'worker-3']) await report(pod, 'Running');
    await shows({ state: { phase: 'Running' }, running: 5 });
    expect(await recreated()).toEqual(['hello-worker-2', 'hello-worker-3']);
  });

  it('fails after maxRetry restarts', async () => {
    await submit({ maxRetry: 1, policies: [{ event: 'PodFailed', action: 'RestartJob' }] });
    await running();
    await report('worker-0', 'Failed', 1);
    await shows({
      state: {
        phase: 'Failed',
        message: expect.stringContaining('spec.maxRetry (1) allows no more restarts') as string,
      },
    });
    await arePods('worker-0');
  });

  it('restarts by its policy for PodEvicted when a pod is evicted through the API', async () => {
    await submit({ policies: [{ event: 'PodEvicted', action: 'RestartJob' }] });
    await running();
    const evicted = { namespace, name: `${NAME}-worker-1` };
    await bindPod(client, evicted);
    await evictPod(client, evicted);
    await shows({ retryCount: 1 });
    await endEvictedPod(client, evicted);
    const again = { metadata: { labels: { [LABELS.attempt]: '1' } } };
    await becomes(pods, [again, again, again]);
  });

  it('is aborted by its policy', async () => {
    await submit({ policies: [{ event: 'PodFailed', action: 'AbortJob' }] });
    await running();
    await report('worker-0', 'Failed', 1);
    await shows({ state: { phase: 'Aborted', reason: 'JobAborted' }, failed: 1 });
  });

  it('is stopped, resumed and completed by commands, each of which is deleted', async () => {
    await submit();
    await running();
    await command('AbortJob');
    await arePods();
    await shows({ state: { phase: 'Aborted' } });
    await command('ResumeJob');
    await running();
    await report('worker-1', 'Succeeded');
    await shows({ succeeded: 1 });
    await command('RestartJob');
    const again = { metadata: { labels: { [LABELS.attempt]: '1' } } };
    await becomes(pods, [again, again, again]);
    await running();
    await command('RestartTask');
    await command('CompleteJob');
    await shows({ state: { phase: 'Completed' } });
    await arePods();
    await becomes(events, [
      { reason: 'CommandIssued', note: expect.stringMatching(/^Command hello-abortjob-\w+: AbortJob$/) as string },
      { reason: 'CommandIssued', note: expect.stringContaining('ResumeJob') as string },
      { reason: 'CommandIssued', note: expect.stringContaining('RestartJob') as string },
      { reason: 'CommandIgnored', note: expect.stringContaining('RestartTask. Muster does not support') as string },
      { reason: 'CommandIssued', note: expect.stringContaining('CompleteJob') as string },
    ]);
  });

  it('restarts when it is resumed after its policy has aborted it', async () => {
    await submit({ policies: [{ event: 'PodFailed', action: 'AbortJob' }] });
    await running();
    await report('worker-1', 'Succeeded');
    await report('worker-0', 'Failed', 1);
    await shows({ state: { phase: 'Aborted', reason: 'JobAborted' } });
    await command('ResumeJob');
    const again = { metadata: { labels: { [LABELS.attempt]: '1' } } };
    await becomes(pods, [again, again, again]);
    await running();
    await shows({ retryCount: 1 });
  });

  it('creates pods of a task only after its dependencies run', async () => {
    const tasks = [
      { name: 'master', replicas: 1, template, dependsOn: { name: ['worker'] } },
      { name: 'worker', replicas: 2, template },
    ];
    await submit({ tasks });
    await arePods('worker-0', 'worker-1');
    for (const pod of ['worker-0', 'worker-1']) {
      await report(pod, 'Running');
      const conditions = [{ type: 'Ready', status: 'True' }];
      await client.patchStatus(PODS, key(`${NAME}-${pod}`), { status: { conditions } });
    }
    await arePods('master-0', 'worker-0', 'worker-1');
  });

  it('is refused with the field path of an error, and ignored without a framework', async () => {
    await submit({ plugins: { mpi: ['--slots=some'] } });
    await shows({ state: { phase: 'Failed', message: expect.stringContaining('spec.plugins.mpi[0]') as string } });
    await client.create(VOLCANO_JOBS, {
      metadata: { name: 'other', namespace },
      spec: { plugins: { svc: [] }, tasks: [{ name: 'any', replicas: 1, template }] },
    });
    expect(await pods()).toEqual([]);
    expect((await client.get(VOLCANO_JOBS, key('other'))).status).toBeUndefined();
  });
});

describe('a policy with a timeout', () => {
  it('applies each time that a pod has not started for that time', async () => {
    await submit({ policies: [{ event: 'PodPending', action: 'RestartJob', timeout: '1s' }] });
    await arePods('master-0', 'worker-0', 'worker-1');
    const message = expect.stringContaining('has not started, and spec.maxRetry (3) allows no more restarts') as string;
    await shows({ state: { phase: 'Failed', message }, retryCount: 2 });
  });

  it('does not apply if the pod has started meanwhile', async () => {
    await submit({ policies: [{ event: 'PodPending', action: 'AbortJob', timeout: '1h' }] });
    await running();
    clock.advance(3_600_000);
    await report('worker-1', 'Failed', 1);
    await shows({ state: { phase: 'Running' }, running: 2, failed: 1 });
  });

  it('applies when the pod failed that long ago', async () => {
    await submit({ policies: [{ event: 'PodFailed', action: 'TerminateJob', timeout: '1h' }] });
    await running();
    await report('worker-1', 'Failed', 1);
    await shows({ state: { phase: 'Running' }, running: 2, failed: 1 });
    clock.advance(3_600_000);
    await shows({ state: { phase: 'Terminated' } });
  });
});

/** The events of policies: how worker 1 or the master ends. */
const EVENTS_OF_PODS = {
  PodFailed: { policy: { event: 'PodFailed' }, happens: () => report('worker-1', 'Failed', 1) },
  'exit code 3': { policy: { exitCode: 3 }, happens: () => report('worker-1', 'Failed', 3) },
  PodEvicted: { policy: { event: 'PodEvicted' }, happens: () => evict('worker-1') },
  '*': { policy: { event: '*' }, happens: () => report('worker-1', 'Failed', 1) },
  TaskCompleted: { policy: { event: 'TaskCompleted' }, happens: () => report('master-0', 'Succeeded') },
} as const;

/** The recreated pods, and the phase of the Job. */
const AFTER = {
  RestartPod: { recreated: ['worker-1'], phase: 'Running' },
  RestartTask: { recreated: ['worker-0', 'worker-1'], phase: 'Running' },
  RestartJob: { recreated: ['master-0', 'worker-0', 'worker-1'], phase: 'Running' },
  AbortJob: { phase: 'Aborted' },
  TerminateJob: { phase: 'Terminated' },
  CompleteJob: { phase: 'Completed' },
} as const;

type EventOfPod = keyof typeof EVENTS_OF_PODS;
type Action = keyof typeof AFTER;

const ENDS = ['AbortJob', 'TerminateJob', 'CompleteJob'] as const;
const ALL = ['RestartPod', 'RestartTask', 'RestartJob', ...ENDS] as const;

const PAIRS = [
  ...(['PodFailed', 'exit code 3', 'PodEvicted'] as const).flatMap((event) =>
    ALL.map((action) => [event, action] as const),
  ),
  ...(['*', 'TaskCompleted'] as const).flatMap((event) => ENDS.map((action) => [event, action] as const)),
];

async function evict(pod: string) {
  await client.patchStatus(PODS, key(`${NAME}-${pod}`), {
    status: { phase: 'Failed', reason: 'Evicted', containerStatuses: [] },
  });
}

describe('a policy of a Volcano Job', () => {
  it.each<readonly [event: EventOfPod, action: Action]>(PAIRS)('upon %s: %s', async (event, action) => {
    const { policy, happens } = EVENTS_OF_PODS[event];
    await submit({ policies: [{ ...policy, action }] });
    await running();
    const before = new Map((await pods()).map(({ metadata }) => [metadata?.name, metadata?.uid]));
    await happens();
    const after = AFTER[action];
    if (!('recreated' in after)) return shows({ state: { phase: after.phase } });
    const isRecreated = async () =>
      (await pods())
        .filter(({ metadata }) => before.get(metadata?.name) !== metadata?.uid)
        .map(({ metadata }) => metadata?.name);
    await becomes(
      isRecreated,
      after.recreated.map((pod) => `${NAME}-${pod}`),
    );
    await running();
    expect(await isRecreated()).toEqual(after.recreated.map((pod) => `${NAME}-${pod}`));
  });
});

describe('the CustomResourceDefinition of Volcano Jobs', () => {
  it.each<[what: string, spec: Partial<VolcanoJob['spec']>, message: RegExp]>([
    [
      'an exit code beside an event',
      { policies: [{ action: 'RestartJob', event: 'PodFailed', exitCode: 1 }] },
      /spec\.policies\[0\]\.exitCode.*either an exit code or events/,
    ],
    [
      'an event twice',
      {
        policies: [
          { action: 'RestartJob', event: 'PodFailed' },
          { action: 'AbortJob', event: 'PodFailed' },
        ],
      },
      /spec\.policies.*an event is in two policies/,
    ],
    ['* beside another event', { policies: [{ action: 'AbortJob', events: ['*', 'PodFailed'] }] }, /\* is every event/],
    ['exit code 0', { policies: [{ action: 'AbortJob', exitCode: 0 }] }, /0 is not a failure/],
    [
      'more pods than there are',
      { minAvailable: 4 },
      /spec\.minAvailable.*must not be more than the replicas of all tasks together/,
    ],
    [
      'two tasks of one name',
      { tasks: [1, 2].map(() => ({ name: 'master', replicas: 1, template })) },
      /two tasks have the same name/,
    ],
    [
      'more pods than a task has',
      { tasks: [{ name: 'master', replicas: 1, minAvailable: 2, template }] },
      /minAvailable of a task must not be more/,
    ],
  ])('refuses %s', async (_what, spec, expected) => {
    await expect(submit(spec)).rejects.toThrow(expected);
  });

  it('refuses a change of plugins and tasks, and accepts a change of size', async () => {
    const { spec } = await submit();
    const changed = (change: object) => client.patch(VOLCANO_JOBS, key(NAME), { spec: change });
    await expect(changed({ plugins: { mpi: ['--slots=2'] } })).rejects.toThrow(/spec\.plugins.*field is immutable/);
    await expect(changed({ tasks: spec.tasks.slice(0, 1) })).rejects.toThrow(/spec\.tasks.*may not be added/);
    const [master, worker] = spec.tasks;
    await expect(changed({ tasks: [master, { ...worker, replicas: 3 }] })).resolves.toBeDefined();
  });

  it('accepts a Job as Volcano users write it, with fields that Muster refuses later by name', async () => {
    const tasks = [{ name: 'master', replicas: 1, maxRetry: -1, topologyPolicy: 'none' as const, template }];
    await expect(
      submit({
        tasks,
        policies: [{ event: 'PodPending', action: 'RestartJob', timeout: '1h30m' }],
        runningEstimate: '1h',
      }),
    ).resolves.toBeDefined();
  });
});
