import { setTimeout } from 'node:timers/promises';
import type { EventReason, KubeObject, Resource } from '@muster/job-api';
import { cacheKey, isKubeError, KubeError } from '@muster/kube';
import { nameOf, type ChildKind, type Named } from '../children/child-kind.ts';
import { adoptChild } from './child-owners.ts';
import type { ResourceChange, EnsuredObject } from '../model/owned-resources.ts';
import { controllerOf, isFromEarlierJob, ownershipOf, nameConflictMessage } from '../model/ownership.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { WriteOf } from '../model/write.ts';
import { rejectionOf } from './refusals.ts';

const ROLE_TRIES = 40;
const ROLE_PAUSE_MS = 50;

export async function createChild<T extends KubeObject>(
  run: ReconcileRun,
  child: ChildKind<T>,
  object: T,
): Promise<void> {
  if (run.isOver) return;
  try {
    const { metadata } = await created(run, child.resource, object);
    expectSeen(run, child, object, metadata?.uid ?? '');
    run.noteDone('Create', child.resource, nameOf(object));
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists')) return noteExisting(run, child, object);
    noteCreateFailed(run, child, object, error);
  }
}

/** An API server's cache of roles may lack a new role, so that its binding is refused, unless by an administrator. */
async function created<T extends KubeObject>(run: ReconcileRun, resource: Resource<T>, object: T): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run.write((options) => {
        const onWarning = (warning: string) => run.noteWarning('Create', resource, object, warning);
        return run.tools.client.create(resource, object, { ...options, onWarning });
      });
    } catch (error) {
      if (!('roleRef' in object) || !isKubeError(error, 'NotFound') || tries === ROLE_TRIES) throw error;
      await setTimeout(ROLE_PAUSE_MS, undefined, { signal: run.signal });
    }
  }
}

export async function changeChild(
  run: ReconcileRun,
  child: ChildKind,
  object: KubeObject,
  { patch, subresource }: ResourceChange,
): Promise<void> {
  const { kind } = child.resource;
  const { namespace = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
  const checked = { ...patch, metadata: { ...metadataOf(patch), uid, resourceVersion } };
  try {
    await run.write((options) =>
      run.tools.client.patch(child.resource, { namespace, name: nameOf(object) }, checked, {
        ...options,
        ...(subresource && { subresource }),
        onWarning: (warning) => run.noteWarning('Update', child.resource, object, warning),
      }),
    );
    run.noteDone('Update', child.resource, nameOf(object));
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) {
      const { isOptional = false } = child;
      return run.noteWriteFailed({ verb: 'Update', kind, name: nameOf(object), isOptional }, error);
    }
    // The next plan waits for the cache, because a webhook may also answer Conflict, each time.
    run.needsNewPlan = true;
  }
  expectChanged(run, child, object);
}

/** Emits no event, because the pod keeps running unchanged. */
export async function annotatePod(
  run: ReconcileRun,
  { resource, cache }: ChildKind,
  { object: pod, annotations, labels }: Pick<WriteOf<'annotate'>, 'object' | 'annotations' | 'labels'>,
): Promise<void> {
  const { namespace = '', uid = '' } = pod.metadata ?? {};
  try {
    const patch = { metadata: { uid, annotations, ...(labels && { labels }) } };
    await run.write((options) => run.tools.client.patch(resource, { namespace, name: nameOf(pod) }, patch, options));
  } catch (error) {
    if (isKubeError(error, 'NotFound', 'Conflict')) return;
    return run.noteWriteFailed({ verb: 'Update', kind: resource.kind, name: nameOf(pod), isOptional: true }, error);
  }
  // Checks the annotations, since the kubelet's writes also change the resourceVersion.
  const isMet = () => {
    const cached = cache.get(cacheKey(pod))?.metadata;
    return (
      cached?.uid !== uid || Object.entries(annotations).every(([key, value]) => cached.annotations?.[key] === value)
    );
  };
  run.expect({ uid, isMet });
}

/** @param asSeen keeps an object that has changed since, and requests a new plan */
export async function deleteChild<T extends KubeObject>(
  run: ReconcileRun,
  child: ChildKind<T>,
  object: T,
  asSeen = false,
): Promise<void> {
  const { kind } = child.resource;
  const { namespace = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
  const name = nameOf(object);
  try {
    // By default, the API server orphans the pods of a Job.
    const how = { uid, ...(asSeen && { resourceVersion }), propagationPolicy: 'Background' } as const;
    await run.write((options) => run.tools.client.delete(child.resource, { namespace, name }, { ...how, ...options }));
    run.noteDone('Delete', child.resource, name);
  } catch (error) {
    if (asSeen && isKubeError(error, 'Conflict')) {
      run.needsNewPlan = true;
      return expectChanged(run, child, object);
    }
    if (!isKubeError(error, 'NotFound', 'Conflict')) {
      return run.noteWriteFailed({ verb: 'Delete', kind, name, isOptional: true }, error);
    }
  }
  const isMet = () => {
    const cached = child.cache.get(cacheKey(object))?.metadata;
    return cached?.uid !== uid || cached.deletionTimestamp !== undefined;
  };
  run.expect({ uid, isMet });
}

/** Does not wait for the kubelet. Finalizers and missing permissions are reported. */
export async function forceDeletePod(
  run: ReconcileRun,
  { resource, cache }: ChildKind,
  { object: pod, event }: Pick<WriteOf<'forceDelete'>, 'object' | 'event'>,
): Promise<void> {
  const { namespace = '', uid = '' } = pod.metadata ?? {};
  const key = { namespace, name: nameOf(pod) };
  try {
    await run.write((options) => run.tools.client.delete(resource, key, { uid, gracePeriodSeconds: 0, ...options }));
    run.emit(event);
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) {
      return run.noteWriteFailed({ verb: 'Delete', kind: resource.kind, name: key.name, isOptional: true }, error);
    }
  }
  run.expect({ uid, isMet: () => cache.get(cacheKey(pod))?.metadata?.uid !== uid });
}

/** The existing object is the job's and not cached yet, an orphan, or another owner's. */
async function noteExisting<T extends KubeObject>(run: ReconcileRun, child: ChildKind<T>, object: T): Promise<void> {
  const existing = await existingChild(run, child, object);
  if (existing === undefined) return;
  if (isOrphanedResource(child, existing, object)) {
    await adoptChild(run, child, existing, 'Create');
    run.needsNewPlan = true;
    return expectSeen(run, child, existing, existing.metadata?.uid ?? '');
  }
  if (ownershipOf(existing, run.uid) !== 'owned') return noteTaken(run, child, existing);
  if (isFound(existing, object)) {
    // Objects that refer to it are created after its replacement.
    if (existing.metadata?.deletionTimestamp !== undefined) run.needsNewPlan = true;
    return expectSeen(run, child, existing, existing.metadata?.uid ?? '');
  }
  if (child.takenAs === undefined) return label(run, child, existing, object.metadata?.labels);
  const what = `${child.resource.kind} ${nameOf(existing)} belongs to this job`;
  reportNameTaken(run, child, existing, `${what} but lacks the labels of the job's objects: restore them or delete it`);
}

async function existingChild<T extends KubeObject>(
  run: ReconcileRun,
  { resource }: Named<T>,
  object: T,
): Promise<T | undefined> {
  const key = { namespace: object.metadata?.namespace ?? '', name: nameOf(object) };
  try {
    return await run.tools.client.get(resource, key, { signal: run.signal });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
    run.needsNewPlan = true;
    return undefined;
  }
}

function noteTaken<T extends KubeObject>(run: ReconcileRun, child: Named<T>, existing: T): void {
  const { namespace = '' } = existing.metadata ?? {};
  const metadata = { name: nameOf(run.manifest), namespace, uid: run.uid };
  if (isFromEarlierJob(existing, { resource: run.tools.resource, metadata })) {
    return noteBeingDeleted(run, child.resource, existing, ' of an earlier job');
  }
  reportNameTaken(run, child, existing, nameConflictMessage(child.resource.kind, existing));
}

function noteBeingDeleted(run: ReconcileRun, { kind }: Resource, existing: KubeObject, ofWhom = ''): never {
  run.needsNewPlan = true;
  const note = `${kind} ${nameOf(existing)}${ofWhom} is still being deleted; this job continues when it is gone`;
  run.emit({ type: 'Normal', reason: 'WaitingForDeletion' satisfies EventReason, action: `Create${kind}`, note });
  throw new KubeError(note, { code: 409, reason: 'Conflict' });
}

/** Left by an earlier job that was deleted without its children. Caches find owned resources by owner only. */
function isOrphanedResource(child: Named<KubeObject>, existing: KubeObject, object: KubeObject): boolean {
  const isStaying = existing.metadata?.deletionTimestamp === undefined;
  return child.takenAs === undefined && isStaying && controllerOf(existing) === undefined && isFound(existing, object);
}

/** Another operator created the object for this job, without the labels. */
async function label<T extends KubeObject>(
  run: ReconcileRun,
  child: ChildKind<T>,
  existing: T,
  labels: Record<string, string> | undefined,
): Promise<void> {
  const { resource, isOptional = false } = child;
  const { namespace = '', uid } = existing.metadata ?? {};
  const key = { namespace, name: nameOf(existing) };
  try {
    await run.write((options) => run.tools.client.patch(resource, key, { metadata: { uid, labels } }, options));
  } catch (error) {
    if (isKubeError(error, 'NotFound', 'Conflict')) throw error;
    return run.noteWriteFailed({ verb: 'Create', kind: resource.kind, name: key.name, isOptional }, error);
  }
  run.noteDone('Update', resource, key.name);
  run.needsNewPlan = true;
  expectSeen(run, child, existing, uid ?? '');
}

/** Creates or completes the object, or keeps a suitable one. */
export async function ensureObject(run: ReconcileRun, ensured: EnsuredObject): Promise<void> {
  if (run.isOver) return;
  const { resource, object } = ensured;
  const { client } = run.tools;
  try {
    await run.write((options) => client.create(resource, ensured.complete(object), options));
    run.noteDone('Create', resource, nameOf(object));
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) return noteCreateFailed(run, { resource }, object, error);
    if (ensured.outlivesJob === true) return;
    const existing = await existingChild(run, { resource }, object);
    if (existing === undefined) return;
    if (existing.metadata?.deletionTimestamp !== undefined) return noteBeingDeleted(run, resource, existing);
    const isOrphan = isOrphanedResource({ resource }, existing, object);
    if (!isOrphan && ownershipOf(existing, run.uid) !== 'owned') return noteTaken(run, { resource }, existing);
    if (!isOrphan && ensured.serves(existing)) return;
    // A suitable object keeps its content, because pods of an earlier job may use it.
    const { metadata, ...whole } = ensured.serves(existing)
      ? { ...existing, metadata: object.metadata }
      : ensured.complete(object, existing);
    const { resourceVersion = '' } = existing.metadata ?? {};
    const replacement = { ...whole, metadata: { ...metadata, resourceVersion } };
    await replaceObject(run, resource, replacement);
  }
}

async function replaceObject(run: ReconcileRun, resource: Resource, object: KubeObject): Promise<void> {
  try {
    await run.write((options) => run.tools.client.replace(resource, object, options));
    run.noteDone('Update', resource, nameOf(object));
  } catch (error) {
    if (isKubeError(error, 'NotFound', 'Conflict')) throw error;
    // Includes rejections by validation, since the job's spec is not part of the object.
    run.noteWriteFailed({ verb: 'Create', kind: resource.kind, name: nameOf(object), isOptional: false }, error);
  }
}

function reportNameTaken<T extends KubeObject>(run: ReconcileRun, child: Named<T>, existing: T, note: string): void {
  const { resource, takenAs, isOptional = false } = child;
  const { kind } = resource;
  run.emit({ type: 'Warning', reason: 'NameTaken' satisfies EventReason, action: `Create${kind}`, note });
  const write = { verb: 'Create', kind, name: nameOf(existing), isOptional } as const;
  if (takenAs === undefined) return run.noteRefused(write, { reason: 'NameTaken', message: note });
  run.needsNewPlan = true;
  run.tools.memory.noteTaken(run.key, run.uid, takenAs, nameOf(existing), note);
}

function noteCreateFailed(
  run: ReconcileRun,
  { resource: { kind }, isOptional = false, hintOn }: Named<KubeObject>,
  object: KubeObject,
  error: unknown,
): void {
  if (isNamespaceGoing(error)) {
    run.isNamespaceGoing = true;
    return;
  }
  if (rejectionOf(error) === 'invalid') return noteRefusal(run, refusalText(error, hintOn));
  run.noteWriteFailed({ verb: 'Create', kind, name: nameOf(object), isOptional }, error);
}

/** The hint comes first, because long event notes are truncated. */
function refusalText(error: unknown, hintOn: Named<KubeObject>['hintOn']): string {
  const causes = (isKubeError(error) ? error.status?.details?.causes : undefined) ?? [];
  const hints = causes.flatMap((cause) => hintOn?.(cause) ?? []);
  return [...hints, error instanceof Error ? error.message : String(error)].join(' ');
}

function noteRefusal(run: ReconcileRun, message: string): void {
  run.needsNewPlan = true;
  const { generation = 0 } = run.manifest.metadata ?? {};
  run.tools.memory.noteRefusal(run.key, run.uid, { generation, message });
}

function expectSeen<T extends KubeObject>(run: ReconcileRun, { cache }: ChildKind<T>, object: T, uid: string): void {
  run.expect({ uid, isMet: () => cache.get(cacheKey(object))?.metadata?.uid === uid });
}

function expectChanged<T extends KubeObject>(run: ReconcileRun, { cache }: ChildKind<T>, object: T): void {
  const { uid = '', resourceVersion } = object.metadata ?? {};
  run.expect({ uid, isMet: () => cache.get(cacheKey(object))?.metadata?.resourceVersion !== resourceVersion });
}

function isFound(existing: KubeObject, object: KubeObject): boolean {
  const labels = existing.metadata?.labels ?? {};
  return Object.entries(object.metadata?.labels ?? {}).every(([key, value]) => labels[key] === value);
}

/** The namespace is being deleted or is gone. */
function isNamespaceGoing(error: unknown): boolean {
  if (!isKubeError(error, 'Forbidden', 'NotFound')) return false;
  const { kind, causes = [] } = error.status?.details ?? {};
  return error.reason === 'NotFound'
    ? kind === 'namespaces'
    : causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

function metadataOf(patch: object): object {
  return 'metadata' in patch && typeof patch.metadata === 'object' ? (patch.metadata ?? {}) : {};
}
