/**
 * Kubernetes' own gang scheduling (scheduling.k8s.io, PodGroup), with the feature gate GangScheduling. A group's spec is immutable in
 * Kubernetes 1.36; in 1.37 only its minimum can be changed. So a group of another size is created when the job has no pods. A group has a
 * finalizer until no pod that may run names it. The API's Workload is a template that no scheduler reads.
 */
import { ANNOTATIONS, NATIVE_POD_GROUPS, type NativePodGroup, type Pod, type PodSpec } from '@muster/job-api';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import type { GroupingScheduler } from '../contract/gang-scheduler.ts';
import { groupNameOf, rolesOfGroup } from './own-groups.ts';
import { podGroup } from './pod-group.ts';

/** True from the first placement of the group on: in Kubernetes 1.36, and since 1.37. */
const SCHEDULED = ['PodGroupScheduled', 'PodGroupInitiallyScheduled'];

type GroupedSpec = PodSpec & { schedulingGroup?: { podGroupName?: string } };

export const KUBERNETES: GroupingScheduler<NativePodGroup> = {
  name: 'kubernetes',
  schedulerName: undefined,
  reads: ['minAvailable', 'priorityClass', ANNOTATIONS.gangTopology],
  groups: {
    resource: NATIVE_POD_GROUPS,
    isReplaceable: true,
    desired: (job, { minMember }, roles = job.roles) =>
      podGroup(NATIVE_POD_GROUPS, job, {
        schedulingPolicy: { gang: { minCount: minMember } },
        ...wishes(job),
        ...withPriority(priorityClassOf(job, roles)),
      }),
    change: (existing, wanted) => (least(existing) === least(wanted) ? undefined : 'Recreate'),
    least,
    isMember: isGrouped,
    waitsFor: (existing) => (existing === undefined ? 'its PodGroup is being created' : undefined),
    speaksForPods: (existing) => scheduled(existing)?.status !== 'True',
    unschedulable(existing) {
      const { status, reason, message } = scheduled(existing) ?? {};
      return status === 'False' ? [reason, message].filter(Boolean).join(': ') || undefined : undefined;
    },
    unmetRequest,
  },
  decorate: (pod, job, { role }) =>
    withGroup(pod, groupNameOf(job, role), priorityClassOf(job, rolesOfGroup(job, role))),
  shortcoming(job) {
    return job.roles.some((role) => !hasOnePriority(job, rolesOfGroup(job, role)))
      ? 'Kubernetes 1.37 places a pod group only if its priority equals that of each pod: set the same priorityClassName in the ' +
          'templates of all roles that start together, or only schedulingPolicy.priorityClass'
      : undefined;
  },
};

function withGroup(pod: Pod, podGroupName: string, priorityClass: string | undefined): Pod {
  if (pod.spec === undefined || isGrouped(pod)) return pod;
  const spec = { schedulingGroup: { podGroupName }, ...withPriority(priorityClass), ...pod.spec };
  return { ...pod, spec };
}

function isGrouped({ spec }: Pod): boolean {
  return (spec as GroupedSpec | undefined)?.schedulingGroup?.podGroupName !== undefined;
}

/** Since Kubernetes 1.37 the scheduler places a group only if its priority equals that of each pod. */
function priorityClassOf(job: TrainingJob, roles: readonly ReplicaRole[]): string | undefined {
  const [first, ...others] = new Set(roles.map(({ template }) => template.spec?.priorityClassName));
  return policyClass(job) ?? (others.length === 0 ? first : undefined);
}

function hasOnePriority(job: TrainingJob, roles: readonly ReplicaRole[]): boolean {
  const ofGroup = priorityClassOf(job, roles);
  return roles.every(({ template }) => (template.spec?.priorityClassName ?? policyClass(job)) === ofGroup);
}

function policyClass({ runPolicy }: TrainingJob): string | undefined {
  return runPolicy.schedulingPolicy?.priorityClass || undefined;
}

function withPriority(priorityClassName: string | undefined) {
  return priorityClassName === undefined ? {} : { priorityClassName };
}

/** Fields that an API server drops if their feature gates are off. Kubernetes 1.37 always keeps the priority. */
const GATES = {
  priorityClassName: 'WorkloadAwarePreemption',
  schedulingConstraints: 'TopologyAwareWorkloadScheduling',
} as const;

type Wishes = Pick<NonNullable<NativePodGroup['spec']>, keyof typeof GATES>;

function wishes(job: TrainingJob): Wishes {
  const key = job.metadata.annotations?.[ANNOTATIONS.gangTopology];
  return {
    ...withPriority(policyClass(job)),
    ...(key && { schedulingConstraints: { topology: [{ key }] } }),
  };
}

function unmetRequest({ metadata, spec = {} }: NativePodGroup, job: TrainingJob): string | undefined {
  const wished = Object.keys(wishes(job)) as (keyof Wishes)[];
  const missing = wished.filter((field) => spec[field] === undefined);
  if (missing.length === 0) return undefined;
  const gates = missing.map((field) => GATES[field]);
  return (
    `PodGroup ${metadata?.name} has no ${missing.join(' and ')}, although the job requests it: enable the feature gates ` +
    `${gates.join(' and ')} in API server and scheduler. If the group is older than the request, suspend and resume the job`
  );
}

function least({ spec }: NativePodGroup): number {
  return spec?.schedulingPolicy?.gang?.minCount ?? 1;
}

function scheduled(group: NativePodGroup | undefined) {
  return group?.status?.conditions?.find(({ type = '' }) => SCHEDULED.includes(type));
}
