/**
 * One job, its operator's reconcile runs, and what the API server, the kubelets and other controllers do with its objects, without
 * any of them: writes go into maps, objects with {@link objectProblems} are refused, and pods get the states of {@link PodFate}.
 */
import {
  ownedKinds,
  newWorld,
  planJob,
  type JobManifest,
  type OwnedKind,
  type Plan,
  type PlanSettings,
  type InvalidObject,
  type World,
  type Write,
  type FrameworkAdapter,
} from '@muster/common-job-controller';
import { PODS, SERVICES, type KubeObject, type Pod, type Service } from '@muster/job-api';
import { objectProblems } from '../../src/validation/object-problems.ts';
import { advanced, podsOfWorkload, statusFromOthers, type PodFate } from './others.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');

interface Stored {
  readonly kind: OwnedKind;
  object: KubeObject;
}

/** An object that the API server refused. */
export interface RefusedObject {
  readonly object: KubeObject;
  readonly message: string;
}

export class PureJob {
  readonly refused: RefusedObject[] = [];
  readonly events: string[] = [];
  readonly #adapter: FrameworkAdapter;
  readonly #settings: PlanSettings;
  readonly #kinds: readonly OwnedKind[];
  readonly #pods = new Map<string, Pod>();
  readonly #services = new Map<string, Service>();
  readonly #owned = new Map<string, Stored>();
  readonly #emitted = new Set<string>();
  #manifest: JobManifest;
  #invalidObject: InvalidObject | undefined;
  #nowMs = START_MS;
  #made = 0;
  #hasWrittenStatus = false;
  #isGone = false;

  constructor(adapter: FrameworkAdapter, stored: JobManifest, settings: PlanSettings) {
    this.#adapter = adapter;
    this.#settings = settings;
    this.#kinds = ownedKinds(adapter, settings.gang);
    const metadata = {
      ...stored.metadata,
      uid: 'uid-of-the-job',
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: this.#time(),
    };
    this.#manifest = { ...stored, metadata };
  }

  get manifest(): JobManifest {
    return this.#manifest;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get pods(): readonly Pod[] {
    return [...this.#pods.values()];
  }

  /** All objects but the job, by kind and name. */
  get objects(): readonly KubeObject[] {
    return [...this.pods, ...this.#services.values(), ...[...this.#owned.values()].map(({ object }) => object)];
  }

  world(): World {
    const manifest = this.#manifest;
    const references = (this.#adapter.references?.of(manifest) ?? []).map((reference) => ({
      ...reference,
      object: undefined,
    }));
    const pods = this.pods;
    const ownedResources = [...this.#owned.values()];
    const states = this.#adapter.agingStates?.(manifest, pods, { ownedResources, references }) ?? [];
    return {
      ...newWorld(manifest, this.#nowMs),
      ...{ pods, ownedResources, references },
      services: [...this.#services.values()],
      stateAges: new Map(states.map((state) => [state, this.#nowMs - START_MS])),
      invalidObject: this.#invalidObject,
      emittedEvents: new Set(this.#emitted),
      seenForMs: this.#nowMs - START_MS,
      hasWrittenStatus: this.#hasWrittenStatus,
    };
  }

  plan(): Plan {
    return planJob(this.#adapter, this.world(), this.#settings);
  }

  /** Carries out the plan. Returns whether it changed anything. */
  execute(plan: Plan): boolean {
    if (plan.status !== undefined) {
      const { status, stored = status } = plan.status;
      this.#manifest = {
        ...this.#manifest,
        status: JSON.parse(JSON.stringify(stored)) as object,
        metadata: this.#touched(),
      };
      this.#hasWrittenStatus = true;
    }
    for (const { note, dedupKey } of plan.events) {
      this.events.push(note);
      if (dedupKey !== undefined) this.#emitted.add(dedupKey);
    }
    const effects = plan.writes.map((write) => this.#apply(write));
    return plan.status !== undefined || effects.includes(true);
  }

  /** Time passes, pods and other controllers go on. Returns whether an object changed. */
  advance(fate: PodFate, ms: number): boolean {
    this.#nowMs += ms;
    let hasChanged = false;
    for (const [name, pod] of this.#pods) {
      const next = advanced(pod, fate, this.#time());
      if (next === pod) continue;
      hasChanged = true;
      if (next === undefined) this.#pods.delete(name);
      else this.#pods.set(name, next);
    }
    for (const [key, stored] of this.#owned) {
      const { object } = stored;
      if (object.metadata?.deletionTimestamp !== undefined) {
        this.#owned.delete(key);
        hasChanged = true;
        continue;
      }
      const made = podsOfWorkload(object).filter(({ metadata }) => !this.#pods.has(metadata?.name ?? ''));
      for (const pod of made) this.#put(pod);
      const status = statusFromOthers(object, this.pods);
      hasChanged ||= made.length > 0;
      if (status === undefined || JSON.stringify(status) === JSON.stringify((object as { status?: object }).status))
        continue;
      hasChanged = true;
      stored.object = { ...object, status } as KubeObject;
    }
    return hasChanged;
  }

  #apply(write: Write): boolean {
    switch (write.op) {
      case 'create':
        return this.#create(write.resource, write.object, write.isOwnedResource === true);
      case 'ensure': {
        this.#admit(write.object);
        return false;
      }
      case 'delete':
      case 'forceDelete':
        return this.#delete(write.resource, write.object);
      case 'patch': {
        const stored = this.#owned.get(keyOf(write.object, write.resource.kind));
        if (stored === undefined) return false;
        stored.object = patched(stored.object, write.patch) as KubeObject;
        return true;
      }
      case 'annotate': {
        const { annotations, labels } = write;
        const pod = this.#pods.get(write.object.metadata?.name ?? '');
        if (pod !== undefined)
          this.#pods.set(
            pod.metadata?.name ?? '',
            patched(pod, { metadata: { annotations, ...(labels && { labels }) } }) as Pod,
          );
        return true;
      }
      case 'addFinalizer':
      case 'removeFinalizer': {
        const others = (this.#manifest.metadata?.finalizers ?? []).filter((each) => each !== write.name);
        const finalizers = write.op === 'addFinalizer' ? [...others, write.name] : others;
        this.#manifest = { ...this.#manifest, metadata: { ...this.#touched(), finalizers } };
        return true;
      }
      case 'deleteJob':
        this.#isGone = true;
        return true;
      case 'adopt':
      case 'release':
      case 'call':
        return false;
    }
  }

  #create(resource: { readonly kind: string }, object: KubeObject, isOwned: boolean): boolean {
    const whole = { kind: resource.kind, ...(JSON.parse(JSON.stringify(object)) as KubeObject) };
    if (!this.#admit(whole)) return true;
    if (!isOwned && (resource === PODS || resource === SERVICES)) return this.#put(whole);
    const kind = this.#kinds.find((each) => each.resource === resource);
    if (kind === undefined) throw new Error(`${resource.kind} is planned and not watched`);
    this.#owned.set(keyOf(whole, resource.kind), { kind, object: this.#stored(whole) });
    return true;
  }

  /** Whether the API server accepts the object. A refusal is remembered, as the operator remembers it. */
  #admit(object: KubeObject): boolean {
    const [first] = objectProblems(object);
    if (first === undefined) return true;
    const { kind, metadata } = object;
    const message = `${kind} "${metadata?.name}" is invalid: ${first.path}: ${first.message}`;
    this.refused.push({ object, message });
    this.#invalidObject = { generation: 1, message };
    return false;
  }

  #put(object: KubeObject): boolean {
    const { name = '' } = object.metadata ?? {};
    const all: Map<string, KubeObject> = object.kind === 'Service' ? this.#services : this.#pods;
    if (all.has(name)) throw new Error(`${object.kind} ${name} is created although it exists`);
    all.set(name, { ...this.#stored(object), ...(object.kind === 'Service' ? {} : { status: { phase: 'Pending' } }) });
    return true;
  }

  #stored(object: KubeObject): KubeObject {
    this.#made++;
    const metadata = {
      namespace: 'specs',
      ...object.metadata,
      uid: `uid-${this.#made}`,
      resourceVersion: String(this.#made),
      creationTimestamp: this.#time(),
    };
    return { ...object, metadata };
  }

  /** Pods terminate first, as do objects that other controllers have to end. */
  #delete(resource: { readonly kind: string }, object: KubeObject): boolean {
    const { name = '' } = object.metadata ?? {};
    if (resource === SERVICES && this.#services.delete(name)) return true;
    const deletionTimestamp = this.#time();
    const pod = resource === PODS ? this.#pods.get(name) : undefined;
    if (pod !== undefined) {
      this.#pods.set(name, { ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
      return true;
    }
    const stored = this.#owned.get(keyOf(object, resource.kind));
    if (stored === undefined) return false;
    stored.object = { ...stored.object, metadata: { ...stored.object.metadata, deletionTimestamp } };
    return true;
  }

  #touched(): NonNullable<JobManifest['metadata']> {
    const { metadata } = this.#manifest;
    return { ...metadata, resourceVersion: String(Number(metadata?.resourceVersion ?? 0) + 1) };
  }

  #time(): string {
    return new Date(this.#nowMs).toISOString().replace('.000Z', 'Z');
  }
}

function keyOf({ metadata }: KubeObject, kind: string): string {
  return `${kind} ${metadata?.name}`;
}

/** JSON merge patch. */
function patched(value: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const before = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  const changes = Object.entries(patch).map(
    ([field, content]: [string, unknown]) =>
      [field, content === null ? undefined : patched(Reflect.get(before, field), content)] as const,
  );
  return Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(changes) }).filter(([, content]) => content !== undefined),
  );
}
