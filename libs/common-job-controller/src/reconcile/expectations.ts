/**
 * Bridges the delay between a write and the cache that shows it.
 *
 * A job is not planned again until its caches show the writes of the last run, or until a timeout. Names are
 * deterministic, so planning too early cannot create a second pod, but would repeat writes and count twice.
 */
import type { Clock } from '@muster/controller';

/** Longer than the delay of any healthy watch. Then the cache is used as it is, because an event may never come. */
export const EXPECTATION_TIMEOUT_MS = 30_000;

/** A write that the cache does not show yet. */
export interface Expectation {
  readonly uid: string;
  /** True once the cache shows the write. Called repeatedly until then. */
  isMet(): boolean;
}

interface Pending {
  /** UID of the job. A new job of the same name starts without expectations. */
  readonly owner: string;
  /** By the UID of the object. The last write to an object implies the earlier ones. */
  readonly open: Map<string, Expectation>;
  sinceMs: number;
  /** True if a reconcile run was deferred because of it. */
  isAwaited: boolean;
}

export class Expectations {
  #pending = new Map<string, Pending>();
  #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Must be called right after the answer to the write: an object that appears in the cache and is deleted before the
   * call is never seen again.
   */
  expect(job: string, owner: string, expectation: Expectation): void {
    if (expectation.isMet()) return;
    const before = this.#pending.get(job);
    const open = before?.owner === owner ? before.open : new Map<string, Expectation>();
    open.set(expectation.uid, expectation);
    const isAwaited = before?.owner === owner && before.isAwaited;
    this.#pending.set(job, { owner, open, sinceMs: this.#clock.monotonic(), isAwaited });
  }

  /**
   * 0 if the caches show all writes for the job, otherwise the remaining timeout. The caller's run is then deferred,
   * and is started when the caches show the writes.
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

  /** True if a run was deferred until the caches show the writes. */
  isAwaited(job: string): boolean {
    return this.#pending.get(job)?.isAwaited === true;
  }

  /** Drops the expectation for a deleted object, which the cache will not show again. */
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
