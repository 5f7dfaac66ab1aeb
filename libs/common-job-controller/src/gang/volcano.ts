/**
 * Volcano's PodGroup, used as in kubeflow/training-operator, pkg/controller.v1/control/podgroup_control.go. Pods are created after Volcano
 * has admitted the group: its queue has capacity for it.
 */
import { momentOf, VOLCANO_POD_GROUPS, type VolcanoPodGroup, type VolcanoPodGroupCondition } from '@muster/job-api';
import { networkTopology, networkTopologyProblem } from './network-topology.ts';
import type { GroupingScheduler } from '../contract/gang-scheduler.ts';
import { withMarks } from './marks.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { groupNameOf } from './own-groups.ts';
import { podGroup, podGroupChange } from './pod-group.ts';

const SCHEDULER = 'volcano';
const GROUP_ANNOTATION = 'scheduling.k8s.io/group-name';
const TASK_ANNOTATION = 'volcano.sh/task-spec';
/** Volcano's own annotation for the queue of pods without a group. */
const QUEUE_ANNOTATION = 'scheduling.volcano.sh/queue-name';
const DEFAULT_QUEUE = 'default';
/** Reasons that only mean that pods are still being created. */
const INCOMPLETE = ['NotEnoughTasks', 'NotEnoughPodsOfTask'];

export const VOLCANO: GroupingScheduler<VolcanoPodGroup> = {
  name: 'volcano',
  schedulerName: SCHEDULER,
  reads: ['minAvailable', 'minResources', 'queue', 'priorityClass'],
  groups: {
    resource: VOLCANO_POD_GROUPS,
    desired(job, { minMember, minMembers, minResources }) {
      const { queue, priorityClass } = job.runPolicy.schedulingPolicy ?? {};
      return podGroup(VOLCANO_POD_GROUPS, job, {
        minMember,
        ...(minMembers && minMembers.size > 0 && haveTasksOfRoles(job) && { minTaskMember: tasks(minMembers) }),
        queue: queue || job.metadata.annotations?.[QUEUE_ANNOTATION] || DEFAULT_QUEUE,
        ...(priorityClass && { priorityClassName: priorityClass }),
        ...(minResources && { minResources }),
        ...networkTopology(job.metadata),
      });
    },
    change(existing, wanted) {
      // A group remains in its queue: an administrator may have moved it.
      const queue = existing.spec?.queue ? [] : ['queue'];
      // If the job does not set a topology, a value set by others is kept.
      const topology = wanted.spec?.networkTopology ? ['networkTopology'] : [];
      const fields = ['minMember', 'minTaskMember', 'minResources', 'priorityClassName', ...queue, ...topology];
      return podGroupChange(existing, wanted, fields);
    },
    waitsFor(existing) {
      if (existing === undefined) return 'its PodGroup is being created';
      const { phase } = existing.status ?? {};
      const name = `PodGroup ${existing.metadata?.name}`;
      if (phase === undefined || phase === '') return `${name} has not been processed by Volcano's scheduler yet`;
      if (phase !== 'Pending') return undefined;
      const message = unschedulableMessage(existing);
      return `${name} waits for capacity in queue ${existing.spec?.queue ?? DEFAULT_QUEUE}${message === undefined ? '' : `: ${message}`}`;
    },
    speaksForPods: () => true,
    unschedulable(existing, madeMs) {
      const { phase } = existing.status ?? {};
      return phase === 'Running' || phase === 'Completed' ? undefined : unschedulableMessage(existing, madeMs);
    },
  },
  decorate: (pod, job, { role }) =>
    withMarks(pod, {
      schedulerName: SCHEDULER,
      annotations: { [GROUP_ANNOTATION]: groupNameOf(job, role), [TASK_ANNOTATION]: taskOf(role) },
    }),
  shortcoming: ({ metadata }) => networkTopologyProblem(metadata),
};

function taskOf({ name }: ReplicaRole): string {
  return name.toLowerCase();
}

function tasks(minMembers: ReadonlyMap<ReplicaRole, number>): Record<string, number> {
  return Object.fromEntries([...minMembers].map(([role, count]) => [taskOf(role), count]));
}

/** Volcano would not find pods with other tasks in their templates under their role, so the gang would never start. */
function haveTasksOfRoles({ roles }: TrainingJob): boolean {
  return roles.every(
    (role) => (role.template.metadata?.annotations?.[TASK_ANNOTATION] ?? taskOf(role)) === taskOf(role),
  );
}

/** @param madeMs when the last pod was created; undefined while pods are missing */
function unschedulableMessage({ status }: VolcanoPodGroup, madeMs = Infinity): string | undefined {
  const conditions = (status?.conditions ?? []).filter((condition) => condition.status === 'True');
  const [newest] = conditions.sort((a, b) => since(b) - since(a));
  if (newest?.type !== 'Unschedulable') return undefined;
  if (INCOMPLETE.includes(newest.reason ?? '') && since(newest) <= madeMs) return undefined;
  return [newest.reason, newest.message].filter(Boolean).join(': ') || undefined;
}

function since({ lastTransitionTime }: VolcanoPodGroupCondition): number {
  return momentOf(lastTransitionTime) ?? 0;
}
