/**
 * What Muster would have stored of a job that another operator runs, and pods at the moment of their end. The other operator may delete a
 * pod before a run has seen its end.
 */
import { hasEnded, type Pod } from '@muster/job-api';
import type { Comparison } from './compared-status.ts';
import { type SeenSteps, seenSteps } from './compared-times.ts';

export interface ShadowRecord {
  /** Of the job. */
  readonly uid: string;
  /** The status as Muster would have stored it. Undefined before the first run. */
  ours: object | undefined;
  /** Pods that have ended since the last run, as they were then, in the order of their ends. */
  ended: Pod[];
  /** Whether a pod was deleted while it ran. */
  hasLostPods: boolean;
  readonly steps: SeenSteps;
  /** What was compared, or waits to be, and since when. */
  seen: string;
  sinceMs: number;
  /** The pods and Services whose contents were compared, and the result. */
  contents: { readonly of: string; readonly compared: Comparison } | undefined;
}

/** More pods of one job end at once only where the rest is not needed for the outcome. */
const MOST_ENDED = 500;

export class ShadowRecords {
  #records = new Map<string, ShadowRecord>();

  /** @param theirs the other operator's status */
  of(job: string, uid: string, theirs: object): ShadowRecord {
    const known = this.#records.get(job);
    if (known?.uid === uid) return known;
    const record: ShadowRecord = {
      uid,
      ours: undefined,
      ended: [],
      hasLostPods: false,
      steps: seenSteps(theirs),
      seen: '',
      sinceMs: 0,
      contents: undefined,
    };
    this.#records.set(job, record);
    return record;
  }

  /** @param before undefined for a new pod */
  noteChange(job: string, before: Pod | undefined, pod: Pod): void {
    const record = this.#records.get(job);
    if (record === undefined) return;
    if (!hasEnded(pod) && pod.metadata?.deletionTimestamp !== undefined) record.hasLostPods = true;
    if (!hasEnded(pod) || record.ended.length >= MOST_ENDED) return;
    if (before !== undefined && hasEnded(before) && before.metadata?.uid === pod.metadata?.uid) return;
    record.ended.push(pod);
  }

  forget(job: string): void {
    this.#records.delete(job);
  }
}
