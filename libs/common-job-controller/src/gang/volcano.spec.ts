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
    ['of the annotation, where the policy names none', '', { [QUEUE]: 'annotated' }, 'annotated'],
    ['called default, where the annotation names none', undefined, { [QUEUE]: '' }, 'default'],
  ])('goes into the queue %s', (_which, queue, annotations, wanted) => {
    const job = trainingJob([WORKER], { annotations, ...(queue !== undefined && { schedulingPolicy: { queue } }) });
    expect(VOLCANO.groups.desired(job, SIZE).spec?.queue).toBe(wanted);
  });

  it('goes into the default queue, without what nobody asked for', () => {
    expect(VOLCANO.groups.desired(trainingJob([WORKER]), { minMember: 2, minResources: undefined }).spec).toEqual({
      minMember: 2,
      queue: 'default',
    });
  });
});

describe('the members that a PodGroup of Volcano asks for by task', () => {
  const minMembers = (worker: ReplicaRole) => ({ ...SIZE, minMembers: new Map([[worker, 1]]) });

  it('are those of roles', () => {
    expect(VOLCANO.groups.desired(trainingJob([WORKER]), minMembers(WORKER)).spec?.minTaskMember).toEqual({
      worker: 1,
    });
  });

  it('are not asked for where templates say themselves of which task they are', () => {
    const annotations = { 'volcano.sh/task-spec': 'mine' };
    const own = { ...WORKER, template: { ...WORKER.template, metadata: { annotations } } };
    expect(VOLCANO.groups.desired(trainingJob([own]), minMembers(own)).spec?.minTaskMember).toBeUndefined();
  });
});

describe('a change of the PodGroup of Volcano', () => {
  const spec = GROUP.spec ?? {};

  it.each<{ name: string; existing: VolcanoPodGroup; patch: object | undefined }>([
    { name: 'nothing where nothing differs', existing: inPhase('Running'), patch: undefined },
    {
      name: 'nothing for equal amounts in other words',
      existing: { ...GROUP, spec: { ...spec, minResources: { cpu: '2000m' } } },
      patch: undefined,
    },
    {
      name: 'nothing for what others have added',
      existing: {
        metadata: { ...GROUP.metadata, annotations: { theirs: 'yes' }, labels: { theirs: 'yes' }, finalizers: ['x/y'] },
        spec: { ...spec, ...{ networkTopology: { mode: 'hard' } } },
        status: { phase: 'Running' },
      },
      patch: undefined,
    },
    {
      name: 'nothing for a group that was moved to another queue',
      existing: { ...GROUP, spec: { ...spec, queue: 'moved' } },
      patch: undefined,
    },
    {
      name: 'the queue of a group that has none',
      existing: { ...GROUP, spec: { ...spec, queue: '' } },
      patch: { spec: { queue: 'default' } },
    },
    {
      name: 'another size',
      existing: { ...GROUP, spec: { ...spec, minMember: 3, minResources: { cpu: '3' } } },
      patch: { spec: { minMember: 2, minResources: { cpu: '2' } } },
    },
    {
      name: 'away what is no longer wanted',
      existing: {
        ...GROUP,
        spec: { ...spec, priorityClassName: 'high', minResources: { cpu: '2', 'nvidia.com/gpu': '8' } },
      },
      patch: { spec: { priorityClassName: null, minResources: { 'nvidia.com/gpu': null } } },
    },
  ])('brings $name', ({ existing, patch }) => {
    expect(VOLCANO.groups.change(existing, GROUP)).toEqual(patch);
  });

  it('brings an annotation that the job got meanwhile', () => {
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

  it('names its scheduler, its group and its role', () => {
    const pod: Pod = { metadata: { name: 'mnist-worker-1', annotations: { mine: 'yes' } }, spec: podSpec() };
    expect(decorate(pod)).toEqual({
      metadata: {
        name: 'mnist-worker-1',
        annotations: { mine: 'yes', 'scheduling.k8s.io/group-name': 'mnist', 'volcano.sh/task-spec': 'worker' },
      },
      spec: { ...podSpec(), schedulerName: 'volcano' },
    });
  });

  it('keeps what the user has set', () => {
    const annotations = { 'scheduling.k8s.io/group-name': 'both-jobs', 'volcano.sh/task-spec': 'trainer' };
    const pod: Pod = { metadata: { annotations }, spec: podSpec({}, { schedulerName: 'mine' }) };
    expect(decorate(pod)).toEqual(pod);
  });

  it('leaves the pod that it is given as it is', () => {
    const pod: Pod = { metadata: Object.freeze({}), spec: Object.freeze(podSpec()) };
    decorate(Object.freeze(pod));
    expect(pod).toEqual({ metadata: {}, spec: podSpec() });
  });
});

describe('waiting for Volcano', () => {
  it.each<{ name: string; existing: VolcanoPodGroup | undefined; says: string | undefined }>([
    { name: 'for the group', existing: undefined, says: 'its PodGroup is being made' },
    {
      name: 'for the first look of the scheduler',
      existing: GROUP,
      says: "PodGroup mnist has not been looked at by Volcano's scheduler yet",
    },
    {
      name: 'for the first look, also where the phase is empty',
      existing: inPhase(''),
      says: "PodGroup mnist has not been looked at by Volcano's scheduler yet",
    },
    { name: 'for room', existing: inPhase('Pending'), says: 'PodGroup mnist waits for room in queue default' },
    {
      name: 'for room, in the words of the scheduler',
      existing: inPhase('Pending', [
        { type: 'Unschedulable', status: 'True', reason: 'NotEnoughResources', message: 'queue is full' },
      ]),
      says: 'PodGroup mnist waits for room in queue default: NotEnoughResources: queue is full',
    },
    { name: 'no longer once let in', existing: inPhase('Inqueue'), says: undefined },
    { name: 'no longer while it runs', existing: inPhase('Running'), says: undefined },
    { name: 'not where some pods run and others cannot', existing: inPhase('Unknown'), says: undefined },
    { name: 'not at the end', existing: inPhase('Completed'), says: undefined },
  ])('goes on $name', ({ existing, says }) => {
    expect(VOLCANO.groups.waitsFor(existing)).toBe(says);
  });
});

describe('what Volcano complains of', () => {
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
      says: 'NotEnoughResources: 12/0 tasks in gang unschedulable',
    },
    {
      name: 'nothing once the pods were placed after all',
      existing: inPhase('Inqueue', [unschedulable, { ...scheduled, lastTransitionTime: '2030-01-01T00:00:01Z' }]),
      says: undefined,
    },
    {
      name: 'nothing while its pods are being made',
      existing: inPhase('Inqueue', [{ ...unschedulable, reason: 'NotEnoughTasks' }]),
      says: undefined,
    },
    { name: 'nothing while the gang runs', existing: inPhase('Running', [unschedulable]), says: undefined },
    {
      name: 'nothing when the condition does not hold',
      existing: inPhase('Inqueue', [{ ...unschedulable, status: 'False' }]),
      says: undefined,
    },
    { name: 'nothing without conditions', existing: inPhase('Inqueue'), says: undefined },
  ])('is $name', ({ existing, says }) => {
    expect(VOLCANO.groups.unschedulable(existing)).toBe(says);
  });

  it('is that there are too few pods of a task, once all are made', () => {
    const message = 'Not enough valid pods of each task for gang-scheduling';
    const existing = inPhase('Inqueue', [{ ...unschedulable, reason: 'NotEnoughPodsOfTask', message }]);
    const since = Date.parse(unschedulable.lastTransitionTime);
    expect(VOLCANO.groups.unschedulable(existing, since - 1000)).toBe(`NotEnoughPodsOfTask: ${message}`);
    expect(VOLCANO.groups.unschedulable(existing, since)).toBeUndefined();
    expect(VOLCANO.groups.unschedulable(existing)).toBeUndefined();
  });
});
