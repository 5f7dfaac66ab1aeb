/**
 * Does what a plan says, in the plan's order, and decides nothing: answers that change what should be done (a name that
 * is taken, a template that is refused) are remembered for the next pass to plan with.
 */
import {
  ANNOTATIONS,
  PODS,
  SERVICES,
  type EventReason,
  type JobStatus,
  type KubeObject,
  type Pod,
  type Resource,
  type Service,
} from '@muster/job-api';
import { cacheKey, isKubeError, type Cache, type KubeClient, type KubeError, type RequestOptions } from '@muster/kube';
import type { JobManifest } from './adapter.ts';
import type { Expectation, Expectations } from './expectations.ts';
import type { JobMemory } from './job-memory.ts';
import type { JobMetrics } from './job-metrics.ts';
import { mergePatch } from './merge-patch.ts';
import type { JobCaches } from './observe.ts';
import { isStripped, ownStatusOf } from './own-status.ts';
import { controllerOf, isLeftover, ownerReference, ownershipOf } from './ownership.ts';
import type { Plan, PlannedEvent } from './plan.ts';
import type { Semaphore } from './semaphore.ts';
import { slowStart } from './slow-start.ts';

/** Where events go; never waits and never fails. */
type EventSink = (regarding: KubeObject, event: PlannedEvent) => void;

export interface Tools {
  readonly client: KubeClient;
  readonly caches: JobCaches;
  readonly resource: Resource<JobManifest>;
  readonly expectations: Expectations;
  readonly memory: JobMemory;
  readonly metrics: JobMetrics;
  readonly events: EventSink;
  /** Shared by all jobs. */
  readonly writes: Semaphore;
  /** Told each status as the API server has stored it. */
  readonly noteStored: (status: JobStatus) => void;
}

/**
 * Throws the first write that failed for a reason that may pass; all that was done until then is accounted for.
 * Returns whether an answer calls for a new plan at once.
 */
export async function execute(
  tools: Tools,
  manifest: JobManifest,
  plan: Plan,
  signal: AbortSignal,
): Promise<{ needsNewPlan: boolean }> {
  const pass = new Pass(tools, manifest, signal);
  const steps = [
    () => pass.writeStatus(plan),
    () => pass.adopt(plan),
    () => pass.remove(plan),
    () => pass.createServices(plan.create.services),
    () => pass.createPods(plan.create.pods),
    () => pass.deleteJob(plan.deleteJob),
  ];
  try {
    for (const step of steps) if (!pass.needsNewPlan) await step();
    return pass;
  } finally {
    pass.tellDone();
  }
}

/** One of the two kinds of objects that a job has. */
interface ChildKind<T extends KubeObject> {
  readonly name: 'Pod' | 'Service';
  readonly resource: Resource<T>;
  readonly cache: Cache<T>;
}

class Pass {
  /** An answer has changed what should be done: what is left of the plan is out of date. */
  needsNewPlan = false;
  #tools: Tools;
  #manifest: JobManifest;
  #signal: AbortSignal;
  #key: string;
  #uid: string;
  #pods: ChildKind<Pod>;
  #services: ChildKind<Service>;
  #done: { reason: EventReason; action: string; names: string[] }[] = [];

  constructor(tools: Tools, manifest: JobManifest, signal: AbortSignal) {
    this.#tools = tools;
    this.#manifest = manifest;
    this.#signal = signal;
    this.#key = cacheKey(manifest);
    this.#uid = uidOf(manifest);
    this.#pods = { name: 'Pod', resource: PODS, cache: tools.caches.pods };
    this.#services = { name: 'Service', resource: SERVICES, cache: tools.caches.services };
  }

  async writeStatus({ status, events, counters }: Plan): Promise<void> {
    const { memory, metrics } = this.#tools;
    if (status !== undefined) {
      if (!(await this.#patchStatus(status))) return;
      metrics.count(this.#manifest.metadata?.namespace ?? '', counters);
    }
    for (const event of events) this.#tools.events(this.#manifest, event);
    memory.noteRefusalTold(this.#key);
  }

  async adopt({ adopt }: Plan): Promise<void> {
    await slowStart(adopt.pods, this.#signal, (pod) => this.#adoptOne(this.#pods, pod));
    await slowStart(adopt.services, this.#signal, (service) => this.#adoptOne(this.#services, service));
  }

  async remove({ remove }: Plan): Promise<void> {
    await slowStart(remove.pods, this.#signal, (pod) => this.#deleteOne(this.#pods, pod));
    await slowStart(remove.services, this.#signal, (service) => this.#deleteOne(this.#services, service));
  }

  async createServices(services: readonly Service[]): Promise<void> {
    await slowStart(services, this.#signal, (service) => this.#createOne(this.#services, service));
  }

  async createPods(pods: readonly Pod[]): Promise<void> {
    await slowStart(pods, this.#signal, (pod) => this.#createOne(this.#pods, pod));
  }

  async deleteJob(isDue: boolean): Promise<void> {
    if (!isDue) return;
    const { client, resource, metrics } = this.#tools;
    const { name = '', namespace = '', resourceVersion = '' } = this.#manifest.metadata ?? {};
    // Of the version that was planned with: whoever has changed the time to live since wants the job to stay.
    const which = { uid: this.#uid, resourceVersion, propagationPolicy: 'Background' as const };
    try {
      await this.#write((options) => client.delete(resource, { namespace, name }, { ...which, ...options }));
      metrics.count(namespace, ['deleted']);
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return;
      this.#tellFailure('FailedDeleteJob', 'DeleteJob', error);
      throw error;
    }
  }

  /** Tells of what was done, however the pass has ended. */
  tellDone(): void {
    for (const { reason, action, names } of this.#done) {
      const note = `${names.length === 1 ? names[0] : `${names.length}: ${names.join(', ')}`}`;
      this.#tools.events(this.#manifest, { type: 'Normal', reason, action, note });
    }
  }

  /** False when the job has gone meanwhile. */
  async #patchStatus(status: JobStatus): Promise<boolean> {
    const { client, caches, resource } = this.#tools;
    const { name = '', namespace = '', resourceVersion = '' } = this.#manifest.metadata ?? {};
    // The version makes it fail when the job has changed since it was observed: then nothing of the plan is done.
    const patch = { metadata: { resourceVersion }, status: mergePatch(this.#manifest.status ?? {}, status) };
    try {
      const stored = await this.#write((options) => client.patchStatus(resource, { namespace, name }, patch, options));
      const before = new Set([resourceVersion]);
      this.#tools.noteStored(stored.status ?? {});
      if (isStripped(stored.status ?? {})) {
        before.add(stored.metadata?.resourceVersion ?? '');
        await this.#keepOwnStatus(status);
      }
      const isMet = () => !before.has(caches.jobs.get(this.#key)?.metadata?.resourceVersion ?? '');
      this.#expect({ uid: this.#uid, isMet });
      return true;
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
      this.needsNewPlan = true;
      return false;
    }
  }

  async #keepOwnStatus(status: JobStatus): Promise<void> {
    const { client, resource } = this.#tools;
    const { name = '', namespace = '' } = this.#manifest.metadata ?? {};
    const patch = { metadata: { uid: this.#uid, annotations: { [ANNOTATIONS.status]: ownStatusOf(status) } } };
    await this.#write((options) => client.patch(resource, { namespace, name }, patch, options));
  }

  async #createOne<T extends KubeObject>(kind: ChildKind<T>, object: T): Promise<void> {
    if (this.needsNewPlan) return;
    try {
      const { metadata } = await this.#write((options) => this.#tools.client.create(kind.resource, object, options));
      this.#expectSeen(kind.cache, object, metadata?.uid ?? '');
      this.#note(`SuccessfulCreate${kind.name}`, `Create${kind.name}`, nameOf(object));
    } catch (error) {
      if (isKubeError(error, 'AlreadyExists')) return this.#noteExisting(kind, object);
      if (isKubeError(error, 'Invalid', 'BadRequest')) return this.#noteRefusal(error);
      this.#tellFailure(`FailedCreate${kind.name}`, `Create${kind.name}`, error);
      throw error;
    }
  }

  /** Ours and not in the cache yet, or somebody else's. */
  async #noteExisting<T extends KubeObject>(kind: ChildKind<T>, object: T): Promise<void> {
    const existing = await this.#existing(kind, object);
    if (existing === undefined) return;
    if (ownershipOf(existing, this.#uid) !== 'owned') return this.#noteTaken(kind, existing);
    if (isFound(existing, object)) return this.#expectSeen(kind.cache, existing, uidOf(existing));
    this.#tellTaken(
      kind,
      existing,
      'belongs to this job but has lost the labels by which it is found: restore them or delete it',
    );
  }

  /** Undefined when it has gone meanwhile: then its name is free for the next plan. */
  async #existing<T extends KubeObject>(kind: ChildKind<T>, object: T): Promise<T | undefined> {
    const key = { namespace: object.metadata?.namespace ?? '', name: nameOf(object) };
    try {
      return await this.#tools.client.get(kind.resource, key, { signal: this.#signal });
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
      this.needsNewPlan = true;
      return undefined;
    }
  }

  #noteTaken<T extends KubeObject>(kind: ChildKind<T>, existing: T): void {
    const { namespace = '' } = existing.metadata ?? {};
    const metadata = { name: nameOf(this.#manifest), namespace, uid: this.#uid };
    if (isLeftover(existing, { resource: this.#tools.resource, metadata })) {
      this.needsNewPlan = true;
      throw new NameNotYetFree(`${kind.name} ${nameOf(existing)} of an earlier job is still being deleted`);
    }
    const owner = controllerOf(existing);
    const whose = owner === undefined ? 'nobody' : `${owner.kind} ${owner.name}`;
    this.#tellTaken(
      kind,
      existing,
      `exists already and is controlled by ${whose}, so it is left alone: delete it or rename this job`,
    );
  }

  #tellTaken<T extends KubeObject>(kind: ChildKind<T>, existing: T, what: string): void {
    this.needsNewPlan = true;
    const kinds = kind.name === 'Pod' ? 'pods' : 'services';
    this.#tools.memory.noteTaken(this.#key, this.#uid, kinds, nameOf(existing));
    this.#tools.events(this.#manifest, {
      type: 'Warning',
      reason: 'NameTaken' satisfies EventReason,
      action: `Create${kind.name}`,
      note: `${kind.name} ${nameOf(existing)} ${what}`,
    });
  }

  #noteRefusal({ message }: KubeError): void {
    this.needsNewPlan = true;
    const { generation = 0 } = this.#manifest.metadata ?? {};
    this.#tools.memory.noteRefusal(this.#key, this.#uid, { generation, message });
  }

  async #deleteOne<T extends KubeObject>(kind: ChildKind<T>, object: T): Promise<void> {
    const { namespace = '', uid = '' } = object.metadata ?? {};
    const name = nameOf(object);
    try {
      await this.#write((options) =>
        this.#tools.client.delete(kind.resource, { namespace, name }, { uid, ...options }),
      );
      this.#note(`SuccessfulDelete${kind.name}`, `Delete${kind.name}`, name);
    } catch (error) {
      // Gone, or another object by now: what was to be deleted is not there any more.
      if (!isKubeError(error, 'NotFound', 'Conflict')) {
        this.#tellFailure(`FailedDelete${kind.name}`, `Delete${kind.name}`, error);
        throw error;
      }
    }
    const isMet = () => {
      const cached = kind.cache.get(cacheKey(object))?.metadata;
      return cached?.uid !== uid || cached.deletionTimestamp !== undefined;
    };
    this.#expect({ uid, isMet });
  }

  async #adoptOne<T extends KubeObject>(kind: ChildKind<T>, object: T): Promise<void> {
    const { client, resource: jobs } = this.#tools;
    const { namespace = '', uid = '', resourceVersion = '', ownerReferences = [] } = object.metadata ?? {};
    const job = { name: nameOf(this.#manifest), namespace, uid: uidOf(this.#manifest) };
    // The cache may be behind: a job that was deleted and created anew must not be handed the old one's pods.
    const live = await client.get(jobs, job, { signal: this.#signal });
    if (uidOf(live) !== job.uid || live.metadata?.deletionTimestamp !== undefined) return;
    const owners = [...ownerReferences, ownerReference({ resource: jobs, metadata: job })];
    const patch = { metadata: { uid, resourceVersion, ownerReferences: owners } };
    await this.#write((options) => client.patch(kind.resource, { namespace, name: nameOf(object) }, patch, options));
    const isMet = () => {
      const cached = kind.cache.get(cacheKey(object));
      return cached === undefined || ownershipOf(cached, job.uid) === 'owned';
    };
    this.#expect({ uid, isMet });
    this.#note(`Adopted${kind.name}`, `Adopt${kind.name}`, nameOf(object));
  }

  #expectSeen<T extends KubeObject>(cache: Cache<T>, object: T, uid: string): void {
    this.#expect({ uid, isMet: () => cache.get(cacheKey(object))?.metadata?.uid === uid });
  }

  #note(reason: EventReason, action: string, name: string): void {
    const noted = this.#done.find((each) => each.reason === reason);
    if (noted === undefined) this.#done.push({ reason, action, names: [name] });
    else noted.names.push(name);
  }

  #tellFailure(reason: EventReason, action: string, error: unknown): void {
    const note = error instanceof Error ? error.message : String(error);
    this.#tools.events(this.#manifest, { type: 'Warning', reason, action, note });
  }

  #expect(expectation: Expectation): void {
    this.#tools.expectations.expect(this.#key, this.#uid, expectation);
  }

  #write<T>(request: (options: RequestOptions) => Promise<T>): Promise<T> {
    const signal = this.#signal;
    return this.#tools.writes.run(signal, () => request({ signal }));
  }
}

/** The name will be free soon; until then the job is tried again with back-off. */
class NameNotYetFree extends Error {
  override readonly name = 'NameNotYetFree';
}

/** Whether `existing` has the labels that `object` was to have, by which the caches find it. */
function isFound(existing: KubeObject, object: KubeObject): boolean {
  const labels = existing.metadata?.labels ?? {};
  return Object.entries(object.metadata?.labels ?? {}).every(([key, value]) => labels[key] === value);
}

function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? '';
}

function uidOf({ metadata }: KubeObject): string {
  return metadata?.uid ?? '';
}
