/** The shared state of a run's writes: limits, expectations, and events to emit at its end. */
import type { Clock, Semaphore } from '@muster/controller';
import {
  ENDPOINT_SLICES,
  type EventReason,
  type JobStatus,
  type KubeObject,
  type ObjectKey,
  type Resource,
} from '@muster/job-api';
import { cacheKey, isKubeError, type Cache, type KubeClient, type KubeError, type RequestOptions } from '@muster/kube';
import { keyOf, nameOf, type Named } from '../children/child-kind.ts';
import { generationOf, identityOf, type JobIdentity, type JobKind } from '../model/job-identity.ts';
import type { JobManifest } from '../model/training-job.ts';
import { writeKey } from './write-failures.ts';
import { doneEvents, type DoneVerb } from './done-note.ts';
import type { ProbePoller } from '@muster/probes';
import type { Expectation, Expectations } from './expectations.ts';
import type { JobMemory } from './job-memory.ts';
import type { JobMetrics } from '../metrics/job-metrics.ts';
import type { PlannedRun } from './plan.ts';
import type { JobCaches } from './observe.ts';
import type { PlannedEvent } from '../model/event.ts';
import { messageOf, rejectionOf } from './refusals.ts';
import type { Shortage } from '../model/shortage.ts';
import type { WriteFailure, WriteVerb } from '../world/world.ts';

export type RefusedWrite = Omit<WriteFailure, 'generation' | 'waitMs'>;

export interface Dependencies extends JobKind {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly caches: JobCaches;
  readonly resource: Resource<JobManifest>;
  readonly expectations: Expectations;
  readonly memory: JobMemory;
  readonly poller: ProbePoller;
  readonly metrics: JobMetrics;
  /** Never waits and never fails. */
  readonly events: (regarding: KubeObject, event: PlannedEvent) => void;
  /** Never waits and never fails. */
  readonly record?: ((run: PlannedRun) => void) | undefined;
  /** Limits concurrent writes of all jobs. */
  readonly writes: Semaphore;
  /** Called with each stored status: whether the API server dropped Muster's fields. */
  readonly isStripped: (stored: object) => boolean;
  readonly ownStatusOf: (record: JobStatus) => string;
}

/** Limits the load if the answers never settle. */
const NEW_PLAN_AFTER_MS = 100;

/** A job can outlive its namespace: the API server may not have served its kind while the namespace was emptied. */
const NAMESPACE_RETRY_MS = 30_000;

export class ReconcileRun {
  /** The rest of the plan must not be carried out: the next run plans again. */
  isPlanOutdated = false;
  /** The namespace is being deleted or is gone, so nothing can be created unless it exists again. */
  isNamespaceGoing = false;
  readonly dependencies: Dependencies;
  readonly manifest: JobManifest;
  readonly signal: AbortSignal;
  readonly job: JobIdentity;
  readonly where: ObjectKey;
  readonly key: string;
  readonly uid: string;
  /** The job's next limit, which requires a new plan. */
  readonly #validUntilMs: number;
  #done: { verb: DoneVerb; resource: Resource; names: string[] }[] = [];
  #failed = new Map<string, PlannedEvent>();
  #refused = new Map<string, RefusedWrite>();
  #live: Promise<boolean> | undefined;

  constructor(dependencies: Dependencies, manifest: JobManifest, signal: AbortSignal, validForMs = Infinity) {
    this.dependencies = dependencies;
    this.manifest = manifest;
    this.signal = signal;
    this.job = identityOf(dependencies, manifest);
    this.where = keyOf(manifest);
    this.key = cacheKey(manifest);
    this.uid = this.job.metadata.uid;
    this.#validUntilMs = dependencies.clock.now() + validForMs;
  }

  /** The rest of the plan must not be carried out. */
  get isOver(): boolean {
    return this.isPlanOutdated || this.isNamespaceGoing;
  }

  /** When the next run follows without a change: at once also to report a refused optional write. Undefined: not. */
  get againAfterMs(): number | undefined {
    if (this.isPlanOutdated || this.#refused.size > 0) return NEW_PLAN_AFTER_MS;
    return this.isNamespaceGoing ? NAMESPACE_RETRY_MS : undefined;
  }

  /** Called before each write, so that a change of the job takes effect early. Throws if the operator has to stop. */
  mayGoOn(): boolean {
    this.signal.throwIfAborted();
    if (this.#isOutdated()) this.isPlanOutdated = true;
    return !this.isOver;
  }

  #isOutdated(): boolean {
    const { caches, clock } = this.dependencies;
    const [now, planned] = [caches.jobs.get(this.key)?.metadata, this.manifest.metadata];
    const isChanged = now?.uid !== this.uid || now.generation !== planned?.generation;
    const isDeletionRequested = now?.deletionTimestamp !== planned?.deletionTimestamp;
    return isChanged || isDeletionRequested || clock.now() >= this.#validUntilMs;
  }

  write<T>(request: (options: RequestOptions) => Promise<T>): Promise<T> {
    const { signal } = this;
    return this.dependencies.writes.run(signal, () => request({ signal }));
  }

  /**
   * Changes or deletes an existing object. Returns NotFound or Conflict if it has changed. A refusal is remembered;
   * other errors are thrown.
   */
  async tryWrite(
    verb: WriteVerb,
    child: Named,
    object: KubeObject,
    request: (options: RequestOptions) => Promise<unknown>,
  ): Promise<KubeError | 'refused' | undefined> {
    try {
      await this.write(request);
      return undefined;
    } catch (error) {
      if (isKubeError(error, 'NotFound', 'Conflict')) return error;
      this.noteWriteFailed(verb, child, object, error);
      return 'refused';
    }
  }

  /** Read once per run. The cache may be outdated, and a recreated job must not get the old one's pods. */
  isLive(): Promise<boolean> {
    this.#live ??= this.#readLive();
    return this.#live;
  }

  async #readLive(): Promise<boolean> {
    const { client, resource } = this.dependencies;
    try {
      const { metadata } = await client.get(resource, this.where, { signal: this.signal });
      return metadata?.uid === this.uid && metadata.deletionTimestamp === undefined;
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return false;
      throw error;
    }
  }

  expect(expectation: Expectation): void {
    this.dependencies.expectations.expect(this.key, this.uid, expectation);
  }

  expectSeen(cache: Cache<KubeObject>, object: KubeObject): void {
    const { uid = '' } = object.metadata ?? {};
    this.expect({ uid, isMet: () => cache.get(cacheKey(object))?.metadata?.uid === uid });
  }

  /** Until the cache shows another version than that of `object`. */
  expectChanged(cache: Cache<KubeObject>, object: KubeObject): void {
    const { uid = '', resourceVersion } = object.metadata ?? {};
    this.expect({ uid, isMet: () => cache.get(cacheKey(object))?.metadata?.resourceVersion !== resourceVersion });
  }

  emit(event: PlannedEvent): void {
    const { events, memory } = this.dependencies;
    events(this.manifest, event);
    if (event.dedupKey !== undefined) memory.noteEmitted(this.key, this.uid, event.dedupKey);
  }

  /**
   * One event per reason, e.g. for all pods refused by a quota. The alphabetically first message is kept, so that the
   * next run's event is equal and aggregated.
   */
  noteFailed(reason: string, action: string, error: unknown): void {
    const note = messageOf(error);
    const noted = this.#failed.get(reason);
    if (noted === undefined || note < noted.note) this.#failed.set(reason, { type: 'Warning', reason, action, note });
  }

  /** Refusals are remembered; other errors are thrown. */
  noteWriteFailed(verb: WriteVerb, child: Named, object: KubeObject, error: unknown): void {
    // The operator cancelled the request, because it stops or another process leads.
    if (this.signal.aborted) throw error;
    const key = writeKey({ verb, kind: child.resource.kind });
    this.noteFailed(`Failed${key}`, key, error);
    if (rejectionOf(error) === undefined) throw error;
    const message = `${messageOf(error)}; this is retried, first after seconds and later every few minutes`;
    this.noteRefused(verb, child, object, { reason: `Failed${verb}`, message });
  }

  /** One message per verb and kind, again the alphabetically first. */
  noteRefused(verb: WriteVerb, child: Named, object: KubeObject, { reason, message }: Shortage): void {
    const { resource, isOptional = false } = child;
    if (!isOptional) this.isPlanOutdated = true;
    const write = { verb, kind: resource.kind, isOptional };
    const noted = this.#refused.get(writeKey(write));
    const names = new Set([...(noted?.names ?? []), nameOf(object)]);
    const kept = noted !== undefined && noted.message <= message ? noted : { reason, message };
    this.#refused.set(writeKey(write), { ...write, reason: kept.reason, message: kept.message, names });
  }

  /** A warning about `object`, e.g. an unknown field, is emitted once for all replicas of a role. */
  noteWarning(verb: 'Create' | 'Update', { kind }: Resource, object: KubeObject, warning: string): void {
    const name = nameOf(object);
    const about = `${kind} ${name}: ${warning}`.replaceAll(name, name.replaceAll(/\d+/g, ''));
    if (!this.dependencies.memory.isNewWarning(this.key, this.uid, about)) return;
    const note = `${kind} ${name}: ${warning}. The API server reported this when the object was written.`;
    this.emit({ type: 'Warning', reason: 'APIServerWarning' satisfies EventReason, action: `${verb}${kind}`, note });
  }

  /** One event at the end of the run reports all objects with the same verb. */
  noteDone(verb: DoneVerb, resource: Resource, object: KubeObject): void {
    // Kubernetes' controllers emit no events for EndpointSlices, either.
    if (resource === ENDPOINT_SLICES) return;
    const noted = this.#done.find((each) => each.verb === verb && each.resource === resource);
    if (noted === undefined) this.#done.push({ verb, resource, names: [nameOf(object)] });
    else noted.names.push(nameOf(object));
  }

  emitNoted(): void {
    for (const event of [...doneEvents(this.#done), ...this.#failed.values()]) this.emit(event);
  }

  /** Returns those that were not refused before. */
  rememberRefused(): RefusedWrite[] {
    const generation = generationOf(this.manifest);
    const noted = [...this.#refused.values()].map((refused) => {
      const count = this.dependencies.memory.noteWriteFailure(this.key, this.uid, { ...refused, generation });
      return { refused, count };
    });
    return noted.filter(({ count }) => count === 1).map(({ refused }) => refused);
  }
}
