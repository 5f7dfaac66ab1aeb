/**
 * Does what a plan says, in the plan's order, and decides nothing: answers that change what should be done (a name that
 * is taken, a template that is refused) are remembered for the next pass to plan with.
 */
import {
  PODS,
  SERVICES,
  type EventReason,
  type KubeObject,
  type Pod,
  type Resource,
  type Service,
} from '@muster/job-api';
import { cacheKey, isKubeError, type Cache, type KubeClient, type KubeError } from '@muster/kube';
import type { JobManifest } from './adapter.ts';
import type { Expectation, Expectations } from './expectations.ts';
import type { JobMemory } from './job-memory.ts';
import type { JobMetrics } from './job-metrics.ts';
import { mergePatch } from './merge-patch.ts';
import type { JobCaches } from './observe.ts';
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
}

/**
 * Throws the first write that failed for a reason that may pass; all that was done until then is accounted for.
 * Returns whether an answer calls for a new plan at once.
 */
export async function execute(tools: Tools, manifest: JobManifest, plan: Plan): Promise<{ needsNewPlan: boolean }> {
  const pass = new Pass(tools, manifest);
  try {
    await pass.writeStatus(plan);
    await pass.adopt(plan);
    await pass.remove(plan);
    await pass.createServices(plan.create.services);
    if (!pass.needsNewPlan) await pass.createPods(plan.create.pods);
    return pass;
  } finally {
    pass.settle();
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
  #key: string;
  #pods: ChildKind<Pod>;
  #services: ChildKind<Service>;
  #expected: Expectation[] = [];
  #done: { reason: EventReason; action: string; names: string[] }[] = [];

  constructor(tools: Tools, manifest: JobManifest) {
    this.#tools = tools;
    this.#manifest = manifest;
    this.#key = cacheKey(manifest);
    this.#pods = { name: 'Pod', resource: PODS, cache: tools.caches.pods };
    this.#services = { name: 'Service', resource: SERVICES, cache: tools.caches.services };
  }

  async writeStatus({ status, events, counters, remove }: Plan): Promise<void> {
    const { client, caches, resource, memory, metrics } = this.#tools;
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = this.#manifest.metadata ?? {};
    const patch = status && mergePatch(this.#manifest.status ?? {}, status);
    if (patch !== undefined) {
      // The version makes it fail when the job has changed since it was observed: then nothing of the plan is done.
      const write = { metadata: { resourceVersion }, status: patch };
      await this.#write(() => client.patchStatus(resource, { namespace, name }, write));
      const isMet = () => caches.jobs.get(this.#key)?.metadata?.resourceVersion !== resourceVersion;
      this.#expected.push({ uid, isMet });
      memory.noteCountedRestarts(this.#key, remove.pods.map(uidOf));
      metrics.count(namespace, counters);
    }
    for (const event of events) this.#tools.events(this.#manifest, event);
    memory.noteRefusalTold(this.#key);
  }

  async adopt({ adopt }: Plan): Promise<void> {
    await Promise.all([
      ...adopt.pods.map((pod) => this.#adoptOne(this.#pods, pod)),
      ...adopt.services.map((service) => this.#adoptOne(this.#services, service)),
    ]);
  }

  async remove({ remove }: Plan): Promise<void> {
    await Promise.all([
      ...remove.pods.map((pod) => this.#deleteOne(this.#pods, pod)),
      ...remove.services.map((service) => this.#deleteOne(this.#services, service)),
    ]);
  }

  async createServices(services: readonly Service[]): Promise<void> {
    await slowStart(services, (service) => this.#createOne(this.#services, service));
  }

  async createPods(pods: readonly Pod[]): Promise<void> {
    await slowStart(pods, (pod) => this.#createOne(this.#pods, pod));
  }

  /** Accounts for what was done, however the pass has ended. */
  settle(): void {
    this.#tools.expectations.expect(this.#key, this.#expected);
    for (const { reason, action, names } of this.#done) {
      const note = `${names.length === 1 ? names[0] : `${names.length}: ${names.join(', ')}`}`;
      this.#tools.events(this.#manifest, { type: 'Normal', reason, action, note });
    }
  }

  async #createOne<T extends KubeObject>(kind: ChildKind<T>, object: T): Promise<void> {
    if (this.needsNewPlan) return;
    try {
      const { metadata } = await this.#write(() => this.#tools.client.create(kind.resource, object));
      this.#expectSeen(kind.cache, object, metadata?.uid ?? '');
      this.#note(`SuccessfulCreate${kind.name}`, `Create${kind.name}`, nameOf(object));
    } catch (error) {
      if (isKubeError(error, 'AlreadyExists')) return this.#noteExisting(kind, object);
      if (kind.name === 'Pod' && isKubeError(error, 'Invalid')) return this.#noteRefusal(error);
      this.#tellFailure(`FailedCreate${kind.name}`, `Create${kind.name}`, error);
      throw error;
    }
  }

  /** Ours and not in the cache yet, or somebody else's. */
  async #noteExisting<T extends KubeObject>(kind: ChildKind<T>, object: T): Promise<void> {
    const { namespace = '' } = object.metadata ?? {};
    const name = nameOf(object);
    const existing = await this.#tools.client.get(kind.resource, { namespace, name });
    const jobUid = uidOf(this.#manifest);
    if (ownershipOf(existing, jobUid) === 'owned') return this.#expectSeen(kind.cache, existing, uidOf(existing));
    this.needsNewPlan = true;
    if (
      isLeftover(existing, {
        resource: this.#tools.resource,
        metadata: { name: nameOf(this.#manifest), namespace, uid: jobUid },
      })
    ) {
      throw new NameNotYetFree(`${kind.name} ${name} of an earlier job is still being deleted`);
    }
    this.#tools.memory.noteTaken(this.#key, kind.name === 'Pod' ? 'pods' : 'services', name);
    const owner = controllerOf(existing);
    const whose = owner === undefined ? 'nobody' : `${owner.kind} ${owner.name}`;
    this.#tools.events(this.#manifest, {
      type: 'Warning',
      reason: 'NameTaken' satisfies EventReason,
      action: `Create${kind.name}`,
      note: `${kind.name} ${name} exists already and is controlled by ${whose}, so it is left alone: delete it or rename this job`,
    });
  }

  #noteRefusal({ message }: KubeError): void {
    this.needsNewPlan = true;
    this.#tools.memory.noteRefusal(this.#key, { generation: this.#manifest.metadata?.generation ?? 0, message });
  }

  async #deleteOne<T extends KubeObject>(kind: ChildKind<T>, object: T): Promise<void> {
    const { namespace = '', uid = '' } = object.metadata ?? {};
    const name = nameOf(object);
    try {
      await this.#write(() => this.#tools.client.delete(kind.resource, { namespace, name }, { uid }));
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
    this.#expected.push({ uid, isMet });
  }

  async #adoptOne<T extends KubeObject>(kind: ChildKind<T>, object: T): Promise<void> {
    const { client, resource: jobs } = this.#tools;
    const { namespace = '', uid = '', resourceVersion = '', ownerReferences = [] } = object.metadata ?? {};
    const job = { name: nameOf(this.#manifest), namespace, uid: uidOf(this.#manifest) };
    // The cache may be behind: a job that was deleted and created anew must not be handed the old one's pods.
    const live = await client.get(jobs, job);
    if (uidOf(live) !== job.uid || live.metadata?.deletionTimestamp !== undefined) return;
    const owners = [...ownerReferences, ownerReference({ resource: jobs, metadata: job })];
    const patch = { metadata: { uid, resourceVersion, ownerReferences: owners } };
    await this.#write(() => client.patch(kind.resource, { namespace, name: nameOf(object) }, patch));
    const isMet = () => {
      const cached = kind.cache.get(cacheKey(object));
      return cached === undefined || ownershipOf(cached, job.uid) === 'owned';
    };
    this.#expected.push({ uid, isMet });
    this.#note(`Adopted${kind.name}`, `Adopt${kind.name}`, nameOf(object));
  }

  #expectSeen<T extends KubeObject>(cache: Cache<T>, object: T, uid: string): void {
    this.#expected.push({ uid, isMet: () => cache.get(cacheKey(object))?.metadata?.uid === uid });
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

  #write<T>(request: () => Promise<T>): Promise<T> {
    return this.#tools.writes.run(request);
  }
}

/** The name will be free soon; until then the job is tried again with back-off. */
class NameNotYetFree extends Error {
  override readonly name = 'NameNotYetFree';
}

function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? '';
}

function uidOf({ metadata }: KubeObject): string {
  return metadata?.uid ?? '';
}
