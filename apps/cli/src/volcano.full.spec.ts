/**
 * The same Jobs under the real Volcano and under Muster: compares their objects and their phases. Without MXNet, which Volcano does not
 * support. Builds Volcano if it is missing, which takes minutes.
 */
import {
  NETWORK_POLICIES,
  PODS,
  SECRETS,
  SERVICES,
  VOLCANO_POD_GROUPS,
  type KubeObject,
  type Resource,
  type VolcanoJob,
} from '@muster/job-api';
import { CONFIG_MAPS } from '@muster/volcano-job';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { differences } from '../test-support/differences.ts';
import { musterSide, volcanoSide, type VolcanoSide } from '../test-support/volcano-sides.ts';

const LIMIT_MS = 600_000;
const BUILD_LIMIT_MS = 3_600_000;

type Spec = VolcanoJob['spec'];
type Policy = NonNullable<Spec['policies']>[number];

const CLAIMS: Resource<KubeObject & { spec?: object }> = {
  ...{ group: '', version: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', namespaced: true },
};

let sides: readonly VolcanoSide[] = [];
const made: string[] = [];

beforeAll(async () => {
  sides = [await volcanoSide()];
  sides = [...sides, await musterSide()];
  const spec = { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } };
  for (const { client } of sides) {
    await client.create(CLAIMS, { metadata: { name: 'datasets', namespace: 'default' }, spec });
  }
}, BUILD_LIMIT_MS);

afterAll(() => Promise.all(sides.map((side) => side.stop())), LIMIT_MS);

afterEach(async () => {
  for (const name of made.splice(0)) await Promise.all(sides.map((side) => side.remove(name)));
}, LIMIT_MS);

/** Runs the same on both, and expects the same result. */
async function onBoth<V>(what: (side: VolcanoSide) => Promise<V>): Promise<V> {
  const [volcano, muster] = await Promise.all(sides.map(what));
  expect(muster, 'what Muster makes of it is what Volcano does').toEqual(volcano);
  return volcano as V;
}

async function submit(side: VolcanoSide, name: string, spec: Spec): Promise<void> {
  if (!made.includes(name)) made.push(name);
  await side.create(name, spec);
}

function task(name: string, replicas: number, container: object = {}, more: Partial<Spec['tasks'][number]> = {}) {
  const containers = [{ name: 'main', image: 'registry.example/train:1', ...container }];
  return { name, replicas, template: { spec: { restartPolicy: 'Never' as const, containers } }, ...more };
}

const JOBS: Readonly<Record<string, Spec>> = {
  tensorflow: {
    minAvailable: 4,
    plugins: { tensorflow: ['--ps=servers', '--worker=trainers', '--chief=lead', '--port=5000'], svc: [], env: [] },
    tasks: [task('servers', 1), task('trainers', 2, { env: [{ name: 'MINE', value: '1' }] }), task('lead', 1)],
  },
  pytorch: {
    minAvailable: 3,
    plugins: { pytorch: ['--master=master', '--worker=worker', '--port=23456'], svc: [] },
    tasks: [task('master', 1), task('worker', 2, { ports: [{ name: 'mine', containerPort: 23456 }] })],
  },
  mpi: {
    minAvailable: 3,
    plugins: { mpi: ['--master=boss', '--worker=hand', '--port=22'], ssh: [], svc: [] },
    tasks: [
      task('boss', 1, { command: ['mpirun', 'hello'] }),
      task('hand', 2, { command: ['sh', '-c', 'sshd -D'], resources: { limits: { cpu: '1' } } }),
    ],
  },
  ray: {
    minAvailable: 3,
    plugins: { ray: ['--head=head', '--worker=node', '--headContainer=main', '--workerContainer=main'], svc: [] },
    tasks: [task('head', 1), task('node', 2)],
  },
  basics: {
    minAvailable: 2,
    queue: 'default',
    plugins: {
      pytorch: [],
      svc: ['--disable-network-policy=true', '--publish-not-ready-addresses=true'],
      ssh: ['--ssh-key-file-path=/home/me/.ssh'],
      env: [],
    },
    volumes: [{ mountPath: '/data', volumeClaimName: 'datasets' }],
    tasks: [task('master', 1), task('worker', 1, { env: [{ name: 'RANK', value: 'mine' }] })],
  },
};

const KINDS: readonly Resource<KubeObject>[] = [
  PODS,
  SERVICES,
  CONFIG_MAPS,
  SECRETS,
  NETWORK_POLICIES,
  VOLCANO_POD_GROUPS,
];

/** Intended differences of Muster: fields and reasons. docs/users/volcano.md has the same. */
const KNOWN: readonly (readonly [field: RegExp, why: string])[] = [
  [/ metadata\.labels\.training\.kubeflow\.org\//, 'by these its operators find what is theirs'],
  [/^Pod \S+ metadata\.annotations\.volcano\.sh\/job-version: /, 'no version of a Job is kept'],
  [/^Pod \S+ spec\.containers\.\S+\.terminationMessagePolicy: /, 'the last lines of a failed program are its message'],
  [/^Pod \S+ spec\.containers\.\S+\.env\.PET_/, 'torchrun reads these'],
  [/^Pod mpi-\S+ spec\.containers\.\S+\.env\.(OMPI|PRTE)_/, 'mpirun finds the hosts without an argument'],
  [/^Pod mpi-\S+ spec\.(volumes\.mpi-mpi|containers\.\S+\.volumeMounts\.\/etc\/mpi)\./, 'the hostfile'],
  [/^ConfigMap mpi-mpi /, 'the hostfile'],
  [/^Pod ray-\S+ spec\.containers\.\S+\.(args|command)\./, 'files may be open, and a user command is kept'],
  [/^Service \S+ spec\.publishNotReadyAddresses: - \| true$/, 'training begins before pods are ready'],
  [/^Service ray-head-svc spec\.ports\.\S+\.targetPort: /, 'numbers, whatever a container calls its ports'],
  [/^NetworkPolicy ray spec\.ingress\.1\./, 'drivers come from elsewhere'],
  [/^Secret \S+ data\.(id_rsa|id_rsa\.pub|authorized_keys): /, 'ECDSA'],
  [/^Secret \S+ data\.config: /, 'with the port, which need not be 22'],
  [/^Pod basics-worker-0 spec\.containers\.main\.env\.RANK\.value: "1" \| "mine"$/, "a user's own variable stays"],
  [/^PodGroup \S+ spec\.minResources/, 'what pods request, without limits and their number'],
  [/^PodGroup \S+ spec\.minTaskMember\.\S+: \d+ \| -$/, 'where all pods have to be there, no task need say it'],
];

/**
 * Without values of the API server and the nodes, and random values. The name of the PodGroup is without the Job's UID; volumes of
 * claims have random names in Volcano.
 */
function compared(object: KubeObject & { spec?: object; data?: Record<string, string> }, job: KubeObject): object {
  const { name = '', uid = '' } = job.metadata ?? {};
  const { labels, annotations, ownerReferences } = object.metadata ?? {};
  const { nodeName: _node, clusterIPs: _ips, clusterIP, ...spec } = (object.spec ?? {}) as Record<string, unknown>;
  const text = JSON.stringify({
    metadata: {
      labels,
      annotations,
      ownerReferences: ownerReferences?.map(({ uid: _uid, ...reference }) => reference),
    },
    ...(object.spec && { spec: { ...spec, ...(clusterIP === 'None' && { clusterIP }) } }),
    ...(object.data && { data: object.data }),
  });
  const same = text
    .replaceAll(`-${uid}`, '')
    .replaceAll(/kube-api-access-\w+/g, 'kube-api-access')
    .replaceAll(new RegExp(`"${name}-[a-z0-9]{12}"`, 'g'), '"job-volume-0"');
  return JSON.parse(same) as object;
}

async function objectsOf(side: VolcanoSide, resource: Resource<KubeObject>, job: string) {
  const { items } = await side.client.list(resource, { namespace: 'default' });
  const own = items.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.name === job));
  const owner = await side.job(job);
  const nameOf = ({ metadata }: KubeObject) => (metadata?.name ?? '').replace(`-${owner.metadata?.uid}`, '');
  return new Map(own.map((object) => [nameOf(object), compared(object, owner)]));
}

describe('the objects of a Job under Volcano and Muster', { timeout: LIMIT_MS }, () => {
  const seen: string[] = [];

  it.each(Object.entries(JOBS))('of %s', async (name, spec) => {
    const count = spec.tasks.reduce((sum, { replicas = 0 }) => sum + replicas, 0);
    await onBoth(async (side) => {
      await submit(side, name, spec);
      await side.until(async () => (await side.pods(name)).length === count, name);
      return side.podNames(name);
    });
    const found: string[] = [];
    for (const resource of KINDS) {
      const [volcano, muster] = await Promise.all(sides.map((side) => objectsOf(side, resource, name)));
      for (const key of new Set([...(volcano?.keys() ?? []), ...(muster?.keys() ?? [])])) {
        const paths = differences(volcano?.get(key), muster?.get(key));
        found.push(...paths.map((path) => `${resource.kind} ${key} ${path}`));
      }
    }
    seen.push(...found);
    expect(found.filter((difference) => !KNOWN.some(([field]) => field.test(difference)))).toEqual([]);
  });

  it('differ in all listed differences', () => {
    expect(KNOWN.filter(([field]) => !seen.some((difference) => field.test(difference)))).toEqual([]);
  });
});

type Step = (side: VolcanoSide, name: string) => Promise<unknown>;

const runs: Step = (side, name) => side.settled(name, 'Running');
const retries: Step = (side, name) => side.retries(name);

function ends(pod: string, exitCode = 0): Step {
  return (side, name) => side.end(`${name}-${pod}`, exitCode);
}

function is(phase: string): Step {
  return (side, name) => side.over(name, phase);
}

function commanded(action: string): Step {
  return (side, name) => side.command(name, action);
}

function scales(replicas: number, minAvailable: number): Step {
  return (side, name) => side.scale(name, 'worker', replicas, minAvailable);
}

function has(...pods: string[]): Step {
  return (side, name) =>
    side.until(async () => {
      expect(await side.podNames(name)).toEqual(pods.map((pod) => `${name}-${pod}`));
      return true;
    }, name);
}

/** After the step, only these pods have been recreated. */
function renews(step: Step, ...pods: string[]): Step {
  return async (side, name) => {
    const uids = async () => new Map((await side.pods(name)).map(({ metadata }) => [metadata?.name, metadata?.uid]));
    const before = await uids();
    await step(side, name);
    await side.until(async () => {
      const others = [...(await uids())].filter(([pod, uid]) => before.get(pod) !== uid).map(([pod]) => pod);
      expect(others).toEqual(pods.map((pod) => `${name}-${pod}`));
      return true;
    }, name);
  };
}

function upon(event: 'PodFailed' | 'TaskCompleted', action: Policy['action']): Partial<Spec> {
  return { policies: [{ event, action }] };
}

/** A master and two workers, further fields of the Job, and the steps. */
const LIVES: Readonly<Record<string, readonly [spec: Partial<Spec>, ...steps: Step[]]>> = {
  'runs, and is completed with its task': [
    upon('TaskCompleted', 'CompleteJob'),
    runs,
    ends('master-0'),
    is('Completed'),
  ],
  'is completed when all have succeeded': [
    {},
    runs,
    ends('worker-0'),
    ends('worker-1'),
    ends('master-0'),
    is('Completed'),
  ],
  'fails when all have ended and one has failed': [
    {},
    runs,
    ends('master-0', 1),
    ends('worker-0'),
    ends('worker-1'),
    is('Failed'),
  ],
  'continues after a failure without a policy': [{}, runs, ends('worker-1', 1), runs],
  'is restarted by a policy': [
    upon('PodFailed', 'RestartJob'),
    runs,
    renews(ends('worker-1', 1), 'master-0', 'worker-0', 'worker-1'),
    runs,
    retries,
  ],
  'restarts the pod': [upon('PodFailed', 'RestartPod'), runs, renews(ends('worker-1', 1), 'worker-1'), runs],
  'restarts the task by the exit code': [
    { policies: [{ exitCode: 3, action: 'RestartTask' }] },
    runs,
    renews(ends('worker-1', 3), 'worker-0', 'worker-1'),
    runs,
  ],
  'is aborted by its policy': [upon('PodFailed', 'AbortJob'), runs, ends('worker-1', 1), is('Aborted')],
  'is terminated by its policy': [upon('PodFailed', 'TerminateJob'), runs, ends('worker-1', 1), is('Terminated')],
  'is completed by its policy': [upon('PodFailed', 'CompleteJob'), runs, ends('worker-1', 1), is('Completed')],
  'has failed with as many restarts as it allows': [
    { ...upon('PodFailed', 'RestartJob'), maxRetry: 1 },
    runs,
    ends('worker-1', 1),
    is('Failed'),
  ],
  'is aborted and resumed by commands': [{}, runs, commanded('AbortJob'), is('Aborted'), commanded('ResumeJob'), runs],
  'is terminated by a command': [{}, runs, commanded('TerminateJob'), is('Terminated')],
  'is completed by a command': [{}, runs, commanded('CompleteJob'), is('Completed')],
  'is restarted by a command': [{}, runs, renews(commanded('RestartJob'), 'master-0', 'worker-0', 'worker-1'), runs],
  'has a task that waits for the other': [
    { tasks: [task('master', 1, {}, { dependsOn: { name: ['worker'] } }), task('worker', 2)], minAvailable: 2 },
    has('master-0', 'worker-0', 'worker-1'),
    runs,
  ],
  'has a task that grows': [{}, runs, scales(3, 4), has('master-0', 'worker-0', 'worker-1', 'worker-2'), runs],
  'has a task that shrinks': [
    { tasks: [task('master', 1), task('worker', 2, {}, { minAvailable: 1 })], minAvailable: 2 },
    runs,
    scales(1, 2),
    has('master-0', 'worker-0'),
    runs,
  ],
  'goes when its time is over': [
    { ...upon('TaskCompleted', 'CompleteJob'), ttlSecondsAfterFinished: 1 },
    runs,
    ends('master-0'),
    (side, name) => side.until(() => side.isGone(name), name),
  ],
};

describe('a Job', { timeout: LIMIT_MS }, () => {
  it.each(Object.entries(LIVES))('%s', async (what, [spec, ...steps]) => {
    const name = `life-${Object.keys(LIVES).indexOf(what)}`;
    const tasks = [task('master', 1), task('worker', 2)];
    await onBoth((side) => submit(side, name, { minAvailable: 3, plugins: { pytorch: [] }, tasks, ...spec }));
    for (const step of steps) await onBoth((side) => step(side, name));
  });
});
