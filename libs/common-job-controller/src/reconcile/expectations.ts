/**
 * A job is not planned again until its caches show the writes of its last run, or until a timeout. Names are
 * deterministic, so planning too early cannot create a second pod, but would repeat writes and count twice.
 */
import type { Clock } from '@muster/controller';

/** Longer than the delay of any healthy watch. */
export const EXPECTATION_TIMEOUT_MS = 30_000;

export interface Expectation {
  readonly uid: string;
  /** True once the cache shows the write. */
  isMet(): boolean;
}

interface Pending {
  /** UID of the job. A new job of the same name has no expectations. */
  readonly owner: string;
  /** By the UID of the object. Its last write implies the earlier ones. */
  readonly open: Map<string, Expectation>;
  readonly sinceMs: number;
  isAwaited: boolean;
}

export class Expectations {
  #pending = new Map<string, Pending>();
  #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Must be called right after the answer: an object that the cache has shown and lost by then is never seen again. */
  expect(job: string, owner: string, expectation: Expectation): void {
    if (expectation.isMet()) return;
    const before = this.#pending.get(job);
    const { open, isAwaited } =
      before?.owner === owner ? before : { open: new Map<string, Expectation>(), isAwaited: false };
    open.set(expectation.uid, expectation);
    this.#pending.set(job, { owner, open, sinceMs: this.#clock.monotonic(), isAwaited });
  }

  /** 0, or the remaining timeout. The caller's run is then started when the caches show the writes. */
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

  isAwaited(job: string): boolean {
    return this.#pending.get(job)?.isAwaited === true;
  }

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
