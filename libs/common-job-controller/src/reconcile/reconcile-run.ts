/** What the writes of one pass over one job share: limits, expectations, and what there is to tell at the end. */
import type { Clock } from '@muster/controller';
import { ENDPOINT_SLICES, type EventReason, type KubeObject, type Resource, type JobStatus } from '@muster/job-api';
import { cacheKey, isKubeError, type KubeClient, type RequestOptions } from '@muster/kube';
import type { JobManifest } from '../model/training-job.ts';
import { writeKey } from './write-failures.ts';
import { doneNote, doneReason, eventsOf, type DoneVerb } from './done-note.ts';
import type { FactKeeper } from '../facts/fact-keeper.ts';
import type { Expectation, Expectations } from './expectations.ts';
import type { JobMemory } from './job-memory.ts';
import type { JobMetrics } from '../metrics/job-metrics.ts';
import type { PlannedPass, Plan } from './plan.ts';
import type { JobCaches } from './observe.ts';
import type { PlannedEvent } from '../model/event.ts';
import { verdictOn } from './refusals.ts';
import type { Shortage } from '../model/shortage.ts';
import type { Semaphore } from '../facts/semaphore.ts';
import type { WriteFailure } from '../world/world.ts';

export type RefusedWrite = Omit<WriteFailure, 'generation' | 'waitMs'>;

/** A write to one object. */
interface ObjectWrite extends Pick<WriteFailure, 'verb' | 'kind' | 'isOptional'> {
  readonly name: string;
}

/** Where events go; never waits and never fails. */
type EventSink = (regarding: KubeObject, event: PlannedEvent) => void;

export interface Dependencies {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly caches: JobCaches;
  readonly resource: Resource<JobManifest>;
  readonly expectations: Expectations;
  readonly memory: JobMemory;
  readonly facts: FactKeeper;
  readonly metrics: JobMetrics;
  readonly events: EventSink;
  /** Keeps what was planned, where the operator records its passes; never waits and never fails. */
  readonly record?: ((pass: PlannedPass) => void) | undefined;
  /** Shared by all jobs. */
  readonly writes: Semaphore;
  /** Called of each status as the API server has stored it: whether it has dropped the engine's own. */
  readonly isStripped: (stored: object) => boolean;
  /** What an annotation keeps of the record then. */
  readonly ownStatusOf: (record: JobStatus) => string;
}

export class ReconcileRun {
  /** An answer, or a change of the job, has changed what should be done: what is left of the plan is out of date. */
  needsNewPlan = false;
  /** Nothing can be made any more, and no later pass will change that. */
  isNamespaceGoing = false;
  /** A write for which nothing else waits was refused: that is told by the next pass. */
  needsAnotherPass = false;
  readonly tools: Dependencies;
  readonly manifest: JobManifest;
  readonly signal: AbortSignal;
  /** `namespace/name` of the job, and its UID. */
  readonly key: string;
  readonly uid: string;
  /** When the job reaches a limit that the plan has yet to heed. */
  readonly #validUntilMs: number;
  #done: { deed: DoneVerb; resource: Resource; names: string[] }[] = [];
  #failed = new Map<string, PlannedEvent>();
  #refused = new Map<string, RefusedWrite>();
  #live: Promise<boolean> | undefined;

  constructor(tools: Dependencies, manifest: JobManifest, signal: AbortSignal, validForMs = Infinity) {
    this.tools = tools;
    this.manifest = manifest;
    this.signal = signal;
    this.key = cacheKey(manifest);
    this.uid = manifest.metadata?.uid ?? '';
    this.#validUntilMs = tools.clock.now() + validForMs;
  }

  /** What the next pass has to know of the plan, whatever becomes of this one. */
  remember({ lacks }: Pick<Plan, 'lacks'>): void {
    this.tools.memory.keepWriteFailures(this.key, lacks.writes);
  }

  /** Whether what is left of the plan is not to be done. */
  get isOver(): boolean {
    return this.needsNewPlan || this.isNamespaceGoing;
  }

  /**
   * Asked before each batch of writes: a change of the job that the cache shows meanwhile takes effect then, and not when
   * thousands of pods are made. Throws when the operator has to stop.
   */
  mayGoOn(): boolean {
    this.signal.throwIfAborted();
    if (this.#isOutdated()) this.needsNewPlan = true;
    return !this.isOver;
  }

  #isOutdated(): boolean {
    const { caches, clock } = this.tools;
    const [now, planned] = [caches.jobs.get(this.key)?.metadata, this.manifest.metadata];
    const isChanged = now?.uid !== this.uid || now.generation !== planned?.generation;
    const isGoing = now?.deletionTimestamp !== planned?.deletionTimestamp;
    return isChanged || isGoing || clock.now() >= this.#validUntilMs;
  }

  write<T>(request: (options: RequestOptions) => Promise<T>): Promise<T> {
    const { signal } = this;
    return this.tools.writes.run(signal, () => request({ signal }));
  }

  /**
   * Whether the API server still has the job, and it is not being deleted: asked once in a run. The cache may be behind, and a job that was
   * deleted and created again must not get the old one's pods.
   */
  isLive(): Promise<boolean> {
    this.#live ??= this.#askLive();
    return this.#live;
  }

  async #askLive(): Promise<boolean> {
    const { client, resource } = this.tools;
    const { name = '', namespace = '' } = this.manifest.metadata ?? {};
    try {
      const { metadata } = await client.get(resource, { namespace, name }, { signal: this.signal });
      return metadata?.uid === this.uid && metadata.deletionTimestamp === undefined;
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return false;
      throw error;
    }
  }

  /** The job is not planned again until this is seen. */
  expect(expectation: Expectation): void {
    this.tools.expectations.expect(this.key, this.uid, expectation);
  }

  emit(event: PlannedEvent): void {
    this.tools.events(this.manifest, event);
  }

  /**
   * One event at the end of the pass tells of all that failed for the same reason: what a quota refuses would else be told
   * for each pod. It is always the same one's words, so that the next pass tells the same and is counted with it.
   */
  noteFailed(reason: string, action: string, error: unknown): void {
    const note = error instanceof Error ? error.message : String(error);
    const noted = this.#failed.get(reason);
    if (noted === undefined || note < noted.note) this.#failed.set(reason, { type: 'Warning', reason, action, note });
  }

  /** Tells of a write that has failed. One that was refused is remembered; what failed for another reason is thrown. */
  noteWriteFailed(write: ObjectWrite, error: unknown): void {
    // The operator has cancelled the request itself: it stops, or another one leads now.
    if (this.signal.aborted) throw error;
    this.noteFailed(`Failed${writeKey(write)}`, writeKey(write), error);
    if (verdictOn(error) === undefined) throw error;
    const words = error instanceof Error ? error.message : String(error);
    const message = `${words}; this is tried again, at first after seconds and later every few minutes`;
    this.noteRefused(write, { reason: `Failed${write.verb}`, message });
  }

  /** Of several of a verb and a kind one's words are remembered, by the same rule. */
  noteRefused({ name, ...write }: ObjectWrite, { reason, message }: Shortage): void {
    if (write.isOptional) this.needsAnotherPass = true;
    else this.needsNewPlan = true;
    const noted = this.#refused.get(writeKey(write));
    const names = new Set([...(noted?.names ?? []), name]);
    const told = noted !== undefined && noted.message <= message ? noted : { reason, message };
    this.#refused.set(writeKey(write), { ...write, reason: told.reason, message: told.message, names });
  }

  /** Emits what the API server warned of when it stored `object`, such as an unknown field: once for all replicas of a role. */
  noteWarning(verb: 'Create' | 'Update', { kind }: Resource, object: KubeObject, warning: string): void {
    const { name = '' } = object.metadata ?? {};
    const about = `${kind} ${name}: ${warning}`.replaceAll(name, name.replaceAll(/\d+/g, ''));
    if (!this.tools.memory.isNewWarning(this.key, this.uid, about)) return;
    const note = `${kind} ${name}: ${warning}. The API server reported this when the object was written.`;
    this.emit({ type: 'Warning', reason: 'APIServerWarning' satisfies EventReason, action: `${verb}${kind}`, note });
  }

  /** One event at the end of the pass tells of all to which the same was done. */
  noteDone(deed: DoneVerb, resource: Resource, name: string): void {
    // What becomes of pods is told; where their names lead follows from that, as under Kubernetes' own controllers.
    if (resource === ENDPOINT_SLICES) return;
    const noted = this.#done.find((each) => each.deed === deed && each.resource === resource);
    if (noted === undefined) this.#done.push({ deed, resource, names: [name] });
    else noted.names.push(name);
  }

  /** Tells of what was done and what failed, however the pass has ended. */
  emitAll(): void {
    for (const { deed, resource, things } of eventsOf(this.#done)) {
      this.emit({
        type: 'Normal',
        reason: doneReason(deed, resource),
        action: `${deed}${resource.kind}`,
        note: doneNote(deed, things),
      });
    }
    for (const event of this.#failed.values()) this.emit(event);
  }

  /** Remembers what was refused, for the next pass to plan with. Returns what has not been refused before. */
  rememberRefused(): RefusedWrite[] {
    const { generation = 0 } = this.manifest.metadata ?? {};
    return [...this.#refused.values()].filter(
      (failure) => this.tools.memory.noteWriteFailure(this.key, this.uid, { ...failure, generation }) === 1,
    );
  }
}
