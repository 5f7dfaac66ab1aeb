/**
 * The queue between "something changed" and "look at it".
 *
 * A key is the name of an object that should be looked at. The queue promises its users three things:
 *
 * - **Never twice at once.** Between `get` and `done` a key belongs to one worker. When it is added meanwhile it is only
 *   marked, and `done` puts it back: the worker may have looked before that change.
 * - **Never lost.** After `add(key)` some `get` will hand the key out, and later than that `add`. Many adds before that
 *   `get` are one: a worker looks at the state of the world, so it sees all of them.
 * - **Fair.** First come, first served; what comes back goes to the end. A key that fails or changes all the time
 *   cannot hold up others.
 *
 * Keys that should be looked at later wait beside the queue: `addAfter` for a known time, `addRateLimited` after a
 * failure. Such a wait never delays a plain `add`.
 *
 * Semantics and limits are those of client-go's work queue as sample-controller sets it up. What is not promised: to
 * survive a restart (informers add every object again) and to remember what changed.
 */
import { TokenBucket } from '@muster/kube';
import type { Registry } from 'prom-client';
import { systemClock, type Clock } from './clock.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import { ItemBackoff } from './item-backoff.ts';
import { KeyFifo } from './key-fifo.ts';
import { queueMetrics, type QueueMetrics } from './work-queue-metrics.ts';

/** Over all keys, so that a thousand failing ones do not retry in step. Only rate-limited adds pay. */
const RETRIES = { perSecond: 50, burst: 300 };

export interface WorkQueueOptions {
  /** The labels `name` and `controller` of its metrics. */
  name: string;
  registry: Registry;
  clock?: Clock;
  /** First wait after a failure. Default 5 ms. */
  backoffBaseMs?: number;
  /** Longest wait after a failure. Default 1000 s. */
  backoffMaxMs?: number;
}

export class WorkQueue {
  readonly name: string;
  #clock: Clock;
  #metrics: QueueMetrics;
  #backoff: ItemBackoff;
  #retries: TokenBucket;
  /** Keys that nobody processes, in the order in which they will be handed out. Each is also in `#dirty`. */
  #ready = new KeyFifo();
  /** Keys that must be looked at, with the time since when. */
  #dirty = new Map<string, number>();
  /** Keys between `get` and `done`, with the time of `get`. */
  #processing = new Map<string, number>();
  #delayed = new DeadlineHeap();
  #cancelTimer: (() => void) | undefined;
  #timerDueMs = Infinity;
  #takers = new Set<(key: string | undefined) => void>();
  #shutDown = Promise.withResolvers<void>();
  #shuttingDown = false;

  constructor(options: WorkQueueOptions) {
    this.name = options.name;
    this.#clock = options.clock ?? systemClock;
    this.#backoff = new ItemBackoff(options.backoffBaseMs, options.backoffMaxMs);
    this.#retries = new TokenBucket(RETRIES, () => this.#clock.monotonic());
    this.#metrics = queueMetrics(options.registry, this.name, () => this.#gauges());
  }

  /** How many keys wait to be looked at, those included that are being processed and have changed since. */
  get length(): number {
    return this.#dirty.size;
  }

  /** The key will be handed out once, after all that wait already. Ignored after `shutDown`. */
  add(key: string): void {
    if (this.#shuttingDown || this.#dirty.has(key)) return;
    this.#metrics.added();
    this.#dirty.set(key, this.#clock.monotonic());
    if (!this.#processing.has(key)) this.#makeReady(key);
  }

  /** Adds the key `delayMs` from now. Of several delays for one key the earliest counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#shuttingDown) return;
    this.#metrics.retried();
    if (!(delayMs > 0)) {
      this.add(key);
      return;
    }
    this.#delayed.addNoLater(key, this.#clock.monotonic() + delayMs);
    this.#armTimer();
  }

  /** Adds the key after its back-off: 5 ms after the first failure, doubled up to 1000 s, until `forget`. */
  addRateLimited(key: string): void {
    this.addAfter(key, Math.max(this.#backoff.nextMs(key), this.#retries.reserveMs()));
  }

  /** Starts the key's back-off anew: it succeeded, or nobody will try it again. Does not take it off the queue. */
  forget(key: string): void {
    this.#backoff.forget(key);
  }

  /** How often the key was added rate-limited since it was last forgotten. */
  requeues(key: string): number {
    return this.#backoff.failures(key);
  }

  /**
   * The next key, as soon as there is one. Whoever gets it owns it until `done(key)`.
   * Undefined when `signal` is aborted, or when the queue is shut down and empty.
   */
  get(signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined);
    const key = this.#ready.take();
    if (key !== undefined) {
      this.#handOut(key);
      return Promise.resolve(key);
    }
    if (this.#shuttingDown && this.#processing.size === 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const giveUp = (): void => taker(undefined);
      const taker = (next: string | undefined): void => {
        this.#takers.delete(taker);
        signal?.removeEventListener('abort', giveUp);
        resolve(next);
      };
      this.#takers.add(taker);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Gives the key back. If it was added since `get` it goes to the end of the queue. */
  done(key: string): void {
    const sinceMs = this.#processing.get(key);
    if (sinceMs === undefined)
      throw new Error(`done(${key}) without get: call done once for each key that get returned`);
    this.#processing.delete(key);
    this.#metrics.worked((this.#clock.monotonic() - sinceMs) / 1000);
    if (this.#dirty.has(key)) this.#makeReady(key);
    this.#settleShutDown();
  }

  /**
   * Takes in nothing more and forgets what is delayed. What is queued is still handed out. Resolves when the last key
   * is done.
   */
  shutDown(): Promise<void> {
    this.#shuttingDown = true;
    this.#delayed.clear();
    this.#armTimer();
    this.#settleShutDown();
    return this.#shutDown.promise;
  }

  #makeReady(key: string): void {
    const [taker] = this.#takers;
    if (taker === undefined) {
      this.#ready.put(key);
      return;
    }
    this.#handOut(key);
    taker(key);
  }

  #handOut(key: string): void {
    const nowMs = this.#clock.monotonic();
    this.#metrics.waited((nowMs - (this.#dirty.get(key) ?? nowMs)) / 1000);
    this.#dirty.delete(key);
    this.#processing.set(key, nowMs);
  }

  #settleShutDown(): void {
    if (!this.#shuttingDown || this.#dirty.size > 0 || this.#processing.size > 0) return;
    for (const taker of this.#takers) taker(undefined);
    this.#shutDown.resolve();
  }

  /** One timer for all keys that wait, set to the first of them. */
  #armTimer(): void {
    const dueMs = this.#delayed.nextDueMs ?? Infinity;
    if (dueMs === this.#timerDueMs) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#timerDueMs = dueMs;
    if (dueMs === Infinity) return;
    this.#cancelTimer = this.#clock.setTimer(dueMs - this.#clock.monotonic(), () => this.#addDue());
  }

  #addDue(): void {
    this.#cancelTimer = undefined;
    this.#timerDueMs = Infinity;
    const nowMs = this.#clock.monotonic();
    for (let key = this.#delayed.takeDue(nowMs); key !== undefined; key = this.#delayed.takeDue(nowMs)) this.add(key);
    this.#armTimer();
  }

  #gauges(): { depth: number; processingSeconds: number[] } {
    const nowMs = this.#clock.monotonic();
    const processingSeconds = [...this.#processing.values()].map((sinceMs) => (nowMs - sinceMs) / 1000);
    return { depth: this.#dirty.size, processingSeconds };
  }
}
