/**
 * The plugin Coscheduling of kubernetes-sigs/scheduler-plugins, used as in kubeflow/training-operator,
 * pkg/controller.v1/control/podgroup_control.go. It counts existing pods, so they are created at once.
 */
import { COSCHEDULING_POD_GROUPS, type CoschedulingPodGroup } from '@muster/job-api';
import type { GroupingScheduler } from '../contract/gang-scheduler.ts';
import { withMarks } from './marks.ts';
import { groupNameOf } from './own-groups.ts';
import { podGroup, podGroupChange } from './pod-group.ts';

const GROUP_LABEL = 'scheduling.x-k8s.io/pod-group';

export function schedulerPlugins(schedulerName: string): GroupingScheduler<CoschedulingPodGroup> {
  return {
    name: 'scheduler-plugins',
    schedulerName,
    reads: ['minAvailable', 'minResources', 'scheduleTimeoutSeconds'],
    groups: {
      resource: COSCHEDULING_POD_GROUPS,
      desired(job, { minMember, minResources }) {
        const { scheduleTimeoutSeconds } = job.runPolicy.schedulingPolicy ?? {};
        return podGroup(COSCHEDULING_POD_GROUPS, job, {
          minMember,
          ...(minResources && { minResources }),
          ...(scheduleTimeoutSeconds !== undefined && { scheduleTimeoutSeconds }),
        });
      },
      change: (existing, wanted) =>
        podGroupChange(existing, wanted, ['minMember', 'minResources', 'scheduleTimeoutSeconds']),
      waitsFor: () => undefined,
      // The plugin reports failures in the pods' conditions.
      speaksForPods: () => false,
      unschedulable: () => undefined,
    },
    decorate: (pod, job, { role }) =>
      withMarks(pod, { schedulerName, labels: { [GROUP_LABEL]: groupNameOf(job, role) } }),
  };
}
