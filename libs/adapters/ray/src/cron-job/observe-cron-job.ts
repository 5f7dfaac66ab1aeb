/** Observes a RayCronJob from the context of a reconcile run. The manifest may be invalid. */
import { type JobContext } from '@muster/common-job-controller';
import { hasCondition, momentOf, type RayCronJob } from '@muster/job-api';
import { runsOf } from './cron-run.ts';
import type { CronRecord, ObservedCronJob } from './cron-step.ts';

export function observedCronJob(manifest: RayCronJob, context: JobContext): ObservedCronJob {
  const { metadata, spec, status } = manifest;
  const { name = '', creationTimestamp } = metadata ?? {};
  // The engine's record, which also exists under KubeRay's CustomResourceDefinition.
  const { conditions = [] } = status?.muster ?? {};
  const resumed = conditions.find((each) => each.type === 'Suspended' && each.status === 'False');
  const resumedMs = momentOf(resumed?.lastTransitionTime);
  return {
    ...{ name, spec, nowMs: context.nowMs, record: recordOf(status) },
    createdMs: momentOf(creationTimestamp) ?? context.nowMs,
    wasSuspended: hasCondition(conditions, 'Suspended'),
    ...(resumedMs !== undefined && { resumedMs }),
    runs: runsOf(manifest, context.ownedResources),
  };
}

function recordOf(status: RayCronJob['status']): CronRecord {
  const { lastScheduleTime, lastMissedTime, scheduleStartTime, observedSchedule } = status ?? {};
  const [lastScheduleMs, lastMissedMs, scheduleStartMs] = [lastScheduleTime, lastMissedTime, scheduleStartTime].map(
    momentOf,
  );
  return {
    ...(lastScheduleMs !== undefined && { lastScheduleMs }),
    ...(lastMissedMs !== undefined && { lastMissedMs }),
    ...(scheduleStartMs !== undefined && { scheduleStartMs }),
    ...(observedSchedule !== undefined && { observedSchedule }),
  };
}
