/**
 * What a RayCronJob does now: which run it creates, which runs it deletes, and what its status shows. A pure function of
 * its spec, its record, its runs and the time. The rules are those of Kubernetes' CronJob, with the exceptions in
 * docs/administrators/differences/raycronjob.md.
 *
 * A run is created before `lastScheduleTime` is written: its name follows from its time, so an operator that stops in
 * between finds the run.
 */
import type { JobWarning } from '@muster/common-job-controller';
import type { RayCronJob, RayCronJobSpec } from '@muster/job-api';
import { timeOf } from '../model/time-of.ts';
import type { CronRun } from './cron-run.ts';
import { parseSchedule, type CronSchedule, type ParsedSchedule } from './cron-schedule.ts';
import { isTimeZone } from './time-zone.ts';

/** The part of the status that decisions depend on. */
export interface CronRecord {
  readonly lastScheduleMs?: number;
  readonly lastMissedMs?: number;
  /** Schedule and time zone that `scheduleStartMs` refers to. */
  readonly observedSchedule?: string;
  readonly scheduleStartMs?: number;
}

export interface ObservedCronJob {
  readonly name: string;
  readonly spec: RayCronJobSpec;
  readonly record: CronRecord;
  readonly createdMs: number;
  /** Whether it was suspended in the last reconcile run. */
  readonly wasSuspended: boolean;
  readonly resumedMs?: number;
  readonly runs: readonly CronRun[];
  readonly nowMs: number;
}

export type CronReason = 'OnSchedule' | 'Suspended' | 'PreviousRunActive' | 'InvalidChange';

export interface CronStep {
  /** The scheduled time of the run to create. */
  readonly createsMs?: number;
  readonly keeps: readonly CronRun[];
  readonly record: CronRecord;
  readonly nextMs?: number;
  readonly reason: CronReason;
  readonly message: string;
  readonly warnings: readonly JobWarning[];
  readonly recheckAfterMs?: number;
}

export interface EvaluatedCronJob {
  readonly manifest: RayCronJob;
  readonly observed: ObservedCronJob;
  readonly step: CronStep;
}

/** Missed times are counted up to here. */
const MOST_COUNTED = 100;

function scheduleText({ schedule, timeZone }: Pick<RayCronJobSpec, 'schedule' | 'timeZone'>): string {
  return timeZone === undefined ? schedule : `${schedule} ${timeZone}`;
}

export function cronStep(observed: ObservedCronJob): CronStep {
  const { name, spec, runs } = observed;
  const record = withRuns(observed.record, runs);
  const keeps = keptRuns(spec, runs);
  const idle = { keeps, record, warnings: [] };
  if (spec.suspend === true) return { ...idle, reason: 'Suspended', message: `RayCronJob ${name} is suspended.` };
  const { schedule, problem } = scheduleOf(spec);
  if (schedule === undefined) return { ...idle, reason: 'InvalidChange', message: problem };
  return scheduledStep(observed, started(record, observed), schedule, keeps);
}

/** The spec may have been changed to an invalid one. */
function scheduleOf({ schedule, timeZone = 'UTC' }: RayCronJobSpec): ParsedSchedule {
  if (!isTimeZone(timeZone)) return { problem: `spec.timeZone: ${timeZone} is no time zone.` };
  const parsed = parseSchedule(schedule, timeZone);
  return parsed.problem === undefined ? parsed : { problem: `spec.schedule: ${parsed.problem}.` };
}

/** A run that exists was scheduled, whether the status shows it or not. */
function withRuns(record: CronRecord, runs: readonly CronRun[]): CronRecord {
  const last = Math.max(record.lastScheduleMs ?? -Infinity, ...runs.map(({ tickMs = -Infinity }) => tickMs));
  return Number.isFinite(last) ? { ...record, lastScheduleMs: last } : record;
}

/** A changed schedule, and a resumed one, counts from now. */
function started(record: CronRecord, { spec, wasSuspended, nowMs }: ObservedCronJob): CronRecord {
  const observedSchedule = scheduleText(spec);
  const isChanged = record.observedSchedule !== undefined && record.observedSchedule !== observedSchedule;
  // In whole seconds, as the status stores it.
  const scheduleStartMs = Math.floor(nowMs / 1000) * 1000;
  return { ...record, observedSchedule, ...((isChanged || wasSuspended) && { scheduleStartMs }) };
}

function scheduledStep(
  { spec, createdMs, resumedMs = createdMs, runs, nowMs }: ObservedCronJob,
  record: CronRecord,
  schedule: CronSchedule,
  keeps: readonly CronRun[],
): CronStep {
  const { scheduleStartMs = createdMs, lastScheduleMs = createdMs, lastMissedMs = createdMs } = record;
  const startMs = Math.max(createdMs, resumedMs, scheduleStartMs, lastScheduleMs, lastMissedMs);
  const followingMs = schedule.next(nowMs, startMs);
  const latestMs = schedule.last(startMs, nowMs);
  const next = { nextMs: followingMs, recheckAfterMs: followingMs - nowMs };
  const waits = { keeps, record, warnings: [], reason: 'OnSchedule', message: nextRun(followingMs), ...next } as const;
  if (latestMs === undefined) return waits;

  const deadlineMs = latestMs + (spec.startingDeadlineSeconds ?? Infinity) * 1000;
  const isLate = nowMs > deadlineMs;
  const missedMs = isLate ? latestMs : schedule.last(startMs, latestMs - 1);
  const earlier = schedule.countBetween(startMs, latestMs, MOST_COUNTED);
  const known = { ...record, ...(missedMs !== undefined && { lastMissedMs: missedMs }) };
  const warnings = missedMs === undefined ? [] : [missedRuns(earlier + (isLate ? 1 : 0), missedMs, isLate)];
  if (isLate) return { ...waits, record: known, warnings };

  const due = { keeps, record: known, warnings, nextMs: latestMs } as const;
  const active = runs.find(({ end }) => end === undefined);
  const { concurrencyPolicy: policy = 'Allow' } = spec;
  if (policy === 'Forbid' && active !== undefined) {
    const message =
      `The run of ${timeOf(latestMs)} waits until RayJob ${active.name} has ended (concurrencyPolicy Forbid): ` +
      'delete that RayJob, or set another policy, to start it now.';
    const recheckMs = Math.min(followingMs, deadlineMs + 1);
    return { ...due, reason: 'PreviousRunActive', message, recheckAfterMs: recheckMs - nowMs };
  }
  return {
    ...due,
    createsMs: latestMs,
    keeps: policy === 'Replace' ? keeps.filter(({ end }) => end !== undefined) : keeps,
    reason: 'OnSchedule',
    // As before its time, so that the status is written once for each run, when it exists.
    message: nextRun(latestMs),
    recheckAfterMs: next.recheckAfterMs,
  };
}

function nextRun(tickMs: number): string {
  return `The next run is at ${timeOf(tickMs)}.`;
}

function missedRuns(count: number, lastMs: number, isLate: boolean): JobWarning {
  const number = count >= MOST_COUNTED ? `At least ${MOST_COUNTED}` : String(count);
  const what = count === 1 ? `The run of ${timeOf(lastMs)} was` : `${number} runs up to that of ${timeOf(lastMs)} were`;
  const then = isLate ? ' within startingDeadlineSeconds' : '; only the latest one that is due is created';
  return { reason: 'MissedSchedule', note: `${what} not created${then}.` };
}

/** Without ended runs over the limits. */
function keptRuns(
  { successfulJobsHistoryLimit = Infinity, failedJobsHistoryLimit = Infinity }: RayCronJobSpec,
  runs: readonly CronRun[],
): CronRun[] {
  const newest = (end: CronRun['end'], limit: number) =>
    runs
      .filter((run) => run.end === end)
      .toSorted((a, b) => orderOf(b) - orderOf(a))
      .slice(0, limit);
  const kept = new Set([
    ...runs.filter(({ end }) => end === undefined),
    ...newest('Succeeded', successfulJobsHistoryLimit),
    ...newest('Failed', failedJobsHistoryLimit),
  ]);
  return runs.filter((run) => kept.has(run));
}

function orderOf({ tickMs, endMs }: CronRun): number {
  return tickMs ?? endMs ?? 0;
}
