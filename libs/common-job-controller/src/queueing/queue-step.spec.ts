import { ANNOTATIONS, BATCH_JOBS, LABELS, type KubeObject, type Pod, type PodTemplateSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter, type PlainRole } from '../../test-support/plain-adapter.ts';
import { at, JOB, NOW, type PlainPod } from '../../test-support/plain-pod.ts';
import { conditionsOf, SETTINGS, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { ownerReference } from '../model/ownership.ts';
import { finishOf, silenceOf } from '../model/state-ages.ts';
import type { DesiredResource } from '../model/owned-resources.ts';
import { writesOf } from '../model/write.ts';
import type { Plan } from '../reconcile/plan.ts';
import { planJob } from '../reconcile/plan-job.ts';
import {
  KUEUE_WORKLOADS,
  WORKLOAD_KIND,
  type KueueWorkload,
  type PodSet,
  type WorkloadCondition,
} from './kueue-objects.ts';
import type { QueueingObjects } from '../model/queueing-objects.ts';

const QUEUE = { 'kueue.x-k8s.io/queue-name': 'team-a' };
const ROLES: readonly PlainRole[] = [
  { name: 'Worker', replicas: 4 },
  { name: 'Server', replicas: 1 },
];

const OBJECTS: QueueingObjects = {
  flavors: [
    {
      metadata: { name: 'spot' },
      spec: { nodeLabels: { pool: 'spot' }, tolerations: [{ key: 'spot', operator: 'Exists' }] },
    },
  ],
  workloadPriorityClasses: [{ metadata: { name: 'urgent' }, value: 100 }],
  priorityClasses: [],
};

interface Case extends PlainWorld {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly workloads?: readonly KubeObject[];
  readonly objects?: QueueingObjects;
  readonly isAbsent?: boolean;
  readonly least?: number;
  readonly kueue?: boolean;
  readonly template?: PodTemplateSpec;
}

function annotated(annotations: Readonly<Record<string, string>>) {
  const named = Object.entries(annotations).map(([name, value]) => [`kueue.x-k8s.io/${name}`, value]);
  return {
    metadata: { annotations: Object.fromEntries(named) as Record<string, string> },
    spec: { containers: [{ name: 'main', image: 'registry.example/main:1' }] },
  };
}

function adapterOf({ least, template, ...plain }: Case): FrameworkAdapter {
  const base = plainAdapter({ roles: ROLES, ...plain });
  const adapter = template === undefined ? base : withTemplate(base, template);
  if (least === undefined) return adapter;
  const bounds = { min: least, max: 8 };
  return { ...adapter, elastic: { bounds: () => bounds, workers: () => ({ role: 'Worker', bounds, least }) } };
}

function withTemplate(adapter: FrameworkAdapter, template: PodTemplateSpec): FrameworkAdapter {
  return {
    ...adapter,
    read(manifest, ...more) {
      const { roles, ...read } = adapter.read(manifest, ...more);
      return { ...read, roles: roles.map((role) => ({ ...role, template })) };
    },
  };
}

function planFor(each: Case): Plan {
  const { labels = QUEUE, annotations = {}, workloads = [], objects = OBJECTS, isAbsent = false, kueue = true } = each;
  const world = worldOf({ roles: ROLES, ...each });
  const manifest = { ...world.manifest, metadata: { ...world.manifest.metadata, labels, annotations } };
  const ownedResources = workloads.map((object) => ({ kind: WORKLOAD_KIND, object }));
  const absentKinds = isAbsent ? [KUEUE_WORKLOADS] : [];
  return planJob(
    adapterOf(each),
    { ...world, manifest, ownedResources, absentKinds, queueing: objects },
    { ...SETTINGS, kueue },
  );
}

function workload(each: Case, conditions: readonly WorkloadCondition[], status: object = {}): KueueWorkload {
  const [made] = workloadsMade(planFor({ ...each, workloads: [] }));
  const { metadata } = made ?? {};
  return {
    ...made,
    metadata: { ...metadata, uid: 'uid-of-workload', resourceVersion: '7' },
    status: { conditions, ...status },
  };
}

function workloadsMade(plan: Plan): KueueWorkload[] {
  return writesOf(plan, 'create').flatMap(({ resource, object }) => (resource === KUEUE_WORKLOADS ? object : []));
}

function podsMade(plan: Plan): Pod[] {
  return writesOf(plan, 'create').flatMap(({ resource, object }) => (resource.kind === 'Pod' ? (object as Pod) : []));
}

function suspension(plan: Plan): string | undefined {
  const found = plan.status?.status?.conditions?.find(({ type }) => type === 'Suspended');
  return found && `${found.status} ${found.reason}: ${found.message}`;
}

const is = (type: string, reason = type, message = ''): WorkloadCondition => ({
  ...{ type, status: 'True', reason, message },
});
const isNot = (type: string, reason = type, message = ''): WorkloadCondition => ({
  ...{ type, status: 'False', reason, message },
});

const ASSIGNED = {
  admission: {
    clusterQueue: 'all',
    podSetAssignments: [
      { name: 'worker', count: 4, flavors: { cpu: 'spot' } },
      { name: 'server', count: 1, flavors: { cpu: 'spot' } },
    ],
  },
};
const ADMITTED = [is('QuotaReserved'), is('Admitted')];

describe('the Workload of a queued job', () => {
  it("has the job's pods by role, and the job gets no pods yet", () => {
    const plan = planFor({});
    const [made] = workloadsMade(plan);
    expect(made?.metadata).toMatchObject({
      name: `plainjob-${JOB.name}-${JOB.uid.slice(0, 8)}`,
      labels: { 'kueue.x-k8s.io/job-uid': JOB.uid },
      ownerReferences: [{ kind: 'PlainJob', name: JOB.name, uid: JOB.uid, controller: true }],
    });
    expect(made?.spec).toMatchObject({
      queueName: 'team-a',
      podSets: [
        { name: 'worker', count: 4, template: { spec: { containers: [{ name: 'main' }] } } },
        { name: 'server', count: 1 },
      ],
    });
    expect(podsMade(plan)).toEqual([]);
    expect(suspension(plan)).toBe('True Queued: The job waits in queue team-a of Kueue, which has not decided yet.');
    expect(plan.status?.status?.state).toBe('Suspended');
  });

  it.each<[string, Case, object]>([
    [
      'has the priority of its class',
      { labels: { ...QUEUE, 'kueue.x-k8s.io/priority-class': 'urgent' } },
      { priority: 100 },
    ],
    [
      'has the priority of the class that its scheduling policy names, before that of its pods',
      {
        runPolicy: { schedulingPolicy: { priorityClass: 'gold' } },
        template: { spec: { containers: [], priorityClassName: 'silver' } },
        objects: { ...OBJECTS, priorityClasses: [{ metadata: { name: 'gold' }, value: 1000 }] },
      },
      { priority: 1000, priorityClassRef: { group: 'scheduling.k8s.io', kind: 'PriorityClass', name: 'gold' } },
    ],
    ['may be admitted in part if the job is elastic', { least: 2 }, { podSets: [{ minCount: 2 }, { count: 1 }] }],
  ])('the Workload %s', (_name, each, spec) => {
    expect(workloadsMade(planFor(each))[0]?.spec).toMatchObject(spec);
  });

  it.each<[string, Case]>([
    ['the job names no queue', { labels: {} }],
    ['Muster does not queue jobs', { kueue: false }],
    ['the job has no pods', { roles: [] }],
  ])('is not created where %s', (_name, each) => {
    const plan = planFor(each);
    expect(workloadsMade(plan)).toEqual([]);
    expect(suspension(plan)).toBeUndefined();
    expect(podsMade(plan)).toHaveLength(each.roles?.length === 0 ? 0 : 5);
  });

  it('contains what Kueue counts besides the containers', () => {
    const initContainers = [{ name: 'wait', image: 'registry.example/wait:1', restartPolicy: 'Always' as const }];
    const [made] = workloadsMade(planFor({ template: { spec: { containers: [], initContainers } } }));
    expect(made?.spec?.podSets?.[0]).toMatchObject({ template: { spec: { initContainers } } });
  });

  it.each<[Record<string, string>, object | undefined]>([
    [{}, undefined],
    [{ 'podset-required-topology': 'rack' }, { required: 'rack' }],
    [
      { 'podset-preferred-topology': 'rack', 'podset-group-name': 'a' },
      { preferred: 'rack', podSetGroupName: 'a' },
    ],
    [{ 'podset-unconstrained-topology': 'true', 'podset-group-name': 'a' }, { unconstrained: true }],
    [{ 'podset-unconstrained-topology': 'perhaps' }, { unconstrained: 'perhaps' }],
    [{ 'podset-slice-size': '2' }, undefined],
    [
      { 'podset-slice-required-topology': 'host', 'podset-slice-size': '2' },
      { podSetSliceRequiredTopology: 'host', podSetSliceSize: 2 },
    ],
  ])('requests the topology of the annotations %j', (annotations, request) => {
    const [made] = workloadsMade(planFor({ template: annotated(annotations) }));
    const [podSet] = (made?.spec?.podSets ?? []) as readonly PodSet[];
    expect(podSet?.topologyRequest).toEqual(request && { ...request, podIndexLabel: LABELS.replicaIndex });
  });

  it('is recreated when another topology is requested', () => {
    const workloads = [workload({}, ADMITTED, ASSIGNED)];
    const plan = planFor({ template: annotated({ 'podset-required-topology': 'rack' }), workloads });
    expect(writesOf(plan, 'delete').map(({ resource }) => resource.kind)).toContain('Workload');
  });

  it('is deleted when the user suspends the job', () => {
    const runPolicy = { suspend: true };
    const plan = planFor({ runPolicy, workloads: [workload({}, ADMITTED, ASSIGNED)] });
    expect(workloadsMade(planFor({ runPolicy }))).toEqual([]);
    expect(writesOf(plan, 'delete').map(({ resource }) => resource.kind)).toContain('Workload');
    expect(suspension(plan)).toContain('PlainJobSuspended');
  });

  it.each<[string, Case, string]>([
    ['Kueue', { isAbsent: true }, 'install Kueue 0.15'],
    [
      'its priority class',
      { labels: { ...QUEUE, 'kueue.x-k8s.io/priority-class': 'none' } },
      'no WorkloadPriorityClass none',
    ],
  ])('keeps the job suspended without %s', (_name, each, message) => {
    const plan = planFor(each);
    expect(workloadsMade(plan)).toEqual([]);
    expect(podsMade(plan)).toEqual([]);
    expect(suspension(plan)).toContain(message);
    expect(plan.requeueAfterMs).toBe(5000);
  });
});

describe('a running job that Kueue has admitted', () => {
  const RUNNING: Case = {
    status: {
      startTime: new Date(NOW - 60_000).toISOString(),
      conditions: [{ type: 'Running', status: 'True' }],
    },
    pods: [
      ...[0, 1, 2, 3].map((index) => ({ role: 'worker', index, phase: 'Running' as const })),
      { role: 'server', index: 0, phase: 'Running' },
    ],
  };
  const URGENT: Case = { ...RUNNING, labels: { ...QUEUE, 'kueue.x-k8s.io/priority-class': 'urgent' } };
  const OF_PODS: Case = {
    ...RUNNING,
    template: { spec: { containers: [], priorityClassName: 'gold' } },
    objects: { ...OBJECTS, priorityClasses: [{ metadata: { name: 'gold' }, value: 10 }] },
  };
  const NOTHING_READ: QueueingObjects = { flavors: [], workloadPriorityClasses: [], priorityClasses: [] };
  const admitted = (each: Case) => [workload(each, ADMITTED, ASSIGNED)];
  const withoutWorker: Case = { pods: RUNNING.pods!.filter(({ index, role }) => role === 'server' || index! > 0) };

  it.each<[string, Case]>([
    ['its WorkloadPriorityClass is missing', { ...URGENT, objects: { ...OBJECTS, workloadPriorityClasses: [] } }],
    ['the PriorityClass of its pods is missing', { ...OF_PODS, objects: OBJECTS }],
    ['its ResourceFlavor is missing', { ...RUNNING, objects: { ...OBJECTS, flavors: [] } }],
    ["Kueue's API is not served", { ...URGENT, isAbsent: true }],
    ["neither Kueue's API nor any of its objects can be read", { ...URGENT, isAbsent: true, objects: NOTHING_READ }],
  ])('keeps its pods and its Workload while %s', (_name, each) => {
    const plan = planFor({ ...each, workloads: admitted({ ...each, objects: OF_PODS.objects!, isAbsent: false }) });
    expect(writesOf(plan, 'delete')).toEqual([]);
    expect(suspension(plan)).toBeUndefined();
  });

  it("keeps its pods while an operator that has restarted cannot read Kueue's API", () => {
    const plan = planFor({ ...RUNNING, isAbsent: true });
    expect(writesOf(plan, 'delete')).toEqual([]);
    expect(workloadsMade(plan)).toEqual([]);
    expect(suspension(plan)).toBeUndefined();
    expect(plan.requeueAfterMs).toBeLessThanOrEqual(5000);
  });

  it('gets a missing pod although its PriorityClass is missing', () => {
    const each = { ...OF_PODS, ...withoutWorker };
    const plan = planFor({ ...each, objects: OBJECTS, workloads: admitted(OF_PODS) });
    expect(podsMade(plan)).toHaveLength(1);
  });

  it.each<[string, Case, RegExp]>([
    ['its ResourceFlavor is missing', { objects: { ...OBJECTS, flavors: [] } }, /no ResourceFlavor spot/],
    ["Kueue's API is not served", { isAbsent: true }, /install Kueue 0.15/],
  ])('gets no new pod while %s, and reports it', (_name, missing, message) => {
    const plan = planFor({ ...RUNNING, ...withoutWorker, ...missing, workloads: admitted(RUNNING) });
    expect(podsMade(plan)).toEqual([]);
    expect(suspension(plan)).toBeUndefined();
    const failure = plan.status?.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    expect(failure).toMatchObject({ status: 'True', reason: 'QueueingUnavailable' });
    expect(failure?.message).toMatch(message);
    expect(plan.requeueAfterMs).toBeLessThanOrEqual(5000);
  });

  it('keeps its size while the priority class of its next workload slice is missing', () => {
    const slices: Case = { ...URGENT, annotations: { 'kueue.x-k8s.io/elastic-job': 'true' } };
    const larger: Case = { ...slices, roles: [{ name: 'Worker', replicas: 6 }, ROLES[1]!] };
    const plan = planFor({
      ...larger,
      objects: { ...OBJECTS, workloadPriorityClasses: [] },
      workloads: admitted(slices),
    });
    expect(workloadsMade(plan)).toEqual([]);
    expect(writesOf(plan, 'delete')).toEqual([]);
    expect(plan.requeueAfterMs).toBeLessThanOrEqual(5000);
  });
});

describe('a job in a queue', () => {
  it.each<[string, readonly WorkloadCondition[], object, string]>([
    [
      'for quota',
      [isNot('QuotaReserved', 'Pending', '2 more cpu needed')],
      {},
      'Queued: The job waits in queue team-a of Kueue: 2 more cpu needed',
    ],
    [
      'for an admission check',
      [is('QuotaReserved'), isNot('Admitted')],
      { ...ASSIGNED, admissionChecks: [{ name: 'prov', state: 'Pending', message: 'requested' }] },
      'waits for admission check prov (Pending: requested)',
    ],
    [
      'for an admission check without a message',
      [is('QuotaReserved'), isNot('Admitted')],
      { ...ASSIGNED, admissionChecks: [{ name: 'prov', state: 'Pending' }] },
      'waits for admission check prov (Pending).',
    ],
    [
      'after a preemption',
      [isNot('QuotaReserved', 'Pending', 'no room'), is('Evicted', 'Preempted', 'made room for job y')],
      {},
      'Evicted: Kueue evicted the job from queue team-a (Preempted): made room for job y; now: no room',
    ],
  ])("waits %s, with Kueue's message in the condition", (_name, conditions, status, message) => {
    const plan = planFor({ workloads: [workload({}, conditions, status)] });
    expect(suspension(plan)).toContain(message);
    expect(podsMade(plan)).toEqual([]);
  });

  it('reports a changed reason for its wait, and writes nothing otherwise', () => {
    const waits = (message: string) => [workload({}, [isNot('QuotaReserved', 'Pending', message)])];
    const { status } = planFor({ workloads: waits('2 more needed') }).status!;
    expect(planFor({ status, now: 60, workloads: waits('2 more needed') }).status).toBeUndefined();
    expect(suspension(planFor({ status, now: 60, workloads: waits('1 more needed') }))).toContain('1 more needed');
  });

  it('gets its pods placed by the flavors once it is admitted', () => {
    const { status } = planFor({ workloads: [workload({}, [])] }).status!;
    const plan = planFor({ status, workloads: [workload({}, ADMITTED, ASSIGNED)] });
    expect(podsMade(plan)).toHaveLength(5);
    expect(podsMade(plan)[0]?.spec).toMatchObject({
      nodeSelector: { pool: 'spot' },
      tolerations: [{ key: 'spot', operator: 'Exists' }],
    });
    expect(conditionsOf(plan.status?.status ?? {})).toContain('Suspended=False');
  });

  it('gets no toleration twice, and only those of its flavor', () => {
    const [spot] = OBJECTS.flavors;
    const tolerations = spot!.spec!.tolerations!;
    const tolerationsOf = (template: PodTemplateSpec | undefined, flavor: object) => {
      const each: Case = template === undefined ? {} : { template };
      const objects = { ...OBJECTS, flavors: [{ ...spot!, spec: flavor }] };
      const plan = planFor({ ...each, objects, workloads: [workload(each, ADMITTED, ASSIGNED)] });
      return podsMade(plan)[0]?.spec;
    };
    const { spec } = annotated({});
    const tolerant = { spec: { ...spec, tolerations: [...tolerations] } };
    expect(tolerationsOf(tolerant, { tolerations })?.tolerations).toEqual(tolerations);
    expect(tolerationsOf(undefined, { nodeLabels: { pool: 'spot' } })).not.toHaveProperty('tolerations');
  });

  it('gets what admission checks add, unless its template sets it', () => {
    const podSetUpdates = [
      { name: 'worker', labels: { zone: 'b' }, annotations: { note: 'x' }, nodeSelector: { host: 'h' } },
    ];
    const status = { ...ASSIGNED, admissionChecks: [{ name: 'prov', state: 'Ready', podSetUpdates }] };
    const [worker, ...others] = podsMade(planFor({ workloads: [workload({}, ADMITTED, status)] }));
    expect(worker?.metadata).toMatchObject({ labels: { zone: 'b' }, annotations: { note: 'x' } });
    expect(worker?.spec?.nodeSelector).toEqual({ pool: 'spot', host: 'h' });
    expect(others.at(-1)?.metadata?.labels).not.toHaveProperty('zone');
  });

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['the job requested', { 'podset-required-topology': 'rack' }, {}],
    ['comes with the flavor', {}, { 'kueue.x-k8s.io/podset-unconstrained-topology': 'true' }],
  ])('leaves the placement of its pods to Kueue with a topology that %s', (_name, requested, added) => {
    const template = annotated(requested);
    const [workers, server] = ASSIGNED.admission.podSetAssignments;
    const topologyAssignment = { levels: ['kubernetes.io/hostname'], slices: [] };
    const admission = { podSetAssignments: [{ ...workers, topologyAssignment }, server] };
    const made = workload({ template }, ADMITTED, { admission });
    const [worker, ...others] = podsMade(planFor({ template, workloads: [made] }));
    expect(worker?.metadata).toMatchObject({
      labels: { 'kueue.x-k8s.io/podset': 'worker' },
      annotations: { ...template.metadata.annotations, ...added, 'kueue.x-k8s.io/workload': made.metadata?.name },
    });
    expect(worker?.spec?.schedulingGates).toEqual([{ name: 'kueue.x-k8s.io/topology' }]);
    expect(others.at(-1)?.spec?.schedulingGates).toBeUndefined();
  });

  it('waits for a missing ResourceFlavor', () => {
    const workloads = [workload({}, ADMITTED, ASSIGNED)];
    const plan = planFor({ workloads, objects: { ...OBJECTS, flavors: [] } });
    expect(podsMade(plan)).toEqual([]);
    expect(suspension(plan)).toContain('no ResourceFlavor spot');
  });

  it('starts with the admitted number of pods', () => {
    const [workers, server] = ASSIGNED.admission.podSetAssignments;
    const admission = { podSetAssignments: [{ ...workers, count: 2 }, server] };
    expect(podsMade(planFor({ least: 2, workloads: [workload({ least: 2 }, ADMITTED, { admission })] }))).toHaveLength(
      3,
    );
  });

  it('loses its pods when it is evicted, and returns its quota once they are gone', () => {
    const conditions = [...ADMITTED, is('Evicted', 'Preempted', 'made room')];
    const workloads = [workload({}, conditions, { ...ASSIGNED, reclaimablePods: [] })];
    const going = planFor({ workloads, pods: [{ role: 'worker', index: 0, phase: 'Running' }] });
    expect(writesOf(going, 'delete').map(({ resource }) => resource.kind)).toContain('Pod');
    expect(writesOf(going, 'patch')).toEqual([]);
    const [patch] = writesOf(planFor({ workloads }), 'patch');
    expect(patch).toMatchObject({
      subresource: 'status',
      patch: { status: { admission: null, reclaimablePods: null } },
    });
    const { status } = patch?.patch as KueueWorkload;
    expect(status?.conditions?.map(({ type, status: value, reason }) => `${type}=${value} ${reason}`)).toEqual([
      'Evicted=True Preempted',
      'QuotaReserved=False Pending',
      'Requeued=True Preempted',
      'Admitted=False NoReservation',
    ]);
  });

  it('is not queued again by Muster if it was deactivated', () => {
    const workloads = [workload({}, [...ADMITTED, is('Evicted', 'Deactivated', 'off')], ASSIGNED)];
    const [patch] = writesOf(planFor({ workloads }), 'patch');
    expect(JSON.stringify(patch)).toContain('"type":"Requeued","status":"False"');
  });

  it.each<[string, Partial<Case>]>([
    ['other pods', { roles: [{ name: 'Worker', replicas: 5 }] }],
    ['another queue', { labels: { 'kueue.x-k8s.io/queue-name': 'team-b' } }],
  ])('is queued again when it requests %s', (_name, change) => {
    const plan = planFor({ ...change, workloads: [workload({}, ADMITTED, ASSIGNED)] });
    expect(writesOf(plan, 'delete').map(({ resource }) => resource.kind)).toContain('Workload');
    expect(podsMade(plan)).toEqual([]);
  });

  it('keeps its quota when it shrinks, and reports reclaimable pods', () => {
    const roles = [{ name: 'Worker', replicas: 3 }, ROLES[1]!];
    const plan = planFor({ roles, workloads: [workload({}, ADMITTED, ASSIGNED)] });
    expect(podsMade(plan)).toHaveLength(4);
    const [patch] = writesOf(plan, 'patch');
    expect(patch?.patch).toMatchObject({ status: { reclaimablePods: [{ name: 'worker', count: 1 }] } });
  });

  it('is queued again when it grows beyond the quota it has released', () => {
    const granted = { ...ASSIGNED, reclaimablePods: [{ name: 'worker', count: 1 }] };
    const workloads = [workload({}, ADMITTED, granted)];
    expect(podsMade(planFor({ roles: [{ name: 'Worker', replicas: 3 }, ROLES[1]!], workloads }))).toHaveLength(4);
    expect(podsMade(planFor({ workloads }))).toEqual([]);
    // The quota released for a succeeded pod is not requested again.
    const pods = [{ role: 'worker', index: 0, phase: 'Succeeded' as const }];
    expect(podsMade(planFor({ workloads, pods }))).toHaveLength(4);
  });

  it('reports succeeded pods as reclaimable', () => {
    const pods = [{ role: 'worker', index: 0, phase: 'Succeeded' as const }];
    const [patch] = writesOf(planFor({ pods, workloads: [workload({}, ADMITTED, ASSIGNED)] }), 'patch');
    expect(patch?.patch).toMatchObject({ status: { reclaimablePods: [{ name: 'worker', count: 1 }] } });
  });

  it.each([
    ['Succeeded', 'True'],
    ['Failed', 'True'],
  ] as const)('reports Finished once when it has %s', (type, value) => {
    const status = { conditions: [{ type, status: value, message: 'the end' }] };
    const [patch] = writesOf(planFor({ status, workloads: [workload({}, ADMITTED, ASSIGNED)] }), 'patch');
    expect(JSON.stringify(patch)).toContain(`"type":"Finished","status":"True","reason":"${type}","message":"the end"`);
    const again = planFor({ status, workloads: [workload({}, [...ADMITTED, is('Finished')], ASSIGNED)] });
    expect(writesOf(again, 'patch')).toEqual([]);
  });
});

describe('a job in a queue that has ended', () => {
  const status = { conditions: [{ type: 'Succeeded', status: 'True' } as const] };
  const patches = (each: Case) =>
    JSON.stringify(writesOf(planFor({ status, workloads: [workload({}, ADMITTED, ASSIGNED)], ...each }), 'patch'));
  const worker: PlainPod = { role: 'worker', index: 0, phase: 'Running' };

  it.each<[string, Case]>([
    ['that its clean-up policy keeps', { runPolicy: { cleanPodPolicy: 'None' }, pods: [worker] }],
    ['that is being deleted', { pods: [{ ...worker, deleted: -1 }] }],
  ])('keeps its quota while a pod runs %s', (_name, each) => {
    expect(patches(each)).not.toContain('Finished');
  });

  it.each<[string, PlainPod]>([
    ['have ended', { ...worker, phase: 'Succeeded' }],
    ["are another owner's", { ...worker, owner: 'none' }],
  ])('returns its quota when all pods %s', (_name, pod) => {
    expect(patches({ runPolicy: { cleanPodPolicy: 'None' }, pods: [pod] })).toContain('Finished');
  });
});

it('keeps the Workload and the quota of a deleted job until its finalizer is removed, and gets no new Workload for its clean-up', () => {
  const cleanUp: DesiredResource = {
    resource: BATCH_JOBS,
    object: { kind: 'Job', metadata: { name: 'clean-up', labels: {} } },
    change: () => undefined,
  };
  const name = 'test.muster.dev/clean-up';
  const step = { isDone: false, deletesPods: true, ownedResources: [cleanUp] };
  const world = worldOf({ roles: ROLES });
  const metadata = { ...world.manifest.metadata, labels: QUEUE, finalizers: [name], deletionTimestamp: at(-1) };
  const object = workload({}, ADMITTED, ASSIGNED);
  const { status, events, writes } = planJob(
    { ...plainAdapter({ roles: ROLES }), finalize: { name, step: () => step } },
    {
      ...{ ...world, manifest: { ...world.manifest, metadata }, queueing: OBJECTS },
      ownedResources: [{ kind: WORKLOAD_KIND, object }],
    },
    { ...SETTINGS, kueue: true },
  );
  expect([status, events]).toEqual([undefined, []]);
  expect(writes).toMatchObject([{ op: 'create', resource: BATCH_JOBS, object: { metadata: { name: 'clean-up' } } }]);
});

describe('a job that grows by workload slices', () => {
  const SMALL: Case = { annotations: { 'kueue.x-k8s.io/elastic-job': 'true' }, least: 2 };
  const LARGE: Case = { ...SMALL, roles: [{ name: 'Worker', replicas: 6 }, ROLES[1]!] };
  const PODS = [0, 1, 2, 3].map((index) => ({ role: 'worker', index, phase: 'Running' as const }));
  const first = workload(SMALL, ADMITTED, ASSIGNED);

  function next(former: KueueWorkload, conditions: readonly WorkloadCondition[], count: number): KueueWorkload {
    const [made] = workloadsMade(planFor({ ...LARGE, workloads: [former] }));
    const [workers, ...others] = ASSIGNED.admission.podSetAssignments;
    const admission = { podSetAssignments: [{ ...workers!, count }, ...others] };
    const metadata = { ...made?.metadata, uid: `uid-of-${made?.metadata?.name}`, resourceVersion: '8' };
    return { ...made, metadata, status: { conditions, admission } };
  }

  const deleted = (plan: Plan) =>
    writesOf(plan, 'delete').flatMap(({ resource, object }) =>
      resource === KUEUE_WORKLOADS ? object.metadata?.name : [],
    );

  it('requests all pods, because Kueue does not admit slices in part', () => {
    expect(first.metadata?.annotations).toMatchObject({ 'kueue.x-k8s.io/elastic-job': 'true' });
    expect(first.spec?.podSets?.[0]).not.toHaveProperty('minCount');
  });

  it('keeps running unchanged while a second Workload waits', () => {
    const plan = planFor({ ...LARGE, workloads: [first], pods: PODS });
    const [second, ...others] = workloadsMade(plan);
    expect(others).toEqual([]);
    expect(second?.metadata).toMatchObject({
      name: `${first.metadata?.name}-2`,
      annotations: { 'kueue.x-k8s.io/workload-slice-replacement-for': `${JOB.namespace}/${first.metadata?.name}` },
    });
    expect(second?.spec?.podSets).toMatchObject([{ count: 6 }, { count: 1 }]);
    expect(podsMade(plan).map(({ metadata }) => metadata?.name)).toEqual([`${JOB.name}-server-0`]);
    expect(deleted(plan)).toEqual([]);
    expect(suspension(plan)).toBeUndefined();
    const waiting = planFor({ ...LARGE, workloads: [first, next(first, [isNot('QuotaReserved')], 6)], pods: PODS });
    expect([workloadsMade(waiting), deleted(waiting)]).toEqual([[], []]);
  });

  const ended = (atMs: number): KueueWorkload => {
    const finished = { ...is('Finished', 'WorkloadSliceReplaced'), lastTransitionTime: new Date(atMs).toISOString() };
    return { ...first, status: { conditions: [isNot('QuotaReserved'), isNot('Admitted'), finished] } };
  };

  it.each([-300, 0, 300])(
    'is left unchanged between the end of the first and the admission of the second, with a clock that is %i s ahead',
    (aheadSeconds) => {
      const second = next(first, [isNot('QuotaReserved')], 6);
      const planAfter = (ms: number) => {
        const workloads = [ended(NOW - ms - aheadSeconds * 1000), second];
        return planFor({ ...LARGE, workloads, pods: PODS, stateAges: new Map([[finishOf(first), ms]]) });
      };
      expect(planAfter(0)).toMatchObject({ events: [], writes: [], requeueAfterMs: 10_000 });
      expect(planAfter(4000)).toMatchObject({ events: [], writes: [], requeueAfterMs: 6000 });
      // If the replacement fails, or there is none to wait for, the job is queued again.
      const names = [first.metadata?.name, second.metadata?.name];
      expect(deleted(planAfter(10_000))).toEqual(expect.arrayContaining(names));
      expect(deleted(planFor({ ...SMALL, workloads: [ended(NOW)] }))).toEqual([first.metadata?.name]);
    },
  );

  it('grows when the second is admitted, and may grow again', () => {
    const second = next(first, ADMITTED, 6);
    const plan = planFor({ ...LARGE, workloads: [first, second], pods: PODS });
    expect(deleted(plan)).toEqual([first.metadata?.name]);
    expect(podsMade(plan)).toHaveLength(3);
    const roles = [{ name: 'Worker', replicas: 7 }, ROLES[1]!];
    const [third] = workloadsMade(planFor({ ...LARGE, roles, workloads: [second], pods: PODS }));
    expect(third?.metadata?.name).toBe(`${first.metadata?.name}-3`);
  });

  it('runs as many pods as its quota allows after it has shrunk', () => {
    const workloads = [workload(SMALL, ADMITTED, { ...ASSIGNED, reclaimablePods: [{ name: 'worker', count: 2 }] })];
    const grown = { ...SMALL, roles: [{ name: 'Worker', replicas: 3 }, ROLES[1]!], workloads };
    const made = (plan: Plan) => podsMade(plan).map(({ metadata }) => metadata?.name);
    const plan = planFor({ ...grown, pods: PODS.slice(0, 2) });
    expect(made(plan)).toEqual([`${JOB.name}-server-0`]);
    expect(workloadsMade(plan)[0]?.spec?.podSets).toMatchObject([{ count: 3 }, { count: 1 }]);
    // The quota released for a succeeded pod is not subtracted twice.
    const ended = [{ ...PODS[0]!, phase: 'Succeeded' as const }, PODS[1]!];
    expect(made(planFor({ ...grown, pods: ended }))).toEqual([`${JOB.name}-worker-2`, `${JOB.name}-server-0`]);
  });

  it('reports reclaimable pods before it requests more, because Kueue cannot replace a Workload that is being changed', () => {
    const pods = [{ ...PODS[0]!, phase: 'Succeeded' as const }, ...PODS.slice(1)];
    const telling = planFor({ ...LARGE, workloads: [first], pods });
    expect(writesOf(telling, 'patch')[0]?.patch).toMatchObject({ status: { reclaimablePods: [{ count: 1 }] } });
    expect(workloadsMade(telling)).toEqual([]);
  });

  it('recreates the second when Kueue neither admits it nor reports a reason for long', () => {
    const planAfter = (ms: number, message: string) => {
      const second = next(first, [isNot('QuotaReserved', 'Pending', message)], 6);
      return planFor({
        ...LARGE,
        workloads: [first, second],
        pods: PODS,
        stateAges: new Map([[silenceOf(second), ms]]),
      });
    };
    const name = `${first.metadata?.name}-2`;
    expect(planAfter(4000, '')).toMatchObject({ requeueAfterMs: 6000 });
    expect(deleted(planAfter(4000, ''))).toEqual([]);
    expect(deleted(planAfter(10_000, ''))).toEqual([name]);
    expect(planAfter(10_000, '').requeueAfterMs).toBeUndefined();
    expect(deleted(planAfter(10_000, 'insufficient quota'))).toEqual([]);
  });

  it('waits for its newest size, or for nothing, if it is changed in the meantime', () => {
    const second = next(first, [isNot('QuotaReserved')], 6);
    const roles = [{ name: 'Worker', replicas: 7 }, ROLES[1]!];
    const workloads = [first, second];
    expect(deleted(planFor({ ...LARGE, roles, workloads, pods: PODS }))).toEqual([second.metadata?.name]);
    const back = planFor({ ...SMALL, workloads, pods: PODS });
    expect([deleted(back), workloadsMade(back)]).toEqual([[second.metadata?.name], []]);
  });

  it('loses both Workloads when it is evicted, and is queued with its new size', () => {
    const evicted = { ...first, status: { ...first.status, conditions: [...ADMITTED, is('Evicted', 'Preempted')] } };
    const plan = planFor({ ...LARGE, workloads: [evicted, next(first, [isNot('QuotaReserved')], 6)], pods: PODS });
    expect(deleted(plan)).toEqual(expect.arrayContaining([first.metadata?.name, `${first.metadata?.name}-2`]));
    expect(suspension(plan)).toContain('True ');
  });

  it('is queued again for other pods, and when its annotation is missing', () => {
    const annotations = { 'podset-required-topology': 'rack' };
    const other = planFor({ ...LARGE, template: annotated(annotations), workloads: [first], pods: PODS });
    const not = planFor({ ...LARGE, annotations: {}, workloads: [first], pods: PODS });
    for (const plan of [other, not]) expect(deleted(plan)).toContain(first.metadata?.name);
  });
});

describe("a job whose Workload was created by Kueue's own integration", () => {
  const metadata = {
    name: 'job-plain-1',
    namespace: JOB.namespace,
    uid: 'uid-of-kueues',
    ownerReferences: [ownerReference({ resource: plainAdapter({}).resource, metadata: JOB })],
  };

  it("gets no Workload by Muster, loses Muster's, and has this reported once", () => {
    const workloads = [{ metadata }, workload({}, [])];
    const plan = planFor({ workloads });
    expect(podsMade(plan)).toHaveLength(5);
    expect(writesOf(plan, 'delete').map(({ object }) => object.metadata?.annotations?.[ANNOTATIONS.template])).toEqual([
      expect.any(String),
    ]);
    expect(plan.events.map((event) => event.reason)).toContain('QueuedByKueue');
    const again = planFor({ workloads, emittedEvents: ['workload uid-of-kueues'] });
    expect(again.events.map((event) => event.reason)).not.toContain('QueuedByKueue');
  });

  it("keeps Kueue's Workload when it is suspended or has ended", () => {
    const ended = { conditions: [{ type: 'Succeeded', status: 'True' } as const] };
    for (const each of [{ runPolicy: { suspend: true } }, { status: ended }]) {
      const plan = planFor({ ...each, workloads: [{ metadata }] });
      expect(
        [...writesOf(plan, 'delete'), ...writesOf(plan, 'patch')].map(({ resource }) => resource.kind),
      ).not.toContain('Workload');
    }
  });
});

it('dates conditions by the time of the run', () => {
  const status = { conditions: [{ type: 'Succeeded', status: 'True' } as const] };
  const [patch] = writesOf(planFor({ status, workloads: [workload({}, ADMITTED, ASSIGNED)] }), 'patch');
  expect(JSON.stringify(patch)).toContain(new Date(NOW).toISOString().slice(0, 19));
});
