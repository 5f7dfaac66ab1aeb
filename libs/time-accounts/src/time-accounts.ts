/**
 * Where a job's time went, in its status. The sum of all accounts is the time from the job's creation to `until`. They change only in a
 * status that is written for another reason, so they cost no write: the time after `until` belongs to `account`.
 */
import {
  EXCLUDED_ACCOUNTS,
  isFinished,
  momentOf,
  MOST_ATTEMPTS,
  PRODUCTIVE_ACCOUNTS,
  TIME_ACCOUNTS,
  timestamp,
  type FailureClass,
  type JobStatus,
  type TimeAccount,
  type TimeAccounts,
  type TimeAttempt,
  type TimeUse,
} from '@muster/job-api';
import { accountOf } from './account-of.ts';
import { useIn, type Hold, type PodUse } from './pod-use.ts';
import type { TimedReplica } from './timed-replica.ts';
import { timelineOf, type Period } from './timeline.ts';

const SECOND_MS = 1000;

/** Accounts that a failure causes. */
const LOST: ReadonlySet<string> = new Set(['Restarting', 'Recomputing'] satisfies TimeAccount[]);

/** A job at one moment. */
export interface TimedJob {
  readonly createdMs: number;
  readonly nowMs: number;
  readonly replicas: readonly TimedReplica[];
  readonly holds: readonly Hold[];
  /** Of its run policy. */
  readonly progressDeadlineSeconds?: number | undefined;
}

/** `after` with the accounts up to now, or up to the job's end. Unchanged for a job that had ended before. */
export function withTimeAccounts(job: TimedJob, before: JobStatus, after: JobStatus): JobStatus {
  if (isFinished(before)) return after;
  const { createdMs, nowMs, replicas, holds } = job;
  const known = before.timeAccounts;
  const fromMs = momentOf(known?.until) ?? createdMs;
  const endMs = isFinished(after) ? momentOf(after.completionTime) : undefined;
  const toMs = Math.max(fromMs, wholeSecond(endMs ?? nowMs));
  const furthestStep = furthest(known?.furthestStep, before.progress?.step, after.progress?.step);
  const reached = furthest(known?.furthestStep, before.progress?.step);
  const last = accountOf(after, replicas, { account: known?.account, furthestStep: reached });
  const deadlineMs = job.progressDeadlineSeconds && SECOND_MS * job.progressDeadlineSeconds;
  const periods = timelineOf({ fromMs, toMs, first: known?.account, last, before, after, replicas, deadlineMs });
  const cause = after.firstFailure?.class;
  const used = periods.map((period) => ({ period, use: useIn(period, holds) }));
  const accounts = sum(
    known?.accounts,
    used.map(({ period, use }) => [period.account, period, use] as const),
  );
  const lost = used.filter(({ period }) => LOST.has(period.account));
  const losses = sum(
    known?.losses,
    cause === undefined ? [] : lost.map(({ period, use }) => [cause, period, use] as const),
  );
  const timeAccounts: TimeAccounts = {
    ...(last !== undefined && { account: last }),
    until: timestamp(toMs),
    accounts,
    ...(Object.keys(losses).length > 0 && { losses }),
    attempts: attemptsWith(known?.attempts ?? [firstAttempt(createdMs)], periods, known?.account, cause),
    ...goodputText(accounts),
    ...(furthestStep !== undefined && { furthestStep }),
  };
  return { ...after, timeAccounts };
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

function furthest(...steps: readonly (number | undefined)[]): number | undefined {
  const known = steps.flatMap((step) => step ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}

type Addition = readonly [key: string, period: Period, use: PodUse];

function sum(before: Readonly<Record<string, TimeUse>> = {}, additions: readonly Addition[]): Record<string, TimeUse> {
  const total: Record<string, TimeUse> = { ...before };
  for (const [key, period, { podMs, resourceMs }] of additions) {
    if (secondsOf(period) === 0) continue;
    const { seconds = 0, podSeconds = 0, resourceSeconds = {} } = total[key] ?? {};
    const resources = { ...resourceSeconds };
    for (const [name, ms] of resourceMs) resources[name] = (resources[name] ?? 0) + Math.round(ms / SECOND_MS);
    total[key] = {
      seconds: seconds + secondsOf(period),
      podSeconds: podSeconds + Math.round(podMs / SECOND_MS),
      ...(Object.keys(resources).length > 0 && { resourceSeconds: resources }),
    };
  }
  return total;
}

function secondsOf({ fromMs, toMs }: Period): number {
  return (toMs - fromMs) / SECOND_MS;
}

function firstAttempt(createdMs: number): TimeAttempt {
  return { startTime: timestamp(createdMs), seconds: {} };
}

/** A failure of a job that ran begins the next attempt. */
function attemptsWith(
  before: readonly TimeAttempt[],
  periods: readonly Period[],
  first: TimeAccounts['account'],
  failure: FailureClass | undefined,
): TimeAttempt[] {
  const attempts = [...before];
  let previous = first;
  for (const period of periods) {
    const { account } = period;
    if (account === 'Restarting' && previous !== 'Restarting' && previous !== undefined)
      attempts.push({ startTime: timestamp(period.fromMs), ...(failure && { failure }), seconds: {} });
    const { seconds, ...attempt } = attempts.pop()!;
    attempts.push({ ...attempt, seconds: { ...seconds, [account]: (seconds[account] ?? 0) + secondsOf(period) } });
    previous = account;
  }
  return attempts.slice(-MOST_ATTEMPTS);
}

/** What `status.timeAccounts` would say now: the time since `until` belongs to the present account. */
export function timeAccountsAt(
  known: TimeAccounts,
  holds: readonly Hold[],
  failure: FailureClass | undefined,
  nowMs: number,
): Pick<TimeAccounts, 'accounts' | 'losses'> {
  const { account, accounts, losses = {} } = known;
  const fromMs = momentOf(known.until) ?? nowMs;
  if (account === undefined || nowMs <= fromMs) return { accounts, losses };
  const period = { account, fromMs, toMs: Math.max(fromMs, wholeSecond(nowMs)) };
  const use = useIn(period, holds);
  const isLost = failure !== undefined && LOST.has(account);
  return {
    accounts: sum(accounts, [[account, period, use]]),
    losses: sum(losses, isLost ? [[failure, period, use]] : []),
  };
}

function goodputText(accounts: Readonly<Record<string, TimeUse>>): Pick<TimeAccounts, 'goodput'> {
  const ratio = goodputOf(accounts);
  return ratio === undefined ? {} : { goodput: `${Math.floor(100 * ratio)}%` };
}

/** Between 0 and 1. Undefined before the first second that counts. */
export function goodputOf(accounts: Readonly<Record<string, TimeUse>>): number | undefined {
  const secondsIn = (isPart: (account: (typeof TIME_ACCOUNTS)[number]) => boolean) =>
    TIME_ACCOUNTS.filter(isPart).reduce((total, account) => total + (accounts[account]?.seconds ?? 0), 0);
  const all = secondsIn((account) => !EXCLUDED_ACCOUNTS.has(account));
  return all === 0 ? undefined : secondsIn((account) => PRODUCTIVE_ACCOUNTS.has(account)) / all;
}
