import { newWorld, planJob, type World } from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import { LABELS, type JobStatus, type Pod, type PyTorchJob, type Service } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { pytorchAdapter } from './pytorch-adapter.ts';

const NOW = Date.UTC(2030, 0, 1, 12);
const UID = '11111111-2222-3333-4444-555555555555';
const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
const adapter = pytorchAdapter();

interface JobOptions {
  workers?: number;
  master?: boolean;
  restartPolicy?: 'Always' | 'OnFailure' | 'Never' | 'ExitCode';
  runPolicy?: Partial<PyTorchJob['spec']['runPolicy']>;
  status?: JobStatus;
  generation?: number;
  annotations?: Record<string, string>;
}

function job(options: JobOptions = {}): PyTorchJob {
  const { workers = 2, master = true, restartPolicy = 'OnFailure', runPolicy, status, generation = 1 } = options;
  const role = (replicas: number) => ({
    replicas,
    restartPolicy,
    template: { spec: { containers: [{ name: 'pytorch', image: 'train:1' }] } },
  });
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: {
      name: 'mnist',
      namespace: 'team',
      uid: UID,
      generation,
      resourceVersion: '7',
      ...(options.annotations && { annotations: options.annotations }),
    },
    spec: {
      runPolicy: { suspend: false, ...runPolicy },
      pytorchReplicaSpecs: { ...(master && { Master: role(1) }), ...(workers > 0 && { Worker: role(workers) }) },
    },
    ...(status && { status }),
  };
}

interface PodOptions {
  phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  exitCode?: number;
  owner?: { uid: string; kind: string; name: string } | 'none';
  terminating?: boolean;
}

function ownerOf(owner: PodOptions['owner']) {
  if (owner === 'none') return {};
  const { uid, kind, name } = owner ?? { uid: UID, kind: 'PyTorchJob', name: 'mnist' };
  return { ownerReferences: [{ apiVersion: 'kubeflow.org/v1', kind, name, uid, controller: true }] };
}

function pod(role: string, index: number, { phase = 'Running', exitCode, owner, terminating }: PodOptions = {}): Pod {
  const name = `mnist-${role}-${index}`;
  return {
    metadata: {
      name,
      namespace: 'team',
      uid: `uid-${name}`,
      labels: { [LABELS.jobName]: 'mnist', [LABELS.replicaType]: role, [LABELS.replicaIndex]: String(index) },
      ...ownerOf(owner),
      ...(terminating && { deletionTimestamp: '2030-01-01T11:00:00Z' }),
    },
    spec: { containers: [], subdomain: 'mnist' },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False' }],
      ...(exitCode !== undefined && {
        containerStatuses: [
          {
            name: 'pytorch',
            image: '',
            imageID: '',
            ready: false,
            restartCount: 0,
            state: { terminated: { exitCode, reason: 'Error', message: 'boom' } },
          },
        ],
      }),
    },
  };
}

function service(name: string, role?: string, owner?: PodOptions['owner']): Service {
  return {
    metadata: {
      name,
      namespace: 'team',
      uid: `uid-${name}`,
      labels: { [LABELS.jobName]: 'mnist', ...(role && { [LABELS.replicaType]: role }) },
      ...ownerOf(owner),
    },
  };
}

const SERVICES_PER_JOB = [service('mnist'), service('mnist-master-0', 'master')];

function world(manifest: PyTorchJob, parts: Partial<World> = {}): World<PyTorchJob> {
  return { ...newWorld(manifest, NOW), services: SERVICES_PER_JOB, ...parts, manifest };
}

const plan = (manifest: PyTorchJob, parts?: Partial<World>) =>
  planned(planJob(adapter, world(manifest, parts), SETTINGS));
const names = (objects: readonly { metadata?: { name?: string } }[]) => objects.map(({ metadata }) => metadata?.name);
const trueConditions = (status: JobStatus | undefined) =>
  status?.conditions?.filter(({ status: holds }) => holds === 'True').map(({ type }) => type);
const running = [pod('master', 0), pod('worker', 0), pod('worker', 1)];

/** The status after a reconcile run for each of `worlds`, each starting with the status of the previous one. */
function history(manifest: PyTorchJob, ...worlds: Partial<World>[]): JobStatus {
  return worlds.reduce<JobStatus>(
    (status, parts) => plan({ ...manifest, status }, parts).status ?? status,
    manifest.status ?? {},
  );
}

describe('planJob', () => {
  it('creates the Services of a new job, then its pods, with condition Created', () => {
    const { create, status, counters, events } = plan(job(), { services: [] });
    expect(names(create.services)).toEqual(['mnist', 'mnist-master-0']);
    expect(names(create.pods)).toEqual(['mnist-master-0', 'mnist-worker-0', 'mnist-worker-1']);
    expect(status).toMatchObject({
      state: 'Created',
      ready: '0/3',
      startTime: '2030-01-01T12:00:00Z',
      restartCount: 0,
    });
    expect(status?.conditions).toMatchObject([
      { type: 'Created', reason: 'PyTorchJobCreated', message: 'PyTorchJob mnist is created.' },
    ]);
    expect(counters).toEqual(['created']);
    expect(events).toEqual([]);
  });

  it('returns the same plan for the same world, and an empty one once its status is written', () => {
    const first = plan(job(), { pods: running });
    expect(plan(job(), { pods: running })).toEqual(first);
    const again = plan(job({ ...(first.status && { status: first.status }) }), { pods: running, nowMs: NOW + 60_000 });
    expect(again.status).toBeUndefined();
    expect([again.create.pods, again.create.services, again.remove.pods, again.events, again.counters].flat()).toEqual(
      [],
    );
  });

  it('ignores a job that is being deleted or has another manager', () => {
    const deleted = job();
    deleted.metadata = { ...deleted.metadata, deletionTimestamp: '2030-01-01T11:00:00Z' };
    for (const manifest of [deleted, job({ runPolicy: { managedBy: 'kueue.x-k8s.io/multikueue' } })]) {
      expect(plan(manifest).status).toBeUndefined();
      expect(plan(manifest).create.pods).toEqual([]);
    }
  });

  it('runs a job that names this operator as its manager', () => {
    expect(plan(job({ runPolicy: { managedBy: 'kubeflow.org/training-operator' } })).create.pods).toHaveLength(3);
  });

  it('counts replicas by role and writes the selector for autoscalers', () => {
    const { status } = plan(job(), {
      pods: [pod('master', 0), pod('worker', 0, { phase: 'Pending' }), pod('worker', 1)],
    });
    expect(status?.replicaStatuses?.Worker).toEqual({
      active: 1,
      selector:
        'training.kubeflow.org/job-name=mnist,training.kubeflow.org/operator-name=pytorchjob-controller,training.kubeflow.org/replica-type=worker',
    });
    expect(status?.ready).toBe('2/3');
  });

  it('creates a missing pod and no other', () => {
    expect(names(plan(job(), { pods: [running[0]!, running[2]!] }).create.pods)).toEqual(['mnist-worker-0']);
  });

  it('waits while a terminating pod still has the name', () => {
    const pods = [running[0]!, running[1]!, pod('worker', 1, { terminating: true })];
    expect(plan(job(), { pods }).create.pods).toEqual([]);
  });

  it('deletes pods beyond the replicas', () => {
    const { remove } = plan(job({ workers: 1 }), { pods: running });
    expect(names(remove.pods)).toEqual(['mnist-worker-1']);
  });
});

describe('planJob: outcome', () => {
  const finished = { phase: 'Succeeded', exitCode: 0 } as const;
  const lost = { phase: 'Failed' } as const;

  const cases: {
    name: string;
    job?: JobOptions;
    pods: Pod[];
    conditions: string[];
  }[] = [
    { name: 'is Running when the master runs', pods: running, conditions: ['Created', 'Running'] },
    {
      name: 'is not Running when only workers run',
      pods: [pod('master', 0, { phase: 'Pending' }), pod('worker', 0)],
      conditions: ['Created'],
    },
    {
      name: 'succeeds with its master',
      pods: [pod('master', 0, finished), pod('worker', 0), pod('worker', 1)],
      conditions: ['Created', 'Succeeded'],
    },
    {
      name: 'succeeds with its master though a worker has failed',
      job: { restartPolicy: 'Never' },
      pods: [pod('master', 0, finished), pod('worker', 0, { phase: 'Failed', exitCode: 1 })],
      conditions: ['Created', 'Succeeded'],
    },
    {
      name: 'fails with a replica under Never',
      job: { restartPolicy: 'Never' },
      pods: [pod('master', 0), pod('worker', 0, { phase: 'Failed', exitCode: 1 }), pod('worker', 1)],
      conditions: ['Created', 'Failed'],
    },
    {
      name: 'restarts a lost pod under OnFailure',
      pods: [pod('master', 0), pod('worker', 0, lost), pod('worker', 1)],
      conditions: ['Created', 'Restarting'],
    },
    {
      name: 'fails on a permanent code under ExitCode',
      job: { restartPolicy: 'ExitCode' },
      pods: [pod('master', 0), pod('worker', 0, { phase: 'Failed', exitCode: 1 }), pod('worker', 1)],
      conditions: ['Created', 'Failed'],
    },
    {
      name: 'restarts on a retryable code under ExitCode',
      job: { restartPolicy: 'ExitCode' },
      pods: [pod('master', 0), pod('worker', 0, { phase: 'Failed', exitCode: 137 }), pod('worker', 1)],
      conditions: ['Created', 'Restarting'],
    },
    {
      name: 'restarts under ExitCode when the exit code is unknown',
      job: { restartPolicy: 'ExitCode' },
      pods: [pod('master', 0), pod('worker', 0, lost), pod('worker', 1)],
      conditions: ['Created', 'Restarting'],
    },
    {
      name: 'without a master succeeds when all workers have',
      job: { master: false },
      pods: [pod('worker', 0, finished), pod('worker', 1, finished)],
      conditions: ['Created', 'Succeeded'],
    },
    {
      name: 'without a master runs on while one worker still works',
      job: { master: false },
      pods: [pod('worker', 0, finished), pod('worker', 1)],
      conditions: ['Created', 'Running'],
    },
  ];

  it.each(cases)('$name', ({ job: options, pods, conditions }) => {
    expect(trueConditions(plan(job(options), { pods }).status)).toEqual(conditions);
  });

  it('ends with exactly one terminal condition, Running false, and a completion time', () => {
    const status = history(job(), { pods: running }, { pods: [pod('master', 0, finished), ...running.slice(1)] });
    expect(trueConditions(status)).toEqual(['Created', 'Succeeded']);
    expect(status.conditions?.map(({ type, status: holds }) => [type, holds])).toEqual([
      ['Created', 'True'],
      ['Running', 'False'],
      ['Succeeded', 'True'],
    ]);
    expect(status).toMatchObject({ state: 'Succeeded', completionTime: '2030-01-01T12:00:00Z' });
  });

  it('reports pod, container, exit code and last output of the first failure', () => {
    const pods = [pod('master', 0), pod('worker', 0, { phase: 'Failed', exitCode: 3 }), pod('worker', 1)];
    const { status, events } = plan(job({ restartPolicy: 'Never' }), { pods });
    const message =
      'PyTorchJob mnist is failed because 1 Worker replica(s) failed. First: pod mnist-worker-0, container pytorch: exit code 3 (Error): boom';
    expect(status?.conditions?.at(-1)).toMatchObject({ reason: 'PyTorchJobFailed', message });
    expect(events).toEqual([{ type: 'Warning', reason: 'PyTorchJobFailed', note: message, action: 'UpdateStatus' }]);
  });

  it('counts a restart once, and has condition Restarting until every replica runs again', () => {
    const failed = [pod('master', 0), pod('worker', 0, lost), pod('worker', 1)];
    const first = plan(job(), { pods: failed });
    expect(first.status?.restartCount).toBe(1);
    expect(first.counters).toEqual(['created', 'restarted']);
    expect(names(first.remove.pods)).toEqual(['mnist-worker-0']);

    const counted = { ...job(), status: first.status! };
    const again = plan(counted, { pods: failed });
    expect(again.status).toBeUndefined();
    expect(names(again.remove.pods)).toEqual(['mnist-worker-0']);

    const gone = plan(counted, { pods: [failed[0]!, failed[2]!] });
    expect(names(gone.create.pods)).toEqual(['mnist-worker-0']);
    expect(gone.status?.state ?? first.status?.state).toBe('Restarting');
    expect(trueConditions(plan(counted, { pods: running }).status)).toEqual(['Created', 'Running']);
  });
});

describe('planJob: a terminating pod', () => {
  it('has succeeded if it exited with 0, and is not waited for', () => {
    const pods = [pod('master', 0, { phase: 'Succeeded', terminating: true }), ...running.slice(1)];
    expect(trueConditions(plan(job(), { pods }).status)).toEqual(['Created', 'Succeeded']);
  });

  it('has not failed, whatever its exit code, because it was deleted', () => {
    const pods = [running[0]!, pod('worker', 0, { phase: 'Failed', exitCode: 143, terminating: true }), running[2]!];
    const { status, create } = plan(job({ restartPolicy: 'Never' }), { pods });
    expect(trueConditions(status)).toEqual(['Created', 'Running']);
    expect([status?.restartCount, create.pods]).toEqual([0, []]);
  });
});

describe('planJob: a finished job', () => {
  it('keeps its final counts: replicas that still ran count as succeeded', () => {
    expect(succeeded.replicaStatuses?.Worker).toMatchObject({ succeeded: 2 });
    expect(succeeded.replicaStatuses?.Worker?.active).toBeUndefined();
    expect(succeeded.ready).toBe('3/3');
  });

  it('does not count a restart that will not happen', () => {
    const pods = [pod('master', 0, { phase: 'Succeeded' }), pod('worker', 0, { phase: 'Failed' }), pod('worker', 1)];
    const { status, counters } = plan(job(), { pods });
    expect([status?.state, status?.restartCount, counters]).toEqual(['Succeeded', 0, ['created', 'successful']]);
  });

  const succeeded = history(job(), { pods: [pod('master', 0, { phase: 'Succeeded' }), ...running.slice(1)] });
  const pods = [
    pod('master', 0, { phase: 'Succeeded' }),
    pod('worker', 0, { phase: 'Running' }),
    pod('worker', 1, { phase: 'Pending' }),
  ];

  it.each([
    { policy: undefined, removed: [], services: [] },
    { policy: 'None', removed: [], services: [] },
    { policy: 'Running', removed: ['mnist-worker-0', 'mnist-worker-1'], services: ['mnist', 'mnist-master-0'] },
    {
      policy: 'All',
      removed: ['mnist-master-0', 'mnist-worker-0', 'mnist-worker-1'],
      services: ['mnist', 'mnist-master-0'],
    },
  ] as const)('with cleanPodPolicy $policy deletes $removed', ({ policy, removed, services }) => {
    const runPolicy = policy === undefined ? {} : { cleanPodPolicy: policy };
    const { remove, create, status } = plan(job({ runPolicy, status: succeeded }), { pods });
    expect(names(remove.pods)).toEqual(removed);
    expect(names(remove.services)).toEqual(services);
    expect(create.pods).toEqual([]);
    expect(status).toBeUndefined();
  });

  it('never creates pods again, whatever happened to them', () => {
    expect(plan(job({ status: succeeded }), { pods: [] }).create).toEqual({ pods: [], services: [] });
  });
});

describe('planJob: names and owners', () => {
  const other = { uid: 'other', kind: 'StatefulSet', name: 'mnist' };
  const earlier = { uid: 'earlier', kind: 'PyTorchJob', name: 'mnist' };

  it('adopts a pod without owner and creates no second one', () => {
    const orphan = pod('worker', 1, { owner: 'none' });
    const { adopt, create } = plan(job(), { pods: [running[0]!, running[1]!, orphan] });
    expect(adopt.pods).toEqual([orphan]);
    expect(create.pods).toEqual([]);
  });

  it('never changes a pod of another owner, and checks its name again later', () => {
    const { adopt, remove, create, requeueAfterMs } = plan(job(), {
      pods: [running[0]!, running[1]!, pod('worker', 1, { owner: other })],
    });
    expect([adopt.pods, remove.pods, create.pods].flat()).toEqual([]);
    expect(requeueAfterMs).toBe(30_000);
  });

  it('waits for the pods and Services of an earlier job of the same name', () => {
    const { create, adopt, remove } = plan(job(), {
      pods: [pod('worker', 0, { owner: earlier })],
      services: [service('mnist', undefined, earlier)],
    });
    expect(names(create.services)).toEqual(['mnist-master-0']);
    expect([create.pods, adopt.services, remove.services].flat()).toEqual([]);
  });

  it('adopts the Service of the job as well, and keeps its name', () => {
    const orphan = service('mnist', undefined, 'none');
    const { adopt, create } = plan(job(), { services: [orphan] });
    expect(adopt.services).toEqual([orphan]);
    expect(names(create.services)).toEqual(['mnist-master-0']);
    expect(create.pods[0]?.spec?.subdomain).toBe('mnist');
  });

  it('waits for a terminating pod without owner', () => {
    const { create } = plan(job(), { pods: [pod('worker', 1, { owner: 'none', terminating: true })] });
    expect(create.pods).toEqual([]);
  });

  it('creates no pod while a foreign Service has a name that peers would use', () => {
    const { create, requeueAfterMs } = plan(job(), {
      services: [],
      conflictingServices: new Map([['mnist-master-0', 'it is taken']]),
    });
    expect([names(create.services), create.pods, requeueAfterMs]).toEqual([['mnist'], [], 30_000]);
  });

  it('recreates a deleted Service of the job under the name that its pods use', () => {
    const pods = running.map((each) => ({ ...each, spec: { containers: [], subdomain: 'mnist-11111111' } }));
    expect(names(plan(job(), { pods, services: [] }).create.services)).toEqual(['mnist-11111111', 'mnist-master-0']);
  });

  it('creates no pod while one of an earlier job of the same name exists', () => {
    const { create } = plan(job({ workers: 1 }), { pods: [pod('worker', 7, { owner: earlier, terminating: true })] });
    expect(create.pods).toEqual([]);
  });

  it("gives the job's Service another name if a foreign one has the job's name", () => {
    const { create } = plan(job(), { services: [], conflictingServices: new Map([['mnist', 'it is taken']]) });
    expect(names(create.services)).toEqual(['mnist-11111111', 'mnist-master-0']);
    expect(create.pods[0]?.spec).toMatchObject({
      subdomain: 'mnist-11111111',
      dnsConfig: { searches: ['mnist-11111111.team.svc.cluster.local'] },
    });
  });

  it("keeps the job's first Service name, also after the job's name is free again", () => {
    const services = [service('mnist-11111111'), service('mnist-master-0', 'master')];
    expect(plan(job(), { services }).create.pods[0]?.spec?.subdomain).toBe('mnist-11111111');
  });

  it.each([
    { mode: 'PerReplica', annotations: { 'muster.dev/service-mode': 'PerReplica' }, services: [] },
    { mode: 'PerReplica', annotations: {}, services: [service('mnist-worker-0', 'worker')] },
  ])('is $mode by $annotations and existing objects', ({ annotations, services }) => {
    const { create } = plan(job({ annotations }), { services });
    expect(create.pods[0]?.spec?.subdomain).toBeUndefined();
    expect(names([...services, ...create.services]).sort()).toEqual([
      'mnist-master-0',
      'mnist-worker-0',
      'mnist-worker-1',
    ]);
  });
});

describe('planJob: an invalid job', () => {
  const invalidObject = { generation: 1, message: 'spec.containers[0].image: Required value' };
  const masters = (generation: number): PyTorchJob => {
    const manifest = job({ generation });
    manifest.spec.pytorchReplicaSpecs.Master!.replicas = 2;
    return manifest;
  };

  it('fails as InvalidSpec, with the field path, one event and no pod', () => {
    const { status, events, create, counters } = plan(masters(1), { services: [] });
    const failed = status?.conditions?.at(-1);
    expect(failed).toMatchObject({ type: 'Failed', status: 'True', reason: 'InvalidSpec' });
    expect(failed?.message).toContain('spec.pytorchReplicaSpecs[Master].replicas');
    expect(status).toMatchObject({ state: 'Failed', observedGeneration: 1 });
    expect(events).toMatchObject([{ type: 'Warning', reason: 'InvalidSpec' }]);
    expect(create).toEqual({ pods: [], services: [] });
    expect(counters).toEqual(['created', 'failed']);
  });

  it('deletes pods in each run, as the first deletion may have failed', () => {
    const status = history(masters(1), {});
    expect(names(plan({ ...masters(1), status }, { pods: running }).remove.pods)).toEqual(names(running));
  });

  it('does not end if it runs: the rule is newer than the job', () => {
    const status = history(job(), { pods: running });
    const { remove, status: next } = plan({ ...masters(1), status }, { pods: running });
    expect([remove.pods, next?.state ?? status.state]).toEqual([[], 'Running']);
  });

  it('is not reported again until the spec is changed, and then starts', () => {
    const invalid = history(masters(1), {});
    const again = plan({ ...masters(1), status: invalid });
    expect([again.status, again.events.length, again.requeueAfterMs]).toEqual([undefined, 0, undefined]);

    const { status, create } = plan(job({ generation: 2, status: invalid }));
    expect(trueConditions(status)).toEqual(['Created']);
    expect(status?.completionTime).toBeUndefined();
    expect(create.pods).toHaveLength(3);
  });

  it("is InvalidSpec with the API server's message when it refuses a pod, and deletes what was created", () => {
    const { status, remove } = plan(job(), { invalidObject, pods: [pod('master', 0, { phase: 'Pending' })] });
    expect(status?.conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'InvalidSpec',
      message: invalidObject.message,
    });
    expect(names(remove.pods)).toEqual(['mnist-master-0']);
  });

  it('does not fail while running when a replacement is refused: it reports that, and creates no pod', () => {
    const status = history(job(), { pods: running });
    const planned = plan(job({ status }), { invalidObject, pods: running.slice(0, 2) });
    expect(planned.events).toMatchObject([{ type: 'Warning', reason: 'FailedCreatePod' }]);
    expect(planned.create.pods).toEqual([]);
    expect(trueConditions(planned.status)).toEqual(['ReplicaFailure', 'Created', 'Running']);
    const once = new Set(planned.events.flatMap((event) => event.dedupKey ?? []));
    expect(plan(job({ status }), { invalidObject, emittedEvents: once, pods: running.slice(0, 2) }).events).toEqual([]);
  });
});
