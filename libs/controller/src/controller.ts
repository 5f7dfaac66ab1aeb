/**
 * The reconcile loop: takes a key from the queue, has it reconciled, decides when the key is looked at again.
 *
 * A reconcile is told which object to look at, never what happened to it. It may therefore run at any time, any number
 * of times, and must bring about the same state of the world. It never runs twice at once for the same key (see
 * `work-queue.ts`), and whatever it throws ends that one run, never a worker.
 *
 * This is the one place where a reconcile's failure is logged.
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
  /** Aborted when the controller has to stop and cannot wait any longer. Hand it to every request. */
  signal: AbortSignal;
  /** Names this run in logs. */
  reconcileID: string;
  /** Adds controller, namespace, name and reconcileID to every line. */
  log: Logger;
}

export interface ReconcileResult {
  /** Look again after this time even if nothing changes. Without it, only a change brings the key back. */
  requeueAfterMs?: number;
  /**
   * What kept the run from doing all that it should, treated as if it were thrown; but the key is looked at again at the sooner
   * of its back-off and `requeueAfterMs`, so that what a failing run goes on to fail at makes nothing else late.
   */
  error?: unknown;
  /** Whether the run met a defect, its own or that of what it was given. It is counted as a panic, failed or not. */
  panicked?: boolean;
}

/**
 * Brings the world nearer to what the object `key` (`namespace/name`, or `name`) asks for. An object that is gone is
 * success. Throws `TerminalError` for what trying again cannot mend; a Conflict and everything else is tried again.
 */
export type Reconcile = (key: string, context: ReconcileContext) => Promise<ReconcileResult | void>;

export interface ControllerOptions {
  /** The label `controller` of its metrics and logs. */
  name: string;
  reconcile: Reconcile;
  queue: WorkQueue;
  /** How many keys are reconciled at once, that is, wait for the API server at once. Default 16. */
  workers?: number;
  registry: Registry;
  logger: Logger;
  clock?: Clock;
}

const DEFAULT_WORKERS = 16;
/** How long an aborted reconcile may take to notice. */
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

  /** Starts the workers. Informers must be synced before, else objects not yet seen look deleted. */
  start(): void {
    if (this.#workers.length > 0) throw new Error(`controller ${this.name} is already started: start it once`);
    this.#workers = Array.from({ length: this.#workerCount }, () => this.#work());
  }

  /**
   * Takes no more keys, then waits for the reconciles in flight. Those that are still running shortly before
   * `deadlineMs` are aborted by their signal; throws if one does not end even then, as it may write at any time.
   */
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
      `controller ${this.name}: reconcile of ${[...this.#inFlight].join(', ')} goes on after it was aborted; ` +
        'end the process, and pass context.signal to everything that reconcile awaits',
    );
  }

  /** Takes no more keys and aborts the reconciles in flight. Call `stop` to know when they have ended. */
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
      // Reconciles that read caches only never wait for anything: without this turn of the event loop a long queue of
      // them would hold up sockets and timers, and with them probes and the renewal of the Lease.
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

  /** The whole retry policy: each way to end forgets the key's back-off or adds the key again, and logs a failure. */
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
        // Not an error: somebody wrote first, and the watch may not have brought it yet.
        log.debug('reconcile met a conflict and runs again', errorFields(end.error));
        this.#retry(key, end.afterMs);
        return 'requeue';
      case 'aborted':
        // The queue is shut down: whoever leads next looks at every object anyway.
        log.info('reconcile was aborted because the controller stops', errorFields(end.error));
        return 'requeue';
      case 'terminal':
        log.error('reconcile failed and is not tried again before the object changes', errorFields(end.error));
        this.#metrics.failedForGood();
        this.#queue.forget(key);
        if (end.afterMs !== undefined) this.#queue.addAfter(key, end.afterMs);
        return 'error';
      case 'transient':
        this.#retry(key, end.afterMs);
        log.error('reconcile failed and is tried again', {
          ...errorFields(end.error),
          failures: this.#queue.requeues(key),
        });
        return 'error';
    }
  }

  /** After the key's back-off, or sooner if it was to be looked at sooner. What was due at once has just been tried. */
  #retry(key: string, afterMs = 0): void {
    this.#queue.addRateLimited(key);
    if (afterMs > 0) this.#queue.addAfter(key, afterMs);
  }
}
