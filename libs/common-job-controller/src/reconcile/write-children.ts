import { setTimeout } from 'node:timers/promises';
import type { EventReason, KubeObject, Resource } from '@muster/job-api';
import { cacheKey, isKubeError, KubeError } from '@muster/kube';
import { keyOf, nameOf, type ChildKind, type Named } from '../children/child-kind.ts';
import { isStaying } from '../children/claims.ts';
import { adoptChild } from './child-owners.ts';
import { generationOf } from '../model/job-identity.ts';
import type { EnsuredObject } from '../model/owned-resources.ts';
import { controllerOf, isFromEarlierJob, ownershipOf, nameConflictMessage } from '../model/ownership.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { WriteOf } from '../model/write.ts';
import { messageOf, rejectionOf } from './refusals.ts';

const ROLE_TRIES = 40;
const ROLE_PAUSE_MS = 50;

export async function createChild(run: ReconcileRun, child: ChildKind, object: KubeObject): Promise<void> {
  try {
    run.expectSeen(child.cache, await created(run, child.resource, object));
    run.noteDone('Create', child.resource, object);
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists')) return resolveExisting(run, child, object);
    noteCreateFailed(run, child, object, error);
  }
}

/** An API server's cache of roles may lack a new role, so that its binding is refused, unless by an administrator. */
async function created(run: ReconcileRun, resource: Resource, object: KubeObject): Promise<KubeObject> {
  for (let tries = 1; ; tries++) {
    try {
      return await run.write((options) => {
        const onWarning = (warning: string) => run.noteWarning('Create', resource, object, warning);
        return run.dependencies.client.create(resource, object, { ...options, onWarning });
      });
    } catch (error) {
      if (!('roleRef' in object) || !isKubeError(error, 'NotFound') || tries === ROLE_TRIES) throw error;
      await setTimeout(ROLE_PAUSE_MS, undefined, { signal: run.signal });
    }
  }
}

export async function changeChild(run: ReconcileRun, child: ChildKind, write: WriteOf<'patch'>): Promise<void> {
  const { resource } = child;
  const { object, patch, subresource } = write;
  const { uid = '', resourceVersion = '' } = object.metadata ?? {};
  const checked = { ...patch, metadata: { ...metadataOf(patch), uid, resourceVersion } };
  const failure = await run.tryWrite('Update', child, object, (options) =>
    run.dependencies.client.patch(resource, keyOf(object), checked, {
      ...options,
      ...(subresource && { subresource }),
      onWarning: (warning) => run.noteWarning('Update', resource, object, warning),
    }),
  );
  if (failure === 'refused') return;
  if (failure === undefined) run.noteDone('Update', resource, object);
  // The next plan waits for the cache, because a webhook may also answer Conflict, each time.
  else run.isPlanOutdated = true;
  run.expectChanged(child.cache, object);
}

/** Emits no event, because the pod keeps running unchanged. */
export async function annotatePod(run: ReconcileRun, child: ChildKind, write: WriteOf<'annotate'>): Promise<void> {
  const { resource, cache } = child;
  const { object: pod, annotations, labels } = write;
  const { uid = '' } = pod.metadata ?? {};
  const patch = { metadata: { uid, annotations, ...(labels && { labels }) } };
  const failure = await run.tryWrite('Update', { resource, isOptional: true }, pod, (options) =>
    run.dependencies.client.patch(resource, keyOf(pod), patch, options),
  );
  if (failure !== undefined) return;
  // Checks annotations and labels, since the kubelet's writes also change the resourceVersion.
  const isMet = () => {
    const cached = cache.get(cacheKey(pod))?.metadata;
    const has = (part: 'annotations' | 'labels', wanted: Readonly<Record<string, string>> = {}) =>
      Object.entries(wanted).every(([key, value]) => cached?.[part]?.[key] === value);
    return cached?.uid !== uid || (has('annotations', annotations) && has('labels', labels));
  };
  run.expect({ uid, isMet });
}

export async function deleteChild(run: ReconcileRun, child: ChildKind, write: WriteOf<'delete'>): Promise<void> {
  const { resource, cache } = child;
  const { object, asSeen = false } = write;
  const { uid = '', resourceVersion = '' } = object.metadata ?? {};
  // By default, the API server orphans the pods of a Job.
  const how = { uid, ...(asSeen && { resourceVersion }), propagationPolicy: 'Background' } as const;
  const failure = await run.tryWrite('Delete', { resource, isOptional: true }, object, (options) =>
    run.dependencies.client.delete(resource, keyOf(object), { ...how, ...options }),
  );
  if (failure === 'refused') return;
  if (failure === undefined) run.noteDone('Delete', resource, object);
  if (asSeen && isKubeError(failure, 'Conflict')) {
    run.isPlanOutdated = true;
    return run.expectChanged(cache, object);
  }
  const isMet = () => {
    const cached = cache.get(cacheKey(object))?.metadata;
    return cached?.uid !== uid || cached.deletionTimestamp !== undefined;
  };
  run.expect({ uid, isMet });
}

/** Does not wait for the kubelet. Finalizers and missing permissions are reported. */
export async function forceDeletePod(
  run: ReconcileRun,
  child: ChildKind,
  write: WriteOf<'forceDelete'>,
): Promise<void> {
  const { resource, cache } = child;
  const { object: pod, event } = write;
  const { uid = '' } = pod.metadata ?? {};
  const failure = await run.tryWrite('Delete', { resource, isOptional: true }, pod, (options) =>
    run.dependencies.client.delete(resource, keyOf(pod), { uid, gracePeriodSeconds: 0, ...options }),
  );
  if (failure === 'refused') return;
  if (failure === undefined) run.emit(event);
  run.expect({ uid, isMet: () => cache.get(cacheKey(pod))?.metadata?.uid !== uid });
}

/** The existing object is the job's and not cached yet, an orphan, or another owner's. */
async function resolveExisting(run: ReconcileRun, child: ChildKind, object: KubeObject): Promise<void> {
  const existing = await existingChild(run, child.resource, object);
  if (existing === undefined) return;
  if (isOrphanedResource(child, existing, object)) {
    await adoptChild(run, child, existing, 'Create');
    run.isPlanOutdated = true;
    return run.expectSeen(child.cache, existing);
  }
  if (ownershipOf(existing, run.uid) !== 'owned') return rejectTakenName(run, child, existing);
  if (isFound(existing, object)) {
    // Objects that refer to it are created after its replacement.
    if (!isStaying(existing)) run.isPlanOutdated = true;
    return run.expectSeen(child.cache, existing);
  }
  if (child.takenAs === undefined) return label(run, child, existing, object);
  const what = `${child.resource.kind} ${nameOf(existing)} belongs to this job`;
  reportNameTaken(run, child, existing, `${what} but lacks the labels of the job's objects: restore them or delete it`);
}

async function existingChild(
  run: ReconcileRun,
  resource: Resource,
  object: KubeObject,
): Promise<KubeObject | undefined> {
  try {
    return await run.dependencies.client.get(resource, keyOf(object), { signal: run.signal });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
    run.isPlanOutdated = true;
    return undefined;
  }
}

function rejectTakenName(run: ReconcileRun, child: Named, existing: KubeObject): void {
  if (isFromEarlierJob(existing, run.job))
    return throwBeingDeleted(run, child.resource, existing, ' of an earlier job');
  reportNameTaken(run, child, existing, nameConflictMessage(child.resource.kind, existing));
}

function throwBeingDeleted(run: ReconcileRun, { kind }: Resource, existing: KubeObject, ofWhom = ''): never {
  const note = `${kind} ${nameOf(existing)}${ofWhom} is still being deleted; this job continues when it is gone`;
  run.emit({ type: 'Normal', reason: 'WaitingForDeletion' satisfies EventReason, action: `Create${kind}`, note });
  throw new KubeError(note, { code: 409, reason: 'Conflict' });
}

/** Left by an earlier job that was deleted without its children. Caches find owned resources by owner only. */
function isOrphanedResource(child: Named, existing: KubeObject, object: KubeObject): boolean {
  if (child.takenAs !== undefined || !isStaying(existing)) return false;
  return controllerOf(existing) === undefined && isFound(existing, object);
}

/** Another operator created the object for this job, without the labels. */
async function label(run: ReconcileRun, child: ChildKind, existing: KubeObject, object: KubeObject): Promise<void> {
  const patch = { metadata: { uid: existing.metadata?.uid, labels: object.metadata?.labels } };
  const failure = await run.tryWrite('Create', child, existing, (options) =>
    run.dependencies.client.patch(child.resource, keyOf(existing), patch, options),
  );
  if (failure === 'refused') return;
  if (failure !== undefined) throw failure;
  run.noteDone('Update', child.resource, existing);
  run.isPlanOutdated = true;
  run.expectSeen(child.cache, existing);
}

/** Creates or completes the object, or keeps a suitable one. */
export async function ensureObject(run: ReconcileRun, ensured: EnsuredObject): Promise<void> {
  const { resource, object } = ensured;
  try {
    await run.write((options) => run.dependencies.client.create(resource, ensured.complete(object), options));
    run.noteDone('Create', resource, object);
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) return noteCreateFailed(run, { resource }, object, error);
    if (ensured.outlivesJob === true) return;
    const existing = await existingChild(run, resource, object);
    if (existing === undefined) return;
    if (!isStaying(existing)) return throwBeingDeleted(run, resource, existing);
    const isOrphan = isOrphanedResource({ resource }, existing, object);
    if (!isOrphan && ownershipOf(existing, run.uid) !== 'owned') return rejectTakenName(run, { resource }, existing);
    if (!isOrphan && ensured.serves(existing)) return;
    // A suitable object keeps its content, because pods of an earlier job may use it.
    const { metadata, ...whole } = ensured.serves(existing)
      ? { ...existing, metadata: object.metadata }
      : ensured.complete(object, existing);
    const { resourceVersion = '' } = existing.metadata ?? {};
    await replaceObject(run, resource, { ...whole, metadata: { ...metadata, resourceVersion } });
  }
}

async function replaceObject(run: ReconcileRun, resource: Resource, object: KubeObject): Promise<void> {
  // Rejections by validation are retried, too, since the job's spec is not part of the object.
  const failure = await run.tryWrite('Create', { resource }, object, (options) =>
    run.dependencies.client.replace(resource, object, options),
  );
  if (failure === 'refused') return;
  if (failure !== undefined) throw failure;
  run.noteDone('Update', resource, object);
}

function reportNameTaken(run: ReconcileRun, child: Named, existing: KubeObject, note: string): void {
  const { resource, takenAs } = child;
  const reason = 'NameTaken' satisfies EventReason;
  run.emit({ type: 'Warning', reason, action: `Create${resource.kind}`, note });
  if (takenAs === undefined) return run.noteRefused('Create', child, existing, { reason, message: note });
  run.isPlanOutdated = true;
  run.dependencies.memory.noteTaken(run.key, run.uid, takenAs, nameOf(existing), note);
}

function noteCreateFailed(run: ReconcileRun, child: Named, object: KubeObject, error: unknown): void {
  if (isNamespaceGoing(error)) run.isNamespaceGoing = true;
  else if (rejectionOf(error) === 'invalid') noteInvalidObject(run, child, error);
  else run.noteWriteFailed('Create', child, object, error);
}

/** The hint comes first, because long event notes are truncated. */
function noteInvalidObject(run: ReconcileRun, { hintOn }: Named, error: unknown): void {
  const causes = (isKubeError(error) ? error.status?.details?.causes : undefined) ?? [];
  const hints = causes.flatMap((cause) => hintOn?.(cause) ?? []);
  const message = [...hints, messageOf(error)].join(' ');
  run.isPlanOutdated = true;
  run.dependencies.memory.noteInvalidObject(run.key, run.uid, { generation: generationOf(run.manifest), message });
}

function isFound(existing: KubeObject, object: KubeObject): boolean {
  const labels = existing.metadata?.labels ?? {};
  return Object.entries(object.metadata?.labels ?? {}).every(([key, value]) => labels[key] === value);
}

/** The namespace is being deleted or is gone. */
function isNamespaceGoing(error: unknown): boolean {
  const { kind, causes = [] } = (isKubeError(error, 'Forbidden', 'NotFound') ? error.status?.details : undefined) ?? {};
  return kind === 'namespaces' || causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

function metadataOf(patch: object): object {
  return 'metadata' in patch && typeof patch.metadata === 'object' ? (patch.metadata ?? {}) : {};
}
