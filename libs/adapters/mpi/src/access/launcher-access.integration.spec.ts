/** Rights of launchers that use `kubectl exec`, and name conflicts of the job's objects, on a real API server. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  EVENTS,
  LABELS,
  MPI_JOBS,
  mpiJobDefinition,
  PODS,
  SERVICES,
  type KubeObject,
  type MPIGeneration,
  type MPIJob,
  type Resource,
} from '@muster/job-api';
import { isKubeError, type Logger } from '@muster/kube';
import { eventually, installCrd, SERVICE_ACCOUNTS, testCluster } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mpiAdapter } from '../mpi-adapter.ts';

const WITHIN_MS = 60_000;
const cluster = await testCluster();
const { client } = cluster;
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const core = { group: '', version: 'v1', namespaced: true } as const;
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true } as const;
const CONFIG_MAPS: Resource = { ...core, kind: 'ConfigMap', plural: 'configmaps' };
const SECRETS: Resource = { ...core, kind: 'Secret', plural: 'secrets' };
const ROLES: Resource = { ...rbac, kind: 'Role', plural: 'roles' };
const ROLE_BINDINGS: Resource = { ...rbac, kind: 'RoleBinding', plural: 'rolebindings' };
const BATCH_JOBS: Resource = { ...core, group: 'batch', kind: 'Job', plural: 'jobs' };
const STATEFUL_SETS: Resource = { ...core, group: 'apps', kind: 'StatefulSet', plural: 'statefulsets' };

let namespace: string;
let elsewhere: string;

const operator = createJobOperator({
  adapters: [mpiAdapter()],
  client,
  registry: new Registry(),
  logger: silent,
  namespaces: await Promise.all([cluster.namespace(), cluster.namespace()]).then((both) => {
    [namespace = '', elsewhere = ''] = both;
    return both;
  }),
  concurrency: 1,
  settings: { serviceMode: 'PerJob', clusterDomain: 'cluster.local' },
  leaderElection: {
    enabled: false,
    namespace: '',
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
  },
  shutdownTimeoutMs: 10_000,
  onLeadershipLost: () => expect.fail('it runs without leader election'),
});

beforeAll(async () => {
  await installCrd(client, crdFor(mpiJobDefinition));
  await operator.start();
  await eventually(() => operator.problems().length === 0, {
    withinMs: WITHIN_MS,
    describe: () => operator.problems(),
  });
});

afterAll(() => operator.stop());

const template = {
  spec: { schedulerName: 'absent', containers: [{ name: 'mpi', image: 'registry.example/pi:1', command: ['mpirun'] }] },
};

function through(generation: MPIGeneration): Resource {
  return { ...MPI_JOBS, version: generation };
}

/** The size of a job by its generation; a launcher of v1alpha1 computes. */
function sizedTo(generation: MPIGeneration, workers: number): Partial<MPIJob['spec']> {
  if (generation === 'v1alpha1') return { replicas: workers + 1 };
  return { mpiReplicaSpecs: { Launcher: { template }, Worker: { replicas: workers, template } } };
}

async function newJob(generation: MPIGeneration, name: string, where = namespace): Promise<void> {
  const spec = { ...sizedTo(generation, 2), ...(generation === 'v1alpha1' && { template }) };
  const manifest = {
    apiVersion: `kubeflow.org/${generation}`,
    kind: 'MPIJob',
    metadata: { name, namespace: where },
    spec,
  };
  await client.create<KubeObject>(through(generation), manifest);
}

function until<T>(what: string, condition: () => Promise<T>) {
  return eventually(condition, { withinMs: WITHIN_MS, describe: what });
}

async function isThere(resource: Resource, name: string, where = namespace): Promise<boolean> {
  try {
    await client.get(resource, { namespace: where, name });
    return true;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return false;
    throw error;
  }
}

interface AccessReview extends KubeObject {
  spec: { resourceAttributes: object };
  status?: { allowed: boolean };
}

const ACCESS_REVIEWS: Resource<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};

interface Request {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly group?: string;
  readonly namespace?: string;
}

const enter = (name: string, where?: string): Request => ({
  verb: 'create',
  resource: 'pods',
  subresource: 'exec',
  name,
  ...(where !== undefined && { namespace: where }),
});

describe.each<{ generation: 'v1' | 'v1alpha1' }>([{ generation: 'v1' }, { generation: 'v1alpha1' }])(
  'the launcher of a $generation job',
  ({ generation }) => {
    const name = `pi-${generation}`;
    const worker = (index: number) => `${name}-worker-${index}`;
    let launcher: ReturnType<typeof cluster.as>;

    async function may(request: Request): Promise<boolean> {
      const resourceAttributes = { group: '', namespace, ...request };
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: ACCESS_REVIEWS.kind, spec: { resourceAttributes } };
      return (await launcher.create(ACCESS_REVIEWS, review)).status?.allowed === true;
    }

    beforeAll(async () => {
      launcher = cluster.as(`system:serviceaccount:${namespace}:${name}-launcher`);
      await newJob(generation, `other-${generation}`);
      await newJob(generation, name, elsewhere);
      await newJob(generation, name);
      await until('the launchers of all jobs have their rights', async () => {
        const bound = [
          isThere(ROLE_BINDINGS, `other-${generation}-launcher`),
          isThere(ROLE_BINDINGS, `${name}-launcher`, elsewhere),
          may(enter(worker(0))),
        ];
        return (await Promise.all(bound)).every(Boolean);
      });
    });

    it('has a ServiceAccount', async () => {
      await expect(client.get(SERVICE_ACCOUNTS, { namespace, name: `${name}-launcher` })).resolves.toBeDefined();
    });

    it.each<[what: string, request: Request]>([
      ['enter its first worker', enter(worker(0))],
      ['enter its last worker', enter(worker(1))],
      ['read a pod', { verb: 'get', resource: 'pods', name: worker(0) }],
      ['list pods', { verb: 'list', resource: 'pods' }],
      ['watch pods', { verb: 'watch', resource: 'pods' }],
    ])('may %s', async (_what, request) => {
      expect(await may(request)).toBe(true);
    });

    it.each<[what: string, request: () => Request]>([
      ['enter a worker that the job does not have', () => enter(worker(2))],
      ['enter a pod whose name starts like that of a worker', () => enter(worker(10))],
      ['enter the launcher', () => enter(`${name}-launcher`)],
      ['enter a worker of another job', () => enter(`other-${generation}-worker-0`)],
      ['enter pods of any name', () => enter('')],
      ['enter pods of other namespaces', () => enter(worker(0), elsewhere)],
      ['enter pods of all namespaces', () => enter(worker(0), '')],
      ['read pods of other namespaces', () => ({ verb: 'list', resource: 'pods', namespace: elsewhere })],
      ['make pods', () => ({ verb: 'create', resource: 'pods' })],
      ['delete its workers', () => ({ verb: 'delete', resource: 'pods', name: worker(0) })],
      ['change its workers', () => ({ verb: 'patch', resource: 'pods', name: worker(0) })],
      ['attach to its workers', () => ({ verb: 'create', resource: 'pods', subresource: 'attach', name: worker(0) })],
      ['read Secrets', () => ({ verb: 'get', resource: 'secrets' })],
      ['list Secrets', () => ({ verb: 'list', resource: 'secrets' })],
      ['read ConfigMaps', () => ({ verb: 'get', resource: 'configmaps' })],
      ['read its own ConfigMap', () => ({ verb: 'get', resource: 'configmaps', name: `${name}-config` })],
      [
        'change its own rights',
        () => ({ verb: 'patch', resource: 'roles', group: rbac.group, name: `${name}-launcher` }),
      ],
      ['read MPIJobs', () => ({ verb: 'get', resource: 'mpijobs', group: MPI_JOBS.group })],
    ])('may not %s', async (_what, request) => {
      expect(await may(request())).toBe(false);
    });

    it('is limited to these rights in requests of its own', async () => {
      await expect(launcher.list(PODS, { namespace })).resolves.toBeDefined();
      await expect(launcher.list(PODS, { namespace: elsewhere })).rejects.toMatchObject({ reason: 'Forbidden' });
      await expect(launcher.list(CONFIG_MAPS, { namespace })).rejects.toMatchObject({ reason: 'Forbidden' });
      await expect(launcher.list(SECRETS, { namespace })).rejects.toMatchObject({ reason: 'Forbidden' });
      const pod = { metadata: { name: 'mine', namespace }, spec: template.spec };
      await expect(launcher.create(PODS, pod)).rejects.toMatchObject({ reason: 'Forbidden' });
    });

    it('can enter exactly the current workers after scaling', async () => {
      const scaleTo = (workers: number) =>
        client.patch(through(generation), { namespace, name }, { spec: sizedTo(generation, workers) });
      await scaleTo(3);
      await until('it may enter the new worker', () => may(enter(worker(2))));
      await scaleTo(1);
      await until('it may not enter those that go', async () => !(await may(enter(worker(1)))));
      expect(await Promise.all([0, 1, 2].map((index) => may(enter(worker(index)))))).toEqual([true, false, false]);
    });
  },
);

interface Holder {
  readonly generation: MPIGeneration;
  readonly resource: Resource;
  readonly end: string;
  readonly object?: object;
}

describe('an object without owner under a name that a job needs', () => {
  it.each<Holder>([
    { generation: 'v2beta1', resource: CONFIG_MAPS, end: '-config', object: { data: { hostfile: 'mine\n' } } },
    { generation: 'v2beta1', resource: SECRETS, end: '-ssh', object: { stringData: { 'ssh-privatekey': 'mine' } } },
    { generation: 'v1', resource: CONFIG_MAPS, end: '-config', object: { data: { hostfile: 'mine\n' } } },
    { generation: 'v1', resource: ROLES, end: '-launcher', object: { rules: [] } },
    { generation: 'v1alpha1', resource: ROLES, end: '-launcher', object: { rules: [] } },
    {
      generation: 'v1alpha1',
      resource: ROLE_BINDINGS,
      end: '-launcher',
      object: { roleRef: { apiGroup: rbac.group, kind: 'Role', name: 'nothing' } },
    },
  ])(
    'is not changed: $resource.kind, in conflict with $generation',
    async ({ generation, resource, end, object = {} }) => {
      const job = `held-${generation}-${resource.kind.toLowerCase()}`;
      const name = `${job}${end}`;
      const held = await client.create(resource, { metadata: { name, namespace }, ...object });

      await newJob(generation, job);
      await until(`an event names ${resource.kind} ${name}`, async () => {
        const { items } = await client.list(EVENTS, { namespace });
        const events = items.filter(({ regarding, reason }) => regarding?.name === job && reason === 'NameTaken');
        return events.some(({ note }) =>
          note?.startsWith(`${resource.kind} ${name} already exists and has no controller`),
        );
      });
      // One worker handles jobs in order: when the second job has workers, the first has been reconciled.
      await newJob('v1', `${job}-after`);
      await until('the job behind it has its workers', () => isThere(PODS as Resource, `${job}-after-worker-1`));
      const labelSelector = `${LABELS.jobName}=${job}`;
      const makers = [PODS as Resource, BATCH_JOBS, STATEFUL_SETS].map(async (each) => {
        const { items } = await client.list(each, { namespace, labelSelector });
        return items.map(({ metadata }) => `${each.kind} ${metadata?.name}`);
      });
      const made = (await Promise.all(makers)).flat();
      // Rights are created after the workers, and the launcher waits for them.
      const waiting = [ROLES.kind, ROLE_BINDINGS.kind].includes(resource.kind);
      expect(waiting ? made.filter((each) => each.includes('-launcher')) : made).toEqual([]);
      expect(await client.get(resource, { namespace, name })).toEqual(held);

      await client.delete(resource, { namespace, name });
      await until('the job continues when the name is free', async () => {
        const { items } = await client.list(generation === 'v1alpha1' ? STATEFUL_SETS : (PODS as Resource), {
          namespace,
          labelSelector,
        });
        return items.length > 0;
      });
    },
  );

  it('is not changed if it is a Service, and the job has one of another name', async () => {
    const key = { namespace, name: 'held-service' };
    const held = await client.create(SERVICES, { metadata: key, spec: { clusterIP: 'None' } });
    await newJob('v2beta1', key.name);
    const pod = { namespace, name: `${key.name}-worker-1` };
    await until('the job has its workers', () => isThere(PODS as Resource, pod.name));
    const { uid = '' } = (await client.get(through('v2beta1'), key)).metadata ?? {};
    expect((await client.get(PODS, pod)).spec?.subdomain).toBe(`${key.name}-${uid.slice(0, 8)}`);
    expect(await client.get(SERVICES, key)).toEqual(held);
  });
});

describe.each<{ generation: 'v1' | 'v1alpha1' }>([{ generation: 'v1' }, { generation: 'v1alpha1' }])(
  'a Role without owner under the name of the launcher of a $generation job',
  ({ generation }) => {
    const name = `granted-${generation}`;
    const key = { namespace: '', name: `${name}-launcher` };
    const bindings: string[] = [];
    const watching = new AbortController();

    beforeAll(async () => {
      key.namespace = namespace;
      const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }];
      await client.create(ROLES, { metadata: key, ...{ rules } });
      const { resourceVersion } = await client.list(ROLE_BINDINGS, { namespace });
      const watch = await client.watch(ROLE_BINDINGS, { namespace, resourceVersion, signal: watching.signal });
      void (async () => {
        for await (const { type, object } of watch) bindings.push(`${type} ${object.metadata?.name}`);
      })().catch(() => undefined);
      await newJob(generation, name);
      await until('the job reports that the name is taken', async () => {
        const { status } = await client.get<MPIJob>(through(generation) as Resource<MPIJob>, { namespace, name });
        return status?.conditions?.some(({ message }) => message?.includes(`Role ${key.name} already exists`)) ?? false;
      });
    });

    afterAll(() => watching.abort());

    const isSeen = (what: string) => until(`${what} is seen`, () => Promise.resolve(bindings.includes(what)));

    it('is not bound to an account', async () => {
      // Earlier writes are observed before this one.
      const marker = { metadata: { name: `${name}-marker`, namespace }, roleRef: { kind: 'Role', name: 'none' } };
      await client.create(ROLE_BINDINGS, { ...marker, ...{ roleRef: { apiGroup: rbac.group, ...marker.roleRef } } });
      await isSeen(`ADDED ${name}-marker`);
      expect(bindings).not.toContain(`ADDED ${key.name}`);
    });

    it("is removed from the job's own binding", async () => {
      const job = await client.get(through(generation), { namespace, name });
      const { uid = '' } = job.metadata ?? {};
      const owner = { apiVersion: 'kubeflow.org/v1', kind: 'MPIJob', name, uid, controller: true };
      await client.create(ROLE_BINDINGS, {
        metadata: { ...key, labels: mpiAdapter().labels.ofJob(name), ownerReferences: [owner] },
        roleRef: { apiGroup: rbac.group, kind: 'Role', name: key.name },
        subjects: [{ kind: 'ServiceAccount', name: key.name, namespace }],
      } as KubeObject);
      await isSeen(`DELETED ${key.name}`);
    });

    it("blocks the job's own rights until it is deleted", async () => {
      await client.delete(ROLES, key);
      await until('the job has its binding', () => isThere(ROLE_BINDINGS, key.name));
      const { metadata } = await client.get(ROLES, key);
      expect(metadata?.ownerReferences).toMatchObject([{ kind: 'MPIJob', name }]);
    });
  },
);
