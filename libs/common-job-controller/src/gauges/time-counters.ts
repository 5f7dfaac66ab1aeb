/** Time of jobs by team, computed at each scrape from the statuses in the caches and the time since they were written. */
import { momentOf, type TimeAccounts, type TimeUse } from '@muster/job-api';
import { JOB_TIME, NAMESPACE_SERIES_KEPT_MS, scrapedGauge, type Sample } from '@muster/metrics';
import { goodputOf, timeAccountsAt } from '@muster/time-accounts';
import type { Registry } from 'prom-client';
import { podHolds } from '../pods/pod-holds.ts';
import { labelsOf, podsNamedFor, queueOf, readable, readSeen, seenJobs, type SeenJob } from './seen-jobs.ts';
import type { Surroundings } from './waiting-reason.ts';

type Uses = Pick<TimeAccounts, 'accounts' | 'losses'>;
type Amount = Readonly<{ metric: keyof typeof JOB_TIME; labels: Readonly<Record<string, string>>; seconds: number }>;

interface Total {
  readonly metric: keyof typeof JOB_TIME;
  readonly labels: Readonly<Record<string, string>>;
  seconds: number;
  lastSeenMs: number;
}

/** @param around undefined while this process is not the leader, which then exports nothing */
export function exportTimeCounters(registry: Registry, around: () => Surroundings | undefined): void {
  const counters = new TimeCounters();
  for (const metric of Object.keys(JOB_TIME) as (keyof typeof JOB_TIME)[]) {
    scrapedGauge(registry, JOB_TIME[metric], () => counters.samples(metric, around()));
  }
}

class TimeCounters {
  /** What was counted of each job, by its UID. */
  #counted = new Map<string, ReadonlyMap<string, number>>();
  #totals = new Map<string, Total>();
  #updatedMs: number | undefined;

  samples(metric: keyof typeof JOB_TIME, now: Surroundings | undefined): Sample<string>[] {
    if (now === undefined) {
      this.#reset();
      return [];
    }
    // All metrics of a scrape show the same moment.
    if (metric === 'time' || this.#updatedMs === undefined) this.#update(now);
    return [...this.#totals.values()]
      .filter((total) => total.metric === metric)
      .map(({ labels, seconds }) => ({ labels, value: seconds }));
  }

  /** Another process counts now. */
  #reset(): void {
    this.#counted.clear();
    this.#totals.clear();
    this.#updatedMs = undefined;
  }

  #update(now: Surroundings): void {
    const counted = new Map<string, ReadonlyMap<string, number>>();
    for (const job of seenJobs(now.kinds)) {
      const { uid = '', creationTimestamp } = job.manifest.metadata ?? {};
      const amounts = readable(() => amountsOf(job, now.nowMs), []);
      // The time of older jobs before the first scrape was counted by another process.
      const isNew = this.#updatedMs !== undefined && (momentOf(creationTimestamp) ?? 0) >= this.#updatedMs;
      const before = this.#counted.get(uid) ?? (isNew ? new Map<string, number>() : undefined);
      const after = new Map<string, number>();
      for (const amount of amounts) {
        const key = JSON.stringify([amount.metric, ...Object.values(amount.labels)]);
        after.set(key, amount.seconds);
        this.#add(key, amount, before === undefined ? 0 : amount.seconds - (before.get(key) ?? 0), now.nowMs);
      }
      counted.set(uid, after);
    }
    this.#counted = counted;
    this.#updatedMs = now.nowMs;
    for (const [key, { lastSeenMs }] of this.#totals)
      if (now.nowMs - lastSeenMs > NAMESPACE_SERIES_KEPT_MS) this.#totals.delete(key);
  }

  #add(key: string, { metric, labels }: Amount, seconds: number, nowMs: number): void {
    const total = this.#totals.get(key) ?? { metric, labels, seconds: 0, lastSeenMs: nowMs };
    this.#totals.set(key, total);
    total.seconds += Math.max(0, seconds);
    total.lastSeenMs = nowMs;
  }
}

function amountsOf(job: SeenJob, nowMs: number): Amount[] {
  const uses = usesOf(job, nowMs);
  if (uses === undefined) return [];
  const { job_name: _name, ...ofKind } = labelsOf(job);
  const where = { ...ofKind, queue: queueOf(job) };
  return [
    ...Object.entries(uses.accounts).flatMap(([account, { seconds = 0, podSeconds = 0, resourceSeconds = {} }]) => [
      { metric: 'time' as const, labels: { ...where, account }, seconds },
      { metric: 'podTime' as const, labels: { ...where, account }, seconds: podSeconds },
      ...byResource('resourceTime', { ...where, account }, resourceSeconds),
    ]),
    ...Object.entries(uses.losses ?? {}).flatMap(([failure, { seconds = 0, resourceSeconds = {} }]) => [
      { metric: 'lostTime' as const, labels: { ...where, class: failure }, seconds },
      ...byResource('lostResourceTime', { ...where, class: failure }, resourceSeconds),
    ]),
  ];
}

function byResource(
  metric: keyof typeof JOB_TIME,
  labels: Readonly<Record<string, string>>,
  seconds: NonNullable<TimeUse['resourceSeconds']>,
): Amount[] {
  return Object.entries(seconds).map(([resource, each]) => ({
    metric,
    labels: { ...labels, resource },
    seconds: each,
  }));
}

function usesOf(job: SeenJob, nowMs: number): Uses | undefined {
  const { timeAccounts, firstFailure } = job.status;
  const read = readSeen(job);
  if (timeAccounts === undefined) return undefined;
  const holds = read === undefined ? [] : podHolds(job.kind.adapter, read, podsNamedFor(job));
  return timeAccountsAt(timeAccounts, holds, firstFailure?.class, nowMs);
}

/** Undefined for a job without time that counts. */
export function goodputRatio(job: SeenJob, nowMs: number): number | undefined {
  const uses = usesOf(job, nowMs);
  return uses && goodputOf(uses.accounts);
}
