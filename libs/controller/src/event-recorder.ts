/**
 * Writes `events.k8s.io/v1` Events, as shown by `kubectl describe`.
 *
 * `record` returns at once and never fails; a few writers work in the background. Repetitions are counted (see
 * `event-correlator.ts`), and the queue is bounded. Events are best effort: when too many are pending, or the server
 * refuses one or is away for minutes, they are dropped with a log line. What must not be lost belongs in a status.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { EVENTS, type Event } from '@muster/job-api';
import { isKubeError, type KubeClient, type Logger } from '@muster/kube';
import type { Registry } from 'prom-client';
import { systemClock, type Clock } from './clock.ts';
import { errorFields } from './error-fields.ts';
import { EventCorrelator, type EventSeries, type Occurrence } from './event-correlator.ts';
import { microTime } from './micro-time.ts';
import type { ObjectReference } from './object-reference.ts';
import { truncateUtf8 } from './truncate-utf8.ts';
import { settlesWithin } from './wait.ts';
import { WorkQueue } from './work-queue.ts';

export interface EventRecorderOptions {
  client: Pick<KubeClient, 'create' | 'patch'>;
  /** A qualified name such as `muster.dev/mpi`. */
  reportingController: string;
  reportingInstance?: string;
  registry: Registry;
  logger: Logger;
  clock?: Clock;
}

/** The API server's limits. */
const NOTE_MAX_BYTES = 1024;
const INSTANCE_MAX_LENGTH = 128;
const NAME_MAX_LENGTH = 253;

const WRITERS = 4;
const MAX_PENDING = 1000;
const MAX_TRIES = 12;
const RETRY_BASE_MS = 1000;
const RETRY_MAX_MS = 60_000;

export class EventRecorder {
  readonly name = 'events';
  #options: EventRecorderOptions;
  #reportingInstance: string;
  #correlator: EventCorrelator;
  /** By event name: the queue makes sure that an event has one writer at a time. */
  #queue: WorkQueue;
  #pending = new Map<string, EventSeries>();
  #created = new WeakSet<EventSeries>();
  #dropping = false;
  #clock: Clock;
  #abandon = new AbortController();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#reportingInstance = (options.reportingInstance ?? hostname()).slice(0, INSTANCE_MAX_LENGTH);
    this.#correlator = new EventCorrelator(this.#clock, (occurrence) => this.#eventName(occurrence.regarding));
    this.#queue = new WorkQueue({
      name: this.name,
      registry: options.registry,
      clock: this.#clock,
      backoffBaseMs: RETRY_BASE_MS,
      backoffMaxMs: RETRY_MAX_MS,
    });
  }

  /** Events recorded before are written now. */
  start(): void {
    for (let writer = 0; writer < WRITERS; writer += 1) void this.#write();
  }

  /** `reason` is CamelCase, `note` a sentence (cut at 1 kB). Call it after the status has been written. */
  record(regarding: ObjectReference, event: Omit<Occurrence, 'regarding'>): void {
    const series = this.#correlator.observe({ ...event, regarding, note: truncateUtf8(event.note, NOTE_MAX_BYTES) });
    if (series === undefined) return;
    if (this.#pending.size >= MAX_PENDING && !this.#pending.has(series.name)) {
      if (!this.#dropping)
        this.#options.logger.warn('events are dropped: too many are pending', { limit: MAX_PENDING });
      this.#dropping = true;
      return;
    }
    this.#dropping = false;
    this.#pending.set(series.name, series);
    this.#queue.add(series.name);
  }

  forget(regarding: ObjectReference): void {
    this.#correlator.forget(regarding);
  }

  /** Writes pending events; those not written by the deadline are dropped. Later events are ignored. */
  async stop(deadlineMs: number): Promise<void> {
    // Each gets one last try now, also during its back-off.
    for (const name of this.#pending.keys()) this.#queue.add(name);
    if (await settlesWithin(this.#clock, this.#queue.shutDown(), deadlineMs)) return;
    this.#abandon.abort(new Error('events are no longer written: the recorder stops'));
    this.#options.logger.warn('events were not written in time and are dropped', { count: this.#pending.size });
  }

  async #write(): Promise<void> {
    for (;;) {
      const name = await this.#queue.get(this.#abandon.signal);
      if (name === undefined) return;
      const series = this.#pending.get(name);
      this.#pending.delete(name);
      try {
        if (series !== undefined) await this.#send(series);
        this.#queue.forget(name);
      } catch (error) {
        if (series !== undefined) this.#retryOrDrop(series, error);
      } finally {
        this.#queue.done(name);
      }
    }
  }

  async #send(series: EventSeries): Promise<void> {
    const { client } = this.#options;
    const event = this.#eventOf(series);
    const { signal } = this.#abandon;
    const key = { namespace: namespaceOf(series), name: series.name };
    if (this.#created.has(series)) {
      try {
        await client.patch(EVENTS, key, { series: event.series }, { signal });
        return;
      } catch (error) {
        // The event has expired: the series continues in a new object of the same name.
        if (!isKubeError(error, 'NotFound')) throw error;
      }
    }
    try {
      await client.create(EVENTS, event, { signal });
    } catch (error) {
      // An earlier try succeeded, but its answer was lost.
      if (!isKubeError(error, 'AlreadyExists')) throw error;
    }
    this.#created.add(series);
  }

  #retryOrDrop(series: EventSeries, error: unknown): void {
    const mayPass = isKubeError(error) && (error.code === 0 || error.code === 429 || error.code >= 500);
    if (mayPass && !this.#abandon.signal.aborted && this.#queue.requeues(series.name) < MAX_TRIES) {
      this.#pending.set(series.name, series);
      this.#queue.addRateLimited(series.name);
      return;
    }
    this.#queue.forget(series.name);
    const { reason, regarding } = series.occurrence;
    const fields = { ...errorFields(error), reason, namespace: regarding.namespace, name: regarding.name };
    // A namespace that is being deleted accepts no events.
    if (isKubeError(error, 'NotFound') || isTerminatingNamespace(error)) {
      this.#options.logger.debug('an event is dropped with its namespace', fields);
    } else {
      this.#options.logger.warn('an event could not be written and is dropped', fields);
    }
  }

  #eventOf(series: EventSeries): Event {
    const { regarding, related, type, reason, action, note } = series.occurrence;
    return {
      metadata: { name: series.name, namespace: namespaceOf(series) },
      eventTime: microTime(series.firstMs),
      reportingController: this.#options.reportingController,
      reportingInstance: this.#reportingInstance,
      regarding,
      ...(related === undefined ? {} : { related }),
      type,
      reason,
      action,
      note: truncateUtf8(note, NOTE_MAX_BYTES),
      ...(series.count < 2 ? {} : { series: { count: series.count, lastObservedTime: microTime(series.lastMs) } }),
    };
  }

  /** Sorts by time among the events of an object, and is unique among replicas. */
  #eventName(regarding: ObjectReference): string {
    const suffix = `.${this.#clock.now().toString(16)}${randomBytes(4).toString('hex')}`;
    const room = NAME_MAX_LENGTH - suffix.length;
    return (regarding.name ?? 'unknown').slice(0, room).replace(/[^a-z0-9]+$/, '') + suffix;
  }
}

/** Events about cluster-scoped objects are in `default`, as `kubectl describe` expects. */
function namespaceOf(series: EventSeries): string {
  return series.occurrence.regarding.namespace ?? 'default';
}

function isTerminatingNamespace(error: unknown): boolean {
  if (!isKubeError(error, 'Forbidden')) return false;
  return error.status?.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') ?? false;
}
