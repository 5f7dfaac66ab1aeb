/**
 * Bridges the lag between a write and the cache that will show it.
 *
 * After a pass has written, the same job is not planned again from a cache that has not seen those writes, or until a
 * time-out has passed. Names are deterministic, so planning too early could not make a second pod; it would only repeat
 * writes and count things twice.
 */
import type { Clock } from '@muster/controller';

/** Longer than any healthy watch lags; after it the cache is believed as it is, since an event may never come. */
export const EXPECTATION_TIMEOUT_MS = 30_000;

/** Something written that the cache has yet to show. */
export interface Expectation {
  /** UID of the object written. */
  readonly uid: string;
  /** Whether the cache shows it. Asked again and again until it says yes. */
  isMet(): boolean;
}

interface Pending {
  /** UID of the job: another job of the same name starts afresh. */
  readonly owner: string;
  /** By the UID of the object: what was written last implies what was before. */
  readonly open: Map<string, Expectation>;
  sinceMs: number;
  /** Whether a reconcile run was put off for it. */
  isAwaited: boolean;
}

export class Expectations {
  #pending = new Map<string, Pending>();
  #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called as soon as the write is answered: what is seen and gone before that would be waited for in vain. */
  expect(job: string, owner: string, expectation: Expectation): void {
    if (expectation.isMet()) return;
    const before = this.#pending.get(job);
    const open = before?.owner === owner ? before.open : new Map<string, Expectation>();
    open.set(expectation.uid, expectation);
    const isAwaited = before?.owner === owner && before.isAwaited;
    this.#pending.set(job, { owner, open, sinceMs: this.#clock.monotonic(), isAwaited });
  }

  /**
   * Zero when the caches show all that was written for the job, else for how long they are still waited for: the run that asks is put
   * off then, and made up for when they show it.
   */
  remainingMs(job: string, owner: string): number {
    const pending = this.#pending.get(job);
    if (pending === undefined) return 0;
    for (const [uid, expectation] of pending.open) if (expectation.isMet()) pending.open.delete(uid);
    const remainingMs = pending.sinceMs + EXPECTATION_TIMEOUT_MS - this.#clock.monotonic();
    if (pending.owner === owner && remainingMs > 0 && pending.open.size > 0) {
      pending.isAwaited = true;
      return remainingMs;
    }
    this.#pending.delete(job);
    return 0;
  }

  /** Whether a run for the job was put off until the caches show what was written. */
  isAwaited(job: string): boolean {
    return this.#pending.get(job)?.isAwaited === true;
  }

  /** An object is gone: a cache that has shown it and lost it again would never show it. */
  noteDeleted(job: string, uid: string): void {
    this.#pending.get(job)?.open.delete(uid);
  }

  forget(job: string): void {
    this.#pending.delete(job);
  }

  forgetAll(): void {
    this.#pending.clear();
  }
}
