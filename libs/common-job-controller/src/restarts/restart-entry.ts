import type { Pod } from '@muster/job-api';
import { fitsStatus, markOf, type RestartRecord } from '../model/restart-records.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { CountedAs } from './failure-rule.ts';
import { dueAtMs, type FailuresInARow } from './restart-backoff.ts';

export interface Restart {
  readonly replica: ReplicaPod & { readonly pod: Pod };
  /** The earliest time. Until then the failed pod is kept, with its log. */
  readonly dueMs: number;
  /** The number of its pods that ended in a row, through failures or disruptions. */
  readonly failures: number;
  readonly isNew: boolean;
}

/** What is counted of a replica in this run. */
export interface RestartEntry {
  readonly replica: ReplicaPod;
  readonly before: RestartRecord | undefined;
  readonly record: RestartRecord | undefined;
  /** Restarts of containers, and pods that a Job replaced. */
  readonly inPlace: number;
  /** The end of its pod. */
  readonly countedAs: CountedAs;
  readonly restart: Restart | undefined;
}

export function unchanged(replica: ReplicaPod, before: RestartRecord | undefined): RestartEntry {
  return { replica, before, record: before, inPlace: 0, countedAs: 'Nothing', restart: undefined };
}

export function restartOf(
  replica: Restart['replica'],
  failure: FailuresInARow,
  isNew: boolean,
  nowMs: number,
): Restart {
  return { replica, dueMs: dueAtMs(failure, nowMs), failures: failure.failures ?? 0, isNew };
}

export function isRecordOf(record: RestartRecord | undefined, { metadata }: Pod): record is RestartRecord {
  return record?.mark === markOf(metadata?.uid ?? '');
}

export function recordsIn(entries: readonly RestartEntry[]): RestartRecord[] {
  return entries.flatMap(({ record }) => record ?? []);
}

/** Without new records that do not fit into the status. Their restarts are neither counted nor carried out. */
export function withRoom(
  entries: readonly RestartEntry[],
  ofSurplus: readonly RestartRecord[],
): readonly RestartEntry[] {
  const isNews = ({ before, record }: RestartEntry) => record !== undefined && record !== before;
  let kept = entries;
  for (
    let most = entries.filter(isNews).length;
    most > 0 && !fitsStatus([...recordsIn(kept), ...ofSurplus]);
    most = Math.floor(most / 2)
  ) {
    let left = Math.floor(most / 2);
    kept = entries.map((entry) => (isNews(entry) && left-- <= 0 ? uncounted(entry) : entry));
  }
  return kept;
}

function uncounted({ replica, before, restart }: RestartEntry): RestartEntry {
  return { ...unchanged(replica, before), restart: restart?.isNew === true ? undefined : restart };
}
