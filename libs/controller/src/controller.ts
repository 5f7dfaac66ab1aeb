/**
 * The reconcile loop: takes a key from the queue, reconciles it, and decides when to do so again.
 *
 * A reconcile gets an object's key, never the change. It may run at any time and any number of times, with the same
 * result, but never twice at once for one key (see `work-queue.ts`). An error ends that run, never a worker. Only this
 * file logs failures of a reconcile.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '@muster/kube';
import type { Registry } from 'prom-client';
import { childLogger } from './child-logger.ts';
import { systemClock, type Clock } from './clock.ts';
import { controllerMetrics, type ControllerMetrics, type ReconcileOutcome } from './controller-metrics.ts';
import { errorFields } from './error-fields.ts';
import { classifyFailure, type ReconcileFailure } from './reconcile-failure.ts';
import { settlesWithin } from './wait.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ReconcileContext {
  /** Aborted when the controller has to stop at once. Pass it to every request. */
  signal: AbortSignal;
  reconcileID: string;
  /** Adds controller, namespace, name and reconcileID to every line. */
  log: Logger;
}

export interface ReconcileResult {
  /** Reconcile again after this time even without a change. */
  requeueAfterMs?: number;
  /**
   * Treated as thrown, but the key is requeued after the shorter of its back-off and `requeueAfterMs`, so that a
   * failing run does not delay what else is due.
   */
  error?: unknown;
  /** The run met a defect, in Muster or in its input. Counted as a panic, even if the run succeeds. */
  panicked?: boolean;
}

/**
 * Brings the state closer to the spec of the object `key` (`namespace/name`, or `name`). A deleted object is success.
 * Throws `TerminalError` for errors that a retry cannot fix; all others, such as a Conflict, are retried.
 */
export type Reconcile = (key: string, context: ReconcileContext) => Promise<ReconcileResult | void>;

export interface ControllerOptions {
  name: string;
  reconcile: Reconcile;
  queue: WorkQueue;
  /** Number of keys reconciled at once. Default 16. */
  workers?: number;
  registry: Registry;
  logger: Logger;
  clock?: Clock;
}

const DEFAULT_WORKERS = 16;
/** Time for an aborted reconcile to end. */
const ABORT_GRACE_MS = 1000;

type ReconcileEnd =
  | { kind: 'success' }
  | { kind: 'requeueAfter'; afterMs: number }
  | { kind: ReconcileFailure | 'aborted'; error: unknown; afterMs?: number };

export class Controller {
  readonly name: string;
  #options: ControllerOptions;
  #clock: Clock;
  #queue: WorkQueue;
  #metrics: ControllerMetrics;
  #intake = new AbortController();
  #abandon = new AbortController();
  #workers: Promise<void>[] = [];
  #inFlight = new Set<string>();

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#queue = options.queue;
    this.#metrics = controllerMetrics(options.registry, options.name, this.#workerCount);
  }

  /** Informers must be synced before; objects missing in their caches look deleted. */
  start(): void {
    if (this.#workers.length > 0) throw new Error(`controller ${this.name} is already started: start it once`);
    this.#workers = Array.from({ length: this.#workerCount }, () => this.#work());
  }

  /** Takes no more keys and awaits running reconciles, aborted shortly before `deadlineMs`. Throws if one continues. */
  async stop(deadlineMs: number): Promise<void> {
    this.#intake.abort();
    void this.#queue.shutDown();
    const ended = Promise.all(this.#workers);
    const graceMs = Math.min(ABORT_GRACE_MS, deadlineMs / 4);
    if (await settlesWithin(this.#clock, ended, deadlineMs - graceMs)) return;
    this.#options.logger.warn('reconciles are aborted: they did not end in time', {
      controller: this.name,
      keys: [...this.#inFlight],
    });
    this.#abandon.abort(new Error(`controller ${this.name} is stopping`));
    if (await settlesWithin(this.#clock, ended, graceMs)) return;
    throw new Error(
      `controller ${this.name}: reconcile of ${[...this.#inFlight].join(', ')} continues after it was aborted; ` +
        'end the process, and pass context.signal to everything that reconcile awaits',
    );
  }

  /** Takes no more keys and aborts running reconciles. Call `stop` to await their end. */
  abort(reason: string): void {
    this.#intake.abort();
    void this.#queue.shutDown();
    this.#abandon.abort(new Error(`controller ${this.name} is stopping: ${reason}`));
  }

  get #workerCount(): number {
    return this.#options.workers ?? DEFAULT_WORKERS;
  }

  async #work(): Promise<void> {
    for (;;) {
      const key = await this.#queue.get(this.#intake.signal);
      if (key === undefined) return;
      this.#metrics.workerBusy();
      this.#inFlight.add(key);
      try {
        await this.#reconcileKey(key);
      } finally {
        this.#inFlight.delete(key);
        this.#queue.done(key);
        this.#metrics.workerIdle();
      }
      // Reconciles that only read caches never await I/O. Without this turn of the event loop a long queue would delay
      // sockets and timers, and with them probes and the renewal of the Lease.
      await nextTurn();
    }
  }

  async #reconcileKey(key: string): Promise<void> {
    const startedMs = this.#clock.monotonic();
    const reconcileID = randomUUID();
    const separator = key.indexOf('/');
    const log = childLogger(this.#options.logger, {
      controller: this.name,
      ...(separator < 0 ? {} : { namespace: key.slice(0, separator) }),
      name: key.slice(separator + 1),
      reconcileID,
    });
    const end = await this.#attempt(key, { signal: this.#abandon.signal, reconcileID, log });
    const seconds = (this.#clock.monotonic() - startedMs) / 1000;
    const outcome = this.#settle(key, end, log);
    this.#metrics.ended(outcome, seconds);
    if (outcome !== 'error') log.debug('reconciled', { outcome, seconds });
  }

  async #attempt(key: string, context: ReconcileContext): Promise<ReconcileEnd> {
    const failed = (error: unknown) => ({
      kind: context.signal.aborted ? ('aborted' as const) : classifyFailure(error),
      error,
    });
    try {
      const result = (await this.#options.reconcile(key, context)) ?? {};
      const { requeueAfterMs: afterMs, error, panicked } = result;
      if (panicked === true) this.#metrics.panicked();
      if (error !== undefined) return { ...failed(error), ...(afterMs !== undefined && { afterMs }) };
      return afterMs === undefined ? { kind: 'success' } : { kind: 'requeueAfter', afterMs };
    } catch (error) {
      return failed(error);
    }
  }

  /** The retry policy: resets the key's back-off or requeues the key, and logs failures. */
  #settle(key: string, end: ReconcileEnd, log: Logger): ReconcileOutcome {
    switch (end.kind) {
      case 'success':
        this.#queue.forget(key);
        return 'success';
      case 'requeueAfter':
        this.#queue.forget(key);
        this.#queue.addAfter(key, end.afterMs);
        return 'requeue_after';
      case 'conflict':
        // Not an error: another client wrote first, and the cache may not show it yet.
        log.debug('reconcile had a conflict and is retried', errorFields(end.error));
        this.#retry(key, end.afterMs);
        return 'requeue';
      case 'aborted':
        // The queue is shut down: the next leader reconciles every object.
        log.info('reconcile was aborted because the controller stops', errorFields(end.error));
        return 'requeue';
      case 'terminal':
        log.error('reconcile failed and is not retried until the object changes', errorFields(end.error));
        this.#metrics.failedForGood();
        this.#queue.forget(key);
        if (end.afterMs !== undefined) this.#queue.addAfter(key, end.afterMs);
        return 'error';
      case 'transient':
        this.#retry(key, end.afterMs);
        log.error('reconcile failed and is retried', {
          ...errorFields(end.error),
          failures: this.#queue.requeues(key),
        });
        return 'error';
    }
  }

  #retry(key: string, afterMs = 0): void {
    this.#queue.addRateLimited(key);
    if (afterMs > 0) this.#queue.addAfter(key, afterMs);
  }
}
