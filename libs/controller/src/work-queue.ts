/**
 * The queue of keys to reconcile.
 *
 * - **Never twice at once.** Between `get` and `done` a key belongs to one worker. If it is added meanwhile, `done`
 * queues it again: the worker may have read the state before that change.
 * - **Never lost.** After `add(key)` a later `get` returns the key. Several adds before that `get` are one, because a
 * worker reads the current state.
 * - **Fair.** First in, first out; requeued keys go to the end. A key that fails or changes all the time cannot delay
 * others.
 *
 * Delayed keys are kept apart: `addAfter` for a known time, `addRateLimited` after a failure. They never delay a plain
 * `add`. A `get` that returns the key earlier ends the delay, because its worker reads what the delay was for.
 *
 * Otherwise semantics and limits are those of client-go's work queue in sample-controller. Nothing survives a restart:
 * informers add every object again.
 */
import { TokenBucket } from '@muster/kube';
import type { Registry } from 'prom-client';
import { systemClock, type Clock } from './clock.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import { ItemBackoff } from './item-backoff.ts';
import { KeyFifo } from './key-fifo.ts';
import { queueMetrics, type QueueMetrics } from './work-queue-metrics.ts';

/** A limit over all keys, so that a thousand failing ones do not retry in step. Only rate-limited adds count. */
const RETRIES = { perSecond: 50, burst: 300 };

export interface WorkQueueOptions {
  name: string;
  registry: Registry;
  clock?: Clock;
  /** Delay after the first failure. Default 5 ms. */
  backoffBaseMs?: number;
  /** Maximum delay after a failure. Default 1000 s. */
  backoffMaxMs?: number;
}

export class WorkQueue {
  readonly name: string;
  #clock: Clock;
  #metrics: QueueMetrics;
  #backoff: ItemBackoff;
  #retries: TokenBucket;
  /** Keys that no worker processes, in order. Each is also in `#dirty`. */
  #ready = new KeyFifo();
  #dirty = new Map<string, number>();
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

  get length(): number {
    return this.#dirty.size;
  }

  add(key: string): void {
    if (this.#shuttingDown || this.#dirty.has(key)) return;
    this.#metrics.added();
    this.#dirty.set(key, this.#clock.monotonic());
    if (!this.#processing.has(key)) this.#makeReady(key);
  }

  /** Of several delays for one key the earliest counts. */
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

  /** 5 ms after the first failure, doubled up to 1000 s, until `forget`. */
  addRateLimited(key: string): void {
    this.addAfter(key, Math.max(this.#backoff.nextMs(key), this.#retries.reserveMs()));
  }

  /** Resets the key's back-off: it succeeded, or is not retried. Does not remove it from the queue. */
  forget(key: string): void {
    this.#backoff.forget(key);
  }

  requeues(key: string): number {
    return this.#backoff.failures(key);
  }

  /**
   * Returns the next key when there is one; the caller owns it until `done(key)`. Undefined if `signal` is aborted, or
   * the queue is shut down and empty.
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

  /** Releases the key. If it was added since `get`, it goes to the end of the queue. */
  done(key: string): void {
    const sinceMs = this.#processing.get(key);
    if (sinceMs === undefined)
      throw new Error(`done(${key}) without get: call done once for each key that get returned`);
    this.#processing.delete(key);
    this.#metrics.worked((this.#clock.monotonic() - sinceMs) / 1000);
    if (this.#dirty.has(key)) this.#makeReady(key);
    this.#settleShutDown();
  }

  /** Accepts no more keys and drops delayed ones. Queued keys are still returned. Resolves when the last is done. */
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
    // The worker reads what the delay was for, and says again when to look.
    this.#delayed.remove(key);
    this.#armTimer();
    this.#processing.set(key, nowMs);
  }

  #settleShutDown(): void {
    if (!this.#shuttingDown || this.#dirty.size > 0 || this.#processing.size > 0) return;
    for (const taker of this.#takers) taker(undefined);
    this.#shutDown.resolve();
  }

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
