/** The public status of a RayCronJob: KubeRay's `lastScheduleTime`, fields of Kubernetes' CronJob, and conditions. */
import { type StatusView } from '@muster/common-job-controller';
import {
  INVALID_SPEC,
  type JobStatus,
  momentOf,
  type RayCondition,
  type RayCronJob,
  type RayCronJobStatus,
} from '@muster/job-api';
import { timeOf } from '../model/time-of.ts';
import type { CronRun } from './cron-run.ts';
import type { CronStep, EvaluatedCronJob } from './cron-step.ts';

type News = Pick<RayCondition, 'type' | 'status' | 'reason' | 'message'>;

const MOST_ACTIVE = 100;

export function cronJobStatus(
  record: JobStatus,
  { manifest, job, context }: StatusView<RayCronJob, EvaluatedCronJob>,
): RayCronJobStatus {
  const { muster: _record, conditions: before = [], ...known } = manifest.status ?? {};
  const { observedGeneration } = record;
  const news = [scheduled(record, manifest, job?.options.step), ...failureOf(record)];
  return {
    ...(job === undefined ? known : shownOf(known.lastSuccessfulTime, job.options)),
    conditions: news.map((each) => withTime(each, before, timeOf(context.nowMs))),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}

function shownOf(lastSuccessfulTime: string | undefined, { observed, step }: EvaluatedCronJob): RayCronJobStatus {
  const { lastScheduleMs, lastMissedMs, observedSchedule, scheduleStartMs } = step.record;
  const succeeded = observed.runs.flatMap(({ end, endMs }) =>
    end === 'Succeeded' && endMs !== undefined ? [endMs] : [],
  );
  const lastSuccessMs = Math.max(momentOf(lastSuccessfulTime) ?? -Infinity, ...succeeded);
  const active = observed.runs.filter(({ end }) => end === undefined).toSorted((a, b) => tickOf(a) - tickOf(b));
  return {
    ...timeIn('lastScheduleTime', lastScheduleMs),
    ...timeIn('lastSuccessfulTime', lastSuccessMs),
    ...timeIn('nextScheduleTime', step.nextMs),
    ...timeIn('lastMissedTime', lastMissedMs),
    active: active.slice(0, MOST_ACTIVE).map(({ name, uid }) => ({ name, uid })),
    ...(observedSchedule !== undefined && { observedSchedule }),
    ...timeIn('scheduleStartTime', scheduleStartMs),
  };
}

function timeIn<Field extends string>(field: Field, ms: number | undefined): Partial<Record<Field, string>> {
  return ms === undefined || !Number.isFinite(ms) ? {} : ({ [field]: timeOf(ms) } as Record<Field, string>);
}

function tickOf({ tickMs = 0 }: CronRun): number {
  return tickMs;
}

function scheduled(
  { conditions = [], observedGeneration }: JobStatus,
  { metadata }: RayCronJob,
  step?: CronStep,
): News {
  const type = 'Scheduled';
  const find = (wanted: string) => conditions.find((each) => each.type === wanted && each.status === 'True');
  const invalid = find('Failed');
  if (step === undefined || invalid?.reason === INVALID_SPEC) {
    return { type, status: 'False', reason: INVALID_SPEC, message: invalid?.message ?? '' };
  }
  const { reason, message } = step;
  // A changed spec that cannot be applied: the engine's message says why.
  if (reason !== 'Suspended' && observedGeneration !== undefined && observedGeneration !== metadata?.generation) {
    return { type, status: 'False', reason: 'InvalidChange', message: find('Running')?.message ?? message };
  }
  return { type, status: reason === 'OnSchedule' ? 'True' : 'False', reason, message };
}

function failureOf({ conditions = [] }: JobStatus): News[] {
  const failure = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (failure === undefined) return [];
  const { type, reason = 'FailedCreate', message = '' } = failure;
  return [{ type, status: 'True', reason, message }];
}

function withTime(news: News, before: readonly RayCondition[], now: string): RayCondition {
  const { status, lastTransitionTime } = before.find(({ type }) => type === news.type) ?? {};
  return { ...news, lastTransitionTime: status === news.status && lastTransitionTime ? lastTransitionTime : now };
}
