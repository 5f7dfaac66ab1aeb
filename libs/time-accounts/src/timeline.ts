/**
 * What happened between two status writes, by the timestamps of pods and of the status: so the accounts are exact although a status is
 * written late, and although no operator ran meanwhile.
 */
import { momentOf, type JobStatus, type TimeAccount } from '@muster/job-api';
import { BEFORE_START } from './account-of.ts';
import { acceptedMs, createdMs, endedMs, isGated, startedMs } from './pod-times.ts';
import { hasRun, type TimedReplica } from './timed-replica.ts';

/** A period of one account. Periods of a timeline follow one another without gaps. */
export interface Period {
  readonly account: TimeAccount;
  /** Whether a failure began it. Only then it may have no length: it goes on after the timeline. */
  readonly beginsWithFailure?: boolean;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
  /** The account that held at `fromMs`. Undefined at the creation of the job. */
  readonly first: TimeAccount | undefined;
  /** The account that holds at `toMs`. Undefined if the job has ended then. */
  readonly last: TimeAccount | undefined;
  readonly before: JobStatus;
  readonly after: JobStatus;
  readonly replicas: readonly TimedReplica[];
  /** `progressDeadlineSeconds`, in milliseconds. */
  readonly deadlineMs: number | undefined;
}

const HELD: ReadonlySet<TimeAccount> = new Set(['Suspended', 'Queued']);

export function timelineOf(interval: Interval): Period[] {
  const { fromMs, toMs } = interval;
  const periods: Period[] = [];
  let period: Omit<Period, 'toMs'> = { account: interval.first ?? beginning(interval), fromMs };
  for (const { account, atMs: changedMs, isFailure } of changesIn(interval, period.account)) {
    // Clocks of nodes differ, and whole seconds hide the order.
    const atMs = Math.min(Math.max(changedMs ?? toMs, period.fromMs), toMs);
    periods.push({ ...period, toMs: atMs });
    period = { account, fromMs: atMs, ...(isFailure && { beginsWithFailure: true }) };
  }
  return [...periods, { ...period, toMs }].filter((each) => each.toMs > each.fromMs || each.beginsWithFailure === true);
}

function beginning({ last }: Interval): TimeAccount {
  return last !== undefined && HELD.has(last) ? last : 'Unscheduled';
}

interface Change {
  readonly account: TimeAccount;
  /** Undefined if nothing shows when it began: now. */
  readonly atMs: number | undefined;
  readonly isFailure?: boolean;
}

/** In the order in which they happened. */
function changesIn(interval: Interval, first: TimeAccount): Change[] {
  const { last } = interval;
  const changes: Change[] = [];
  let account = first;
  const add = (change: Change) => {
    if (change.account === account) return;
    changes.push(change);
    account = change.account;
  };
  if (!BEFORE_START.has(account)) {
    const failedMs = failureIn(interval);
    const next = last === undefined ? 'Finishing' : 'Restarting';
    if (failedMs !== undefined && account !== 'Restarting')
      add({ account: next, atMs: failedMs, isFailure: next === 'Restarting' });
  }
  if (last === undefined || !HELD.has(last)) for (const change of start(interval, account)) add(change);
  const end = last ?? 'Finishing';
  add({ account: end, atMs: beginOf(end, interval) });
  return changes;
}

/** The steps of a start that all pods have taken. */
function start({ last, replicas, fromMs, toMs }: Interval, account: TimeAccount): Change[] {
  const moments = (time: (replica: TimedReplica) => number | undefined) =>
    replicas.flatMap((replica) => time(replica) ?? []).filter((moment) => moment <= toMs);
  const run = moments(({ pod, role }) => pod && startedMs(pod, role.containerName));
  const haveStarted = replicas.length > 0 && replicas.every(hasRun);
  const end: Change[] = haveStarted
    ? [{ account: last === 'Recomputing' ? last : 'Running', atMs: run.length === 0 ? undefined : Math.max(...run) }]
    : [];
  if (account === 'Restarting') return end;
  // Replicas that were added to the spec. An elastic job is degraded with all of its replicas running.
  if (account === 'Degraded' && last !== 'Degraded')
    return end.filter(({ atMs }) => atMs !== undefined && atMs > fromMs);
  if (!BEFORE_START.has(account)) return [];
  // Pods that exist already wait for something else than their creation.
  const made = moments(({ pod }) => pod && createdMs(pod)).filter((moment) => moment > fromMs);
  const taken = moments(({ pod }) => pod && acceptedMs(pod));
  const areTaken = last !== 'Unscheduled' && last !== 'Queued' && taken.length > 0;
  return [
    ...(HELD.has(account) && made.length > 0 ? [{ account: 'Unscheduled' as const, atMs: Math.min(...made) }] : []),
    ...(areTaken ? [{ account: 'Starting' as const, atMs: Math.max(...taken) }] : []),
    ...end,
  ];
}

/** When a replica failed that the status counts since, or whose container the kubelet has restarted. */
function failureIn({ before, after, replicas, fromMs, toMs, last }: Interval): number | undefined {
  const failedMs =
    before.firstFailure?.time === after.firstFailure?.time ? undefined : momentOf(after.firstFailure?.time);
  const isCounted = countOf(after) > countOf(before) || last === 'Restarting';
  const ends = replicas.flatMap(({ pod, role: { containerName }, state }) => {
    const endMs = pod && state !== 'succeeded' ? endedMs(pod, containerName) : undefined;
    // Not every kind counts the restarts of kubelets.
    const isRestarted = endMs !== undefined && pod !== undefined && (startedMs(pod, containerName) ?? 0) >= endMs;
    return endMs !== undefined && (isCounted || isRestarted) ? [endMs] : [];
  });
  const known = [...(failedMs === undefined ? [] : [failedMs]), ...ends];
  const within = known.filter((moment) => moment >= fromMs && moment <= toMs);
  if (within.length > 0) return Math.min(...within);
  return isCounted && countOf(after) > countOf(before) ? toMs : undefined;
}

function countOf({ restartCount = 0, disruptionCount = 0 }: JobStatus): number {
  return restartCount + disruptionCount;
}

function beginOf(account: TimeAccount, { after, replicas, deadlineMs }: Interval): number | undefined {
  switch (account) {
    case 'Degraded': {
      const added = replicas.flatMap((replica) => (hasRun(replica) ? [] : (createdMs(replica.pod ?? {}) ?? [])));
      return momentOf(after.elastic?.lastChangeTime) ?? (added.length === 0 ? undefined : Math.min(...added));
    }
    case 'Queued': {
      // Gates are part of a pod from its creation on.
      const gated = replicas.flatMap(({ pod }) => (pod && isGated(pod) ? (createdMs(pod) ?? []) : []));
      return gated.length === 0 ? undefined : Math.min(...gated);
    }
    case 'Stalled': {
      const sinceMs = momentOf(after.progress?.lastProgressTime);
      return sinceMs === undefined || deadlineMs === undefined ? undefined : sinceMs + deadlineMs;
    }
    case 'Finishing': {
      const ends = replicas.flatMap(({ pod, role, state }) =>
        pod && state === 'succeeded' ? (endedMs(pod, role.containerName) ?? []) : [],
      );
      return ends.length === 0 ? undefined : Math.min(...ends);
    }
    default:
      return undefined;
  }
}
