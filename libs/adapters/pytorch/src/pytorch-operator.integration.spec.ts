/** The PyTorch operator on a real API server. Pods do not run; each test reports their status, as a kubelet would. */
import { createJobOperator, type JobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  EVENTS,
  PODS,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  SERVICES,
  type Event,
  type KubeObject,
  type Pod,
  type PyTorchJob,
  type Resource,
} from '@muster/job-api';
import type { Logger } from '@muster/kube';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pytorchAdapter } from './pytorch-adapter.ts';

const cluster = await testCluster();
const { client } = cluster;
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let namespace: string;
let registry: Registry;
let operator: JobOperator;

async function startOperator(): Promise<void> {
  registry = new Registry();
  operator = createJobOperator({
    adapters: [pytorchAdapter()],
    client,
    registry,
    logger: silent,
    namespaces: [namespace],
    concurrency: 4,
    settings: { serviceMode: 'PerJob', clusterDomain: 'cluster.local' },
    leaderElection: {
      enabled: true,
      namespace,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
    },
    shutdownTimeoutMs: 10_000,
    onLeadershipLost: () => expect.fail('leadership was lost'),
  });
  await operator.start();
  await eventually(() => operator.problems().length === 0, { describe: () => operator.problems() });
}

beforeAll(async () => {
  await installCrd(client, crdFor(pytorchJobDefinition));
  namespace = await cluster.namespace();
  await startOperator();
});

afterAll(() => operator.stop());

afterEach(async () => {
  for (const { metadata } of (await client.list(PYTORCH_JOBS, { namespace })).items) {
    await client.delete(PYTORCH_JOBS, { namespace, name: metadata?.name ?? '' });
  }
});

interface JobShape {
  master?: boolean;
  workers?: number;
  restartPolicy?: 'OnFailure' | 'Never' | 'ExitCode';
  annotations?: Record<string, string>;
  podSpec?: object;
}

function job(
  name: string,
  { master = true, workers = 2, restartPolicy = 'OnFailure', annotations, podSpec }: JobShape = {},
): PyTorchJob {
  const role = (replicas: number) => ({
    replicas,
    restartPolicy,
    template: {
      spec: {
        schedulerName: 'absent',
        containers: [{ name: 'pytorch', image: 'registry.example/train:1' }],
        ...podSpec,
      },
    },
  });
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name, namespace, ...(annotations && { annotations }) },
    spec: {
      runPolicy: { suspend: false },
      pytorchReplicaSpecs: { ...(master && { Master: role(1) }), ...(workers > 0 && { Worker: role(workers) }) },
    },
  };
}

const trainer = (more: object) => ({ name: 'pytorch', image: 'registry.example/train:1', ...more });

const jobNamed = (name: string) => client.get(PYTORCH_JOBS, { namespace, name });

async function childrenOf<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T[]> {
  const { items } = await client.list(resource, { namespace, labelSelector: `training.kubeflow.org/job-name=${name}` });
  return items.sort((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
}

const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata?.name);

async function podsToBe(name: string, ...pods: string[]): Promise<Pod[]> {
  let seen: Pod[] = [];
  return eventually(
    async () => {
      seen = await childrenOf(PODS, name);
      return JSON.stringify(namesOf(seen)) === JSON.stringify(pods) && seen;
    },
    { describe: () => ({ expected: pods, seen: namesOf(seen) }) },
  );
}

async function reportPod(name: string, phase: string, exitCode?: number): Promise<void> {
  const terminated = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    finishedAt: '2030-01-01T00:00:00Z',
    startedAt: '2030-01-01T00:00:00Z',
  };
  const status = {
    phase,
    conditions: [
      { type: 'Ready', status: phase === 'Running' ? 'True' : 'False', lastTransitionTime: '2030-01-01T00:00:00Z' },
    ],
    containerStatuses: [
      {
        name: 'pytorch',
        image: 'registry.example/train:1',
        imageID: 'sha256:0',
        ready: phase === 'Running',
        restartCount: 0,
        state: exitCode === undefined ? { running: { startedAt: '2030-01-01T00:00:00Z' } } : { terminated },
      },
    ],
  };
  await client.patchStatus(PODS, { namespace, name }, { status });
}

async function stateToBe(name: string, state: string): Promise<PyTorchJob> {
  let seen: PyTorchJob | undefined;
  return eventually(
    async () => {
      seen = await jobNamed(name);
      return seen.status?.state === state && seen;
    },
    { describe: () => ({ expected: state, status: seen?.status }) },
  );
}

async function eventsOf(name: string): Promise<Event[]> {
  const { items } = await client.list(EVENTS, { namespace });
  return items.filter(({ regarding }) => regarding?.name === name);
}

async function eventToBe(name: string, reason: string): Promise<Event> {
  return eventually(async () => (await eventsOf(name)).find((event) => event.reason === reason), {
    describe: `event ${reason} of ${name}`,
  });
}

async function counter(name: string): Promise<number> {
  const metric = await registry.getSingleMetric(`training_operator_jobs_${name}_total`)?.get();
  return metric?.values[0]?.value ?? 0;
}

describe('a PyTorchJob', () => {
  it('gets its Services and pods, runs, and succeeds with its master', async () => {
    const before = await counter('successful');
    await client.create(PYTORCH_JOBS, job('life'));
    const pods = await podsToBe('life', 'life-master-0', 'life-worker-0', 'life-worker-1');
    expect(namesOf(await childrenOf(SERVICES, 'life'))).toEqual(['life', 'life-master-0']);
    expect(pods[1]?.spec).toMatchObject({ hostname: 'life-worker-0', subdomain: 'life', restartPolicy: 'OnFailure' });

    for (const name of namesOf(pods)) await reportPod(name ?? '', 'Running');
    const running = await eventually(async () => {
      const seen = await jobNamed('life');
      return seen.status?.ready === '3/3' && seen;
    });
    expect(running.status).toMatchObject({
      state: 'Running',
      replicaStatuses: { Master: { active: 1 }, Worker: { active: 2 } },
    });

    await reportPod('life-master-0', 'Succeeded', 0);
    const { status } = await stateToBe('life', 'Succeeded');
    expect(status?.completionTime).toBeDefined();
    expect(status?.conditions?.map(({ type, status: holds }) => `${type}=${holds}`)).toEqual([
      'Created=True',
      'Running=False',
      'Succeeded=True',
    ]);
    await eventToBe('life', 'PyTorchJobSucceeded');
    expect((await counter('successful')) - before).toBe(1);
    expect(namesOf(await childrenOf(PODS, 'life'))).toHaveLength(3);
  });

  it('gets deleted pods back under the same names', async () => {
    await client.create(PYTORCH_JOBS, job('holes', { workers: 1 }));
    const [, worker] = await podsToBe('holes', 'holes-master-0', 'holes-worker-0');
    await client.delete(PODS, { namespace, name: 'holes-worker-0' }, { gracePeriodSeconds: 0 });
    const again = await eventually(async () => {
      const seen = (await childrenOf(PODS, 'holes')).find(({ metadata }) => metadata?.name === 'holes-worker-0');
      return seen?.metadata?.uid !== worker?.metadata?.uid && seen;
    });
    expect(again.metadata?.labels?.['training.kubeflow.org/replica-index']).toBe('0');
  });

  it('recreates a lost replica and counts the restart once', async () => {
    await client.create(PYTORCH_JOBS, job('lost', { workers: 1 }));
    const [, worker] = await podsToBe('lost', 'lost-master-0', 'lost-worker-0');
    await reportPod('lost-master-0', 'Running');
    await reportPod('lost-worker-0', 'Failed', 137);
    await eventually(async () => {
      const seen = (await childrenOf(PODS, 'lost')).find(({ metadata }) => metadata?.name === 'lost-worker-0');
      return seen !== undefined && seen.metadata?.uid !== worker?.metadata?.uid;
    });
    const { status } = await stateToBe('lost', 'Restarting');
    expect(status?.restartCount).toBe(1);
    expect(status?.conditions?.at(-1)?.message).toContain('pod lost-worker-0, container pytorch: exit code 137');

    await reportPod('lost-worker-0', 'Running');
    const after = await stateToBe('lost', 'Running');
    expect(after.status?.restartCount).toBe(1);
  });

  it('fails with the cause when a replica fails without a retry', async () => {
    await client.create(PYTORCH_JOBS, job('broken', { workers: 1, restartPolicy: 'ExitCode' }));
    await podsToBe('broken', 'broken-master-0', 'broken-worker-0');
    await reportPod('broken-worker-0', 'Failed', 3);
    const { status } = await stateToBe('broken', 'Failed');
    expect(status?.conditions?.at(-1)).toMatchObject({
      reason: 'PyTorchJobFailed',
      message:
        'PyTorchJob broken is failed because 1 Worker replica(s) failed. First: pod broken-worker-0, container pytorch: exit code 3 (Error)',
    });
  });

  it('gets a Service for each replica, and no host names, in mode PerReplica', async () => {
    await client.create(PYTORCH_JOBS, job('each', { annotations: { 'muster.dev/service-mode': 'PerReplica' } }));
    const pods = await podsToBe('each', 'each-master-0', 'each-worker-0', 'each-worker-1');
    expect(namesOf(await childrenOf(SERVICES, 'each'))).toEqual(['each-master-0', 'each-worker-0', 'each-worker-1']);
    expect(pods[0]?.spec?.subdomain).toBeUndefined();
  });

  it('whose ports share numbers and protocols gets valid Services', async () => {
    const ports = [
      { containerPort: 53, protocol: 'TCP' },
      { containerPort: 53, protocol: 'UDP' },
      { name: 'http', containerPort: 8080 },
      { name: 'metrics', containerPort: 8080 },
      { name: '', containerPort: 9000 },
      { name: 'port-9001', containerPort: 9002 },
      { containerPort: 9001 },
    ];
    await client.create(PYTORCH_JOBS, job('ports', { workers: 0, podSpec: { containers: [trainer({ ports })] } }));
    await podsToBe('ports', 'ports-master-0');
    const service = await client.get(SERVICES, { namespace, name: 'ports-master-0' });
    expect(service.spec?.ports?.map(({ name, port, protocol }) => [name, port, protocol])).toEqual([
      ['port-53', 53, 'TCP'],
      ['port-53-udp', 53, 'UDP'],
      ['http', 8080, 'TCP'],
      ['port-9000', 9000, 'TCP'],
      ['port-9001', 9002, 'TCP'],
      ['port-9001-tcp', 9001, 'TCP'],
      ['pytorchjob-port', 23456, 'TCP'],
    ]);
  });

  it("may name its port otherwise in the host's network, where a pod must not have a port twice", async () => {
    const podSpec = { hostNetwork: true, containers: [trainer({ ports: [{ containerPort: 23_456 }] })] };
    await client.create(PYTORCH_JOBS, job('host-ports', { workers: 0, podSpec }));
    const [pod] = await podsToBe('host-ports', 'host-ports-master-0');
    expect(pod?.spec?.containers[0]?.ports).toEqual([{ containerPort: 23_456, hostPort: 23_456, protocol: 'TCP' }]);
  });

  it('is scaled down by its highest indexes', async () => {
    await client.create(PYTORCH_JOBS, job('shrink', { master: false, workers: 3 }));
    await podsToBe('shrink', 'shrink-worker-0', 'shrink-worker-1', 'shrink-worker-2');
    await client.patch(
      PYTORCH_JOBS,
      { namespace, name: 'shrink' },
      { spec: { replicas: 1 } },
      { subresource: 'scale' },
    );
    await podsToBe('shrink', 'shrink-worker-0');
  });

  it('of another manager is not changed', async () => {
    const foreign = job('foreign');
    foreign.spec.runPolicy.managedBy = 'kueue.x-k8s.io/multikueue';
    await client.create(PYTORCH_JOBS, foreign);
    await client.create(PYTORCH_JOBS, job('after'));
    await podsToBe('after', 'after-master-0', 'after-worker-0', 'after-worker-1');
    expect((await jobNamed('foreign')).status).toBeUndefined();
    expect(await childrenOf(PODS, 'foreign')).toEqual([]);
  });
});

describe('an object of another owner', () => {
  it("is not changed: with a Service of the job's name, the job's own has another name", async () => {
    await client.create(SERVICES, { metadata: { name: 'taken', namespace }, spec: { ports: [{ port: 80 }] } });
    await client.create(PYTORCH_JOBS, job('taken', { workers: 1 }));
    const [pod] = await podsToBe('taken', 'taken-master-0', 'taken-worker-0');
    const uid = (await jobNamed('taken')).metadata?.uid ?? '';
    const own = `taken-${uid.slice(0, 8)}`;
    expect(pod?.spec).toMatchObject({
      subdomain: own,
      dnsConfig: { searches: [`${own}.${namespace}.svc.cluster.local`] },
    });
    expect(namesOf(await childrenOf(SERVICES, 'taken'))).toEqual([own, 'taken-master-0']);
    const theirs = await client.get(SERVICES, { namespace, name: 'taken' });
    expect(theirs.metadata?.ownerReferences).toBeUndefined();
  });

  it('is named in an event if it has the name of a pod', async () => {
    const name = 'squat-worker-0';
    const theirs = await client.create(PODS, {
      metadata: { name, namespace },
      spec: { schedulerName: 'absent', containers: [{ name: 'c', image: 'registry.example/x:1' }] },
    });
    await client.create(PYTORCH_JOBS, job('squat', { workers: 1 }));
    const { note } = await eventToBe('squat', 'NameTaken');
    expect(note).toContain('Pod squat-worker-0 already exists and has no controller');
    expect((await client.get(PODS, { namespace, name })).metadata?.uid).toBe(theirs.metadata?.uid);
  });

  it("blocks the job if it is a Service of a peer's name, and is reported at intervals", async () => {
    const name = 'stranger-master-0';
    await client.create(SERVICES, { metadata: { name, namespace }, spec: { ports: [{ port: 80 }] } });
    await client.create(PYTORCH_JOBS, job('stranger', { workers: 1 }));
    const { note } = await eventToBe('stranger', 'NameTaken');
    expect(note).toContain('Service stranger-master-0 already exists and has no controller');
    await client.create(PYTORCH_JOBS, job('neighbour', { workers: 1 }));
    await podsToBe('neighbour', 'neighbour-master-0', 'neighbour-worker-0');
    expect(await childrenOf(PODS, 'stranger')).toEqual([]);
    const events = (await eventsOf('stranger')).filter(({ reason }) => reason === 'NameTaken');
    expect(events.map(({ series }) => series?.count ?? 1)).toEqual([1]);
  });

  it('is adopted if it has no owner and the labels of the job', async () => {
    const name = 'orphan-worker-0';
    const labels = {
      'training.kubeflow.org/job-name': 'orphan',
      'training.kubeflow.org/operator-name': 'pytorchjob-controller',
      'training.kubeflow.org/replica-type': 'worker',
      'training.kubeflow.org/replica-index': '0',
    };
    const pod = await client.create(PODS, {
      metadata: { name, namespace, labels },
      spec: { schedulerName: 'absent', containers: [{ name: 'pytorch', image: 'registry.example/x:1' }] },
    });
    const { metadata } = await client.create(PYTORCH_JOBS, job('orphan', { workers: 1 }));
    const adopted = await eventually(async () => {
      const seen = await client.get(PODS, { namespace, name });
      return seen.metadata?.ownerReferences !== undefined && seen;
    });
    expect(adopted.metadata?.uid).toBe(pod.metadata?.uid);
    expect(adopted.metadata?.ownerReferences).toMatchObject([
      { kind: 'PyTorchJob', uid: metadata?.uid, controller: true },
    ]);
  });
});

describe('a template that the API server refuses', () => {
  const badMount = {
    containers: [
      { name: 'pytorch', image: 'registry.example/train:1', volumeMounts: [{ name: 'nowhere', mountPath: '/data' }] },
    ],
  };

  it.each([
    ['cannot be read as a pod', { hostAliases: 'localhost' }, 'cannot unmarshal string'],
    [
      'has an invalid quantity',
      { containers: [trainer({ resources: { limits: { cpu: 'abc' } } })] },
      'quantities must match',
    ],
  ])('is InvalidSpec when it %s', async (what, podSpec, expected) => {
    const name = what.replaceAll(' ', '-');
    await client.create(PYTORCH_JOBS, job(name, { podSpec }));
    const { status } = await stateToBe(name, 'Failed');
    expect(status?.conditions?.at(-1)).toMatchObject({ reason: 'InvalidSpec' });
    expect(status?.conditions?.at(-1)?.message).toContain(expected);
  });

  it("is InvalidSpec with the server's message and one event, and a corrected spec recovers", async () => {
    await client.create(PYTORCH_JOBS, job('refused', { podSpec: badMount }));
    const { status } = await stateToBe('refused', 'Failed');
    const failed = status?.conditions?.at(-1);
    expect(failed?.reason).toBe('InvalidSpec');
    expect(failed?.message).toContain('spec.containers[0].volumeMounts[0].name: Not found: "nowhere"');
    await eventToBe('refused', 'InvalidSpec');
    expect((await eventsOf('refused')).filter(({ type }) => type === 'Warning')).toHaveLength(1);

    const corrected = job('refused');
    await client.patch(PYTORCH_JOBS, { namespace, name: 'refused' }, { spec: corrected.spec });
    await podsToBe('refused', 'refused-master-0', 'refused-worker-0', 'refused-worker-1');
    const recovered = await stateToBe('refused', 'Created');
    expect(recovered.status?.completionTime).toBeUndefined();
  });
});

describe('a restarted operator', () => {
  it('continues where the last one stopped, and counts nothing again', async () => {
    await client.create(PYTORCH_JOBS, job('handover', { workers: 1 }));
    const pods = await podsToBe('handover', 'handover-master-0', 'handover-worker-0');
    for (const name of namesOf(pods)) await reportPod(name ?? '', 'Running');
    await stateToBe('handover', 'Running');
    await operator.stop();
    await reportPod('handover-master-0', 'Succeeded', 0);
    await startOperator();
    await stateToBe('handover', 'Succeeded');
    expect(namesOf(await podsToBe('handover', 'handover-master-0', 'handover-worker-0'))).toEqual(namesOf(pods));
    // The status is written before the counters, and the event after them.
    await eventToBe('handover', 'PyTorchJobSucceeded');
    expect(await counter('created')).toBe(0);
    expect(await counter('successful')).toBe(1);
  });
});
