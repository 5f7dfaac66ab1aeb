/**
 * Kubernetes' own gang scheduling (scheduling.k8s.io, PodGroup): any kube-scheduler with the feature gate GangScheduling places
 * the pods. The spec of a group cannot be changed in Kubernetes 1.36, so one of another size is made when the job has no pods.
 * A group stays until no pod that may still run names it: the API server gives it a finalizer, which the controller manager
 * takes away. The API's Workload is left out: it is a template of groups, which no scheduler reads.
 */
import { NATIVE_POD_GROUPS, type NativePodGroup, type Pod, type PodSpec } from '@muster/job-api';
import type { GroupingScheduler } from './gang-scheduler.ts';
import { podGroup } from './pod-group.ts';

/** Is what this version's conditions say, until the group has been placed for the first time; no word of it changes later. */
const SCHEDULED = 'PodGroupScheduled';

type GroupedSpec = PodSpec & { schedulingGroup?: { podGroupName?: string } };

export const KUBERNETES: GroupingScheduler<NativePodGroup> = {
  name: 'kubernetes',
  schedulerName: undefined,
  reads: ['minAvailable'],
  groups: {
    resource: NATIVE_POD_GROUPS,
    isReplaceable: true,
    desired: (job, { minMember }) =>
      podGroup(NATIVE_POD_GROUPS, job, { schedulingPolicy: { gang: { minCount: minMember } } }),
    change: (existing, wanted) => (least(existing) === least(wanted) ? undefined : 'Recreate'),
    least,
    isMember: ({ spec }) => (spec as GroupedSpec | undefined)?.schedulingGroup?.podGroupName !== undefined,
    waitsFor: (existing) => (existing === undefined ? 'its PodGroup is being made' : undefined),
    speaksForPods: (existing) => scheduled(existing)?.status !== 'True',
    unschedulable(existing) {
      const { status, reason, message } = scheduled(existing) ?? {};
      return status === 'False' ? [reason, message].filter(Boolean).join(': ') || undefined : undefined;
    },
  },
  decorate: (pod, job) => withGroup(pod, job.metadata.name),
};

function withGroup(pod: Pod, podGroupName: string): Pod {
  return pod.spec ? { ...pod, spec: { schedulingGroup: { podGroupName }, ...pod.spec } as PodSpec } : pod;
}

function least({ spec }: NativePodGroup): number {
  return spec?.schedulingPolicy?.gang?.minCount ?? 1;
}

function scheduled(group: NativePodGroup | undefined) {
  return group?.status?.conditions?.find(({ type }) => type === SCHEDULED);
}
