import type { Pod, VolcanoPodGroup } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { NO_RULES, podSpec, role, trainingJob } from '../../test-support/training-job.ts';
import type { ReplicaRole } from '../model/training-job.ts';
import { VOLCANO } from './volcano.ts';

const WORKER = role('Worker', 2);
const QUEUE = 'scheduling.volcano.sh/queue-name';
const SIZE = { minMember: 2, minResources: { cpu: '2' } };
const GROUP = VOLCANO.groups.desired(trainingJob([WORKER]), SIZE);

function inPhase(phase: string, conditions: NonNullable<VolcanoPodGroup['status']>['conditions'] = []) {
  return { ...GROUP, status: { phase, conditions } };
}

describe('the PodGroup of Volcano', () => {
  it('has the name, owner and annotations of the job, and no labels', () => {
    const annotations = {
      'volcano.sh/preemptable': 'true',
      'muster.dev/service-mode': 'PerJob',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
    };
    const schedulingPolicy = { queue: 'research', priorityClass: 'high' };
    expect(VOLCANO.groups.desired(trainingJob([WORKER], { annotations, schedulingPolicy }), SIZE)).toEqual({
      apiVersion: 'scheduling.volcano.sh/v1beta1',
      kind: 'PodGroup',
      metadata: {
        name: 'mnist',
        namespace: 'team',
        annotations: { 'volcano.sh/preemptable': 'true' },
        ownerReferences: [
          {
            apiVersion: 'kubeflow.org/v1',
            kind: 'PyTorchJob',
            name: 'mnist',
            uid: 'uid-1',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { minMember: 2, queue: 'research', priorityClassName: 'high', minResources: { cpu: '2' } },
    });
  });

  it.each<[string, string | undefined, Record<string, string>, string]>([
    ['of the policy', 'research', { [QUEUE]: 'annotated' }, 'research'],
    ['of the annotation, without a policy', undefined, { [QUEUE]: 'annotated' }, 'annotated'],
    ['of the annotation, if the policy is empty', '', { [QUEUE]: 'annotated' }, 'annotated'],
    ['called default, if the annotation is empty', undefined, { [QUEUE]: '' }, 'default'],
  ])('is in the queue %s', (_which, queue, annotations, wanted) => {
    const job = trainingJob([WORKER], { annotations, ...(queue !== undefined && { schedulingPolicy: { queue } }) });
    expect(VOLCANO.groups.desired(job, SIZE).spec?.queue).toBe(wanted);
  });

  it('is in the default queue, without optional fields', () => {
    expect(VOLCANO.groups.desired(trainingJob([WORKER]), { minMember: 2, minResources: undefined }).spec).toEqual({
      minMember: 2,
      queue: 'default',
    });
  });
});

describe("minTaskMember of Volcano's PodGroup", () => {
  const minMembers = (worker: ReplicaRole) => ({ ...SIZE, minMembers: new Map([[worker, 1]]) });

  it('has the minimum of each role', () => {
    expect(VOLCANO.groups.desired(trainingJob([WORKER]), minMembers(WORKER)).spec?.minTaskMember).toEqual({
      worker: 1,
    });
  });

  it('is absent if templates name their own tasks', () => {
    const annotations = { 'volcano.sh/task-spec': 'mine' };
    const own = { ...WORKER, template: { ...WORKER.template, metadata: { annotations } } };
    expect(VOLCANO.groups.desired(trainingJob([own]), minMembers(own)).spec?.minTaskMember).toBeUndefined();
  });
});

describe("the patch of Volcano's PodGroup", () => {
  const spec = GROUP.spec ?? {};

  it.each<{ name: string; existing: VolcanoPodGroup; patch: object | undefined }>([
    { name: 'no patch if nothing differs', existing: inPhase('Running'), patch: undefined },
    {
      name: 'no patch for equal amounts in another format',
      existing: { ...GROUP, spec: { ...spec, minResources: { cpu: '2000m' } } },
      patch: undefined,
    },
    {
      name: 'no patch for fields of others',
      existing: {
        metadata: { ...GROUP.metadata, annotations: { theirs: 'yes' }, labels: { theirs: 'yes' }, finalizers: ['x/y'] },
        spec: { ...spec, ...{ networkTopology: { mode: 'hard' } } },
        status: { phase: 'Running' },
      },
      patch: undefined,
    },
    {
      name: 'no patch for a group that was moved to another queue',
      existing: { ...GROUP, spec: { ...spec, queue: 'moved' } },
      patch: undefined,
    },
    {
      name: 'the queue for a group without one',
      existing: { ...GROUP, spec: { ...spec, queue: '' } },
      patch: { spec: { queue: 'default' } },
    },
    {
      name: 'another size',
      existing: { ...GROUP, spec: { ...spec, minMember: 3, minResources: { cpu: '3' } } },
      patch: { spec: { minMember: 2, minResources: { cpu: '2' } } },
    },
    {
      name: 'null for fields that are no longer set',
      existing: {
        ...GROUP,
        spec: { ...spec, priorityClassName: 'high', minResources: { cpu: '2', 'nvidia.com/gpu': '8' } },
      },
      patch: { spec: { priorityClassName: null, minResources: { 'nvidia.com/gpu': null } } },
    },
  ])('has $name', ({ existing, patch }) => {
    expect(VOLCANO.groups.change(existing, GROUP)).toEqual(patch);
  });

  it('has an annotation that was added to the job', () => {
    const wanted = VOLCANO.groups.desired(
      trainingJob([WORKER], { annotations: { 'volcano.sh/preemptable': 'true' } }),
      SIZE,
    );
    expect(VOLCANO.groups.change(GROUP, wanted)).toEqual({
      metadata: { annotations: { 'volcano.sh/preemptable': 'true' } },
    });
  });
});

describe('a pod for Volcano', () => {
  const job = trainingJob([WORKER]);
  const decorate = (pod: Pod) => VOLCANO.decorate(pod, job, { role: WORKER, index: 1 }, NO_RULES);

  it('has the scheduler, the group and the role', () => {
    const pod: Pod = { metadata: { name: 'mnist-worker-1', annotations: { mine: 'yes' } }, spec: podSpec() };
    expect(decorate(pod)).toEqual({
      metadata: {
        name: 'mnist-worker-1',
        annotations: { mine: 'yes', 'scheduling.k8s.io/group-name': 'mnist', 'volcano.sh/task-spec': 'worker' },
      },
      spec: { ...podSpec(), schedulerName: 'volcano' },
    });
  });

  it('keeps values of the user', () => {
    const annotations = { 'scheduling.k8s.io/group-name': 'both-jobs', 'volcano.sh/task-spec': 'trainer' };
    const pod: Pod = { metadata: { annotations }, spec: podSpec({}, { schedulerName: 'mine' }) };
    expect(decorate(pod)).toEqual(pod);
  });

  it('does not mutate its argument', () => {
    const pod: Pod = { metadata: Object.freeze({}), spec: Object.freeze(podSpec()) };
    decorate(Object.freeze(pod));
    expect(pod).toEqual({ metadata: {}, spec: podSpec() });
  });
});

describe('waitsFor of Volcano', () => {
  it.each<{ name: string; existing: VolcanoPodGroup | undefined; expected: string | undefined }>([
    { name: 'reports the missing group', existing: undefined, expected: 'its PodGroup is being created' },
    {
      name: 'reports a group that the scheduler has not processed',
      existing: GROUP,
      expected: "PodGroup mnist has not been processed by Volcano's scheduler yet",
    },
    {
      name: 'reports a group with an empty phase',
      existing: inPhase(''),
      expected: "PodGroup mnist has not been processed by Volcano's scheduler yet",
    },
    {
      name: 'reports a group that is not admitted',
      existing: inPhase('Pending'),
      expected: 'PodGroup mnist waits for capacity in queue default',
    },
    {
      name: "reports a group that is not admitted, with the scheduler's message",
      existing: inPhase('Pending', [
        { type: 'Unschedulable', status: 'True', reason: 'NotEnoughResources', message: 'queue is full' },
      ]),
      expected: 'PodGroup mnist waits for capacity in queue default: NotEnoughResources: queue is full',
    },
    { name: 'is undefined for an admitted group', existing: inPhase('Inqueue'), expected: undefined },
    { name: 'is undefined while it runs', existing: inPhase('Running'), expected: undefined },
    { name: 'is undefined if only some pods run', existing: inPhase('Unknown'), expected: undefined },
    { name: 'is undefined for a completed group', existing: inPhase('Completed'), expected: undefined },
  ])('$name', ({ existing, expected }) => {
    expect(VOLCANO.groups.waitsFor(existing)).toBe(expected);
  });
});

describe('unschedulable of Volcano', () => {
  const unschedulable = {
    type: 'Unschedulable',
    status: 'True',
    reason: 'NotEnoughResources',
    message: '12/0 tasks in gang unschedulable',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  };
  const scheduled = { type: 'Scheduled', status: 'True', reason: 'tasks in gang are ready to be scheduled' };

  it.each([
    {
      name: 'the newest condition',
      existing: inPhase('Inqueue', [unschedulable, { ...scheduled, lastTransitionTime: '2029-12-31T23:59:59Z' }]),
      expected: 'NotEnoughResources: 12/0 tasks in gang unschedulable',
    },
    {
      name: 'undefined after the pods were placed',
      existing: inPhase('Inqueue', [unschedulable, { ...scheduled, lastTransitionTime: '2030-01-01T00:00:01Z' }]),
      expected: undefined,
    },
    {
      name: 'undefined while its pods are being created',
      existing: inPhase('Inqueue', [{ ...unschedulable, reason: 'NotEnoughTasks' }]),
      expected: undefined,
    },
    { name: 'undefined while the gang runs', existing: inPhase('Running', [unschedulable]), expected: undefined },
    {
      name: 'undefined if the condition is False',
      existing: inPhase('Inqueue', [{ ...unschedulable, status: 'False' }]),
      expected: undefined,
    },
    { name: 'undefined without conditions', existing: inPhase('Inqueue'), expected: undefined },
  ])('is $name', ({ existing, expected }) => {
    expect(VOLCANO.groups.unschedulable(existing)).toBe(expected);
  });

  it('reports too few pods of a task after all are created', () => {
    const message = 'Not enough valid pods of each task for gang-scheduling';
    const existing = inPhase('Inqueue', [{ ...unschedulable, reason: 'NotEnoughPodsOfTask', message }]);
    const since = Date.parse(unschedulable.lastTransitionTime);
    expect(VOLCANO.groups.unschedulable(existing, since - 1000)).toBe(`NotEnoughPodsOfTask: ${message}`);
    expect(VOLCANO.groups.unschedulable(existing, since)).toBeUndefined();
    expect(VOLCANO.groups.unschedulable(existing)).toBeUndefined();
  });
});
