/** The writes of a pass to what a job has: pods, Services and owned resources, made, changed and deleted. */
import { setTimeout } from 'node:timers/promises';
import type { EventReason, KubeObject, Resource } from '@muster/job-api';
import { cacheKey, isKubeError, KubeError } from '@muster/kube';
import { nameOf, type ChildKind, type Named } from '../children/child-kind.ts';
import { adoptChild } from './child-owners.ts';
import type { ResourceChange, EnsuredObject } from '../model/owned-resources.ts';
import { controllerOf, isLeftover, ownershipOf, takenBy } from '../model/ownership.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { WriteOf } from '../model/write.ts';
import { verdictOn } from './refusals.ts';

const ROLE_TRIES = 40;
const ROLE_PAUSE_MS = 50;

export async function createChild<T extends KubeObject>(
  pass: ReconcileRun,
  child: ChildKind<T>,
  object: T,
): Promise<void> {
  if (pass.isOver) return;
  try {
    const { metadata } = await created(pass, child.resource, object);
    expectSeen(pass, child, object, metadata?.uid ?? '');
    pass.noteDone('Create', child.resource, nameOf(object));
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists')) return noteExisting(pass, child, object);
    noteNotMade(pass, child, object, error);
  }
}

/**
 * An API server judges a binding by the roles that it has heard of, which may be a moment ago: to those who are no administrators a role
 * that was made just now is "not found".
 */
async function created<T extends KubeObject>(pass: ReconcileRun, resource: Resource<T>, object: T): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await pass.write((options) => {
        const onWarning = (warning: string) => pass.noteWarning('Create', resource, object, warning);
        return pass.tools.client.create(resource, object, { ...options, onWarning });
      });
    } catch (error) {
      if (!('roleRef' in object) || !isKubeError(error, 'NotFound') || tries === ROLE_TRIES) throw error;
      await setTimeout(ROLE_PAUSE_MS, undefined, { signal: pass.signal });
    }
  }
}

export async function changeChild(
  pass: ReconcileRun,
  child: ChildKind,
  object: KubeObject,
  { patch, subresource }: ResourceChange,
): Promise<void> {
  const { kind } = child.resource;
  const { namespace = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
  const checked = { ...patch, metadata: { ...metadataOf(patch), uid, resourceVersion } };
  try {
    await pass.write((options) =>
      pass.tools.client.patch(child.resource, { namespace, name: nameOf(object) }, checked, {
        ...options,
        ...(subresource && { subresource }),
        onWarning: (warning) => pass.noteWarning('Update', child.resource, object, warning),
      }),
    );
    pass.noteDone('Update', child.resource, nameOf(object));
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) {
      const { isOptional = false } = child;
      return pass.noteWriteFailed({ verb: 'Update', kind, name: nameOf(object), isOptional }, error);
    }
    // The new plan waits for the cache to show the change: a webhook may answer Conflict as well, each time.
    pass.needsNewPlan = true;
  }
  expectChanged(pass, child, object);
}

/** Told in no event when it is done: it is said of a pod that runs on as it is. */
export async function annotatePod(
  pass: ReconcileRun,
  { resource, cache }: ChildKind,
  { object: pod, annotations, labels }: Pick<WriteOf<'annotate'>, 'object' | 'annotations' | 'labels'>,
): Promise<void> {
  const { namespace = '', uid = '' } = pod.metadata ?? {};
  try {
    const patch = { metadata: { uid, annotations, ...(labels && { labels }) } };
    await pass.write((options) => pass.tools.client.patch(resource, { namespace, name: nameOf(pod) }, patch, options));
  } catch (error) {
    // Gone, or another pod by now.
    if (isKubeError(error, 'NotFound', 'Conflict')) return;
    return pass.noteWriteFailed({ verb: 'Update', kind: resource.kind, name: nameOf(pod), isOptional: true }, error);
  }
  // Its kubelet writes as well: another version need not have them yet.
  const isMet = () => {
    const cached = cache.get(cacheKey(pod))?.metadata;
    return (
      cached?.uid !== uid || Object.entries(annotations).every(([key, value]) => cached.annotations?.[key] === value)
    );
  };
  pass.expect({ uid, isMet });
}

/** @param asSeen spares one that has changed since, and calls for a new plan then */
export async function deleteChild<T extends KubeObject>(
  pass: ReconcileRun,
  child: ChildKind<T>,
  object: T,
  asSeen = false,
): Promise<void> {
  const { kind } = child.resource;
  const { namespace = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
  const name = nameOf(object);
  try {
    // Of a Job the API server leaves the pods behind, unless told otherwise.
    const how = { uid, ...(asSeen && { resourceVersion }), propagationPolicy: 'Background' } as const;
    await pass.write((options) =>
      pass.tools.client.delete(child.resource, { namespace, name }, { ...how, ...options }),
    );
    pass.noteDone('Delete', child.resource, name);
  } catch (error) {
    if (asSeen && isKubeError(error, 'Conflict')) {
      pass.needsNewPlan = true;
      return expectChanged(pass, child, object);
    }
    // Gone, or another object by now: what was to be deleted is not there any more.
    if (!isKubeError(error, 'NotFound', 'Conflict')) {
      return pass.noteWriteFailed({ verb: 'Delete', kind, name, isOptional: true }, error);
    }
  }
  const isMet = () => {
    const cached = child.cache.get(cacheKey(object))?.metadata;
    return cached?.uid !== uid || cached.deletionTimestamp !== undefined;
  };
  pass.expect({ uid, isMet });
}

/** The API server lets go of the pod at once. What stands in the way of that is told: it is a finalizer, or not allowed. */
export async function forceDeletePod(
  pass: ReconcileRun,
  { resource, cache }: ChildKind,
  { object: pod, event }: Pick<WriteOf<'forceDelete'>, 'object' | 'event'>,
): Promise<void> {
  const { namespace = '', uid = '' } = pod.metadata ?? {};
  const key = { namespace, name: nameOf(pod) };
  try {
    await pass.write((options) => pass.tools.client.delete(resource, key, { uid, gracePeriodSeconds: 0, ...options }));
    pass.emit(event);
  } catch (error) {
    // Gone, or another pod by now.
    if (!isKubeError(error, 'NotFound', 'Conflict')) {
      return pass.noteWriteFailed({ verb: 'Delete', kind: resource.kind, name: key.name, isOptional: true }, error);
    }
  }
  pass.expect({ uid, isMet: () => cache.get(cacheKey(pod))?.metadata?.uid !== uid });
}

/** Ours and not in the cache yet, or somebody else's. */
async function noteExisting<T extends KubeObject>(pass: ReconcileRun, child: ChildKind<T>, object: T): Promise<void> {
  const existing = await existingChild(pass, child, object);
  if (existing === undefined) return;
  if (isOrphanedResource(child, existing, object)) {
    await adoptChild(pass, child, existing, 'Create');
    pass.needsNewPlan = true;
    return expectSeen(pass, child, existing, existing.metadata?.uid ?? '');
  }
  if (ownershipOf(existing, pass.uid) !== 'owned') return noteTaken(pass, child, existing);
  if (isFound(existing, object)) {
    // What refers to it is created when it has been replaced.
    if (existing.metadata?.deletionTimestamp !== undefined) pass.needsNewPlan = true;
    return expectSeen(pass, child, existing, existing.metadata?.uid ?? '');
  }
  if (child.takenAs === undefined) return label(pass, child, existing, object.metadata?.labels);
  const what = `${child.resource.kind} ${nameOf(existing)} belongs to this job`;
  tellTaken(pass, child, existing, `${what} but has lost the labels by which it is found: restore them or delete it`);
}

/** Undefined when it has gone meanwhile: then its name is free for the next plan. */
async function existingChild<T extends KubeObject>(
  pass: ReconcileRun,
  { resource }: Named<T>,
  object: T,
): Promise<T | undefined> {
  const key = { namespace: object.metadata?.namespace ?? '', name: nameOf(object) };
  try {
    return await pass.tools.client.get(resource, key, { signal: pass.signal });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
    pass.needsNewPlan = true;
    return undefined;
  }
}

function noteTaken<T extends KubeObject>(pass: ReconcileRun, child: Named<T>, existing: T): void {
  const { namespace = '' } = existing.metadata ?? {};
  const metadata = { name: nameOf(pass.manifest), namespace, uid: pass.uid };
  if (isLeftover(existing, { resource: pass.tools.resource, metadata })) {
    return noteGoing(pass, child.resource, existing, ' of an earlier job');
  }
  tellTaken(pass, child, existing, takenBy(child.resource.kind, existing));
}

/** It goes by itself, when whoever holds it lets go, or the garbage collector comes to it: that is no error. */
function noteGoing(pass: ReconcileRun, { kind }: Resource, existing: KubeObject, ofWhom = ''): never {
  pass.needsNewPlan = true;
  const note = `${kind} ${nameOf(existing)}${ofWhom} is still being deleted; this job goes on when it is gone`;
  pass.emit({ type: 'Normal', reason: 'WaitingForDeletion' satisfies EventReason, action: `Create${kind}`, note });
  throw new KubeError(note, { code: 409, reason: 'Conflict' });
}

/**
 * What an earlier job of this name has left when it was deleted without its children, as pods and Services are taken up that
 * belong to nobody and carry the job's labels. Those the plan adopts; owned resources are found by their owner, and so are met only
 * when their name is.
 */
function isOrphanedResource(child: Named<KubeObject>, existing: KubeObject, object: KubeObject): boolean {
  const isStaying = existing.metadata?.deletionTimestamp === undefined;
  return child.takenAs === undefined && isStaying && controllerOf(existing) === undefined && isFound(existing, object);
}

/** What another operator has made for this very job is the job's own; only the labels lack by which it is found. */
async function label<T extends KubeObject>(
  pass: ReconcileRun,
  child: ChildKind<T>,
  existing: T,
  labels: Record<string, string> | undefined,
): Promise<void> {
  const { resource, isOptional = false } = child;
  const { namespace = '', uid } = existing.metadata ?? {};
  const key = { namespace, name: nameOf(existing) };
  try {
    await pass.write((options) => pass.tools.client.patch(resource, key, { metadata: { uid, labels } }, options));
  } catch (error) {
    if (isKubeError(error, 'NotFound', 'Conflict')) throw error;
    return pass.noteWriteFailed({ verb: 'Create', kind: resource.kind, name: key.name, isOptional }, error);
  }
  pass.noteDone('Update', resource, key.name);
  pass.needsNewPlan = true;
  expectSeen(pass, child, existing, uid ?? '');
}

/** Makes it, makes it whole, or leaves one alone that serves. */
export async function ensureObject(pass: ReconcileRun, ensured: EnsuredObject): Promise<void> {
  if (pass.isOver) return;
  const { resource, object } = ensured;
  const { client } = pass.tools;
  try {
    await pass.write((options) => client.create(resource, ensured.complete(object), options));
    pass.noteDone('Create', resource, nameOf(object));
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) return noteNotMade(pass, { resource }, object, error);
    if (ensured.outlivesJob === true) return;
    const existing = await existingChild(pass, { resource }, object);
    if (existing === undefined) return;
    if (existing.metadata?.deletionTimestamp !== undefined) return noteGoing(pass, resource, existing);
    const isOrphan = isOrphanedResource({ resource }, existing, object);
    if (!isOrphan && ownershipOf(existing, pass.uid) !== 'owned') return noteTaken(pass, { resource }, existing);
    if (!isOrphan && ensured.serves(existing)) return;
    // What is there and serves keeps its content: pods of an earlier job may hold it.
    const { metadata, ...whole } = ensured.serves(existing)
      ? { ...existing, metadata: object.metadata }
      : ensured.complete(object, existing);
    const { resourceVersion = '' } = existing.metadata ?? {};
    const replacement = { ...whole, metadata: { ...metadata, resourceVersion } };
    await replaceObject(pass, resource, replacement);
  }
}

async function replaceObject(pass: ReconcileRun, resource: Resource, object: KubeObject): Promise<void> {
  try {
    await pass.write((options) => pass.tools.client.replace(resource, object, options));
    pass.noteDone('Update', resource, nameOf(object));
  } catch (error) {
    if (isKubeError(error, 'NotFound', 'Conflict')) throw error;
    // Also what validation refuses: it is not made of the job's spec.
    pass.noteWriteFailed({ verb: 'Create', kind: resource.kind, name: nameOf(object), isOptional: false }, error);
  }
}

function tellTaken<T extends KubeObject>(pass: ReconcileRun, child: Named<T>, existing: T, note: string): void {
  const { resource, takenAs, isOptional = false } = child;
  const { kind } = resource;
  pass.emit({ type: 'Warning', reason: 'NameTaken' satisfies EventReason, action: `Create${kind}`, note });
  const write = { verb: 'Create', kind, name: nameOf(existing), isOptional } as const;
  if (takenAs === undefined) return pass.noteRefused(write, { reason: 'NameTaken', message: note });
  pass.needsNewPlan = true;
  pass.tools.memory.noteTaken(pass.key, pass.uid, takenAs, nameOf(existing), note);
}

/** Throws what is no refusal. */
function noteNotMade(
  pass: ReconcileRun,
  { resource: { kind }, isOptional = false, hintOn }: Named<KubeObject>,
  object: KubeObject,
  error: unknown,
): void {
  if (isNamespaceGoing(error)) {
    pass.isNamespaceGoing = true;
    return;
  }
  if (verdictOn(error) === 'invalid') return noteRefusal(pass, refusalText(error, hintOn));
  pass.noteWriteFailed({ verb: 'Create', kind, name: nameOf(object), isOptional }, error);
}

/** Begins with what to do, because a long note of an event loses its end. */
function refusalText(error: unknown, hintOn: Named<KubeObject>['hintOn']): string {
  const causes = (isKubeError(error) ? error.status?.details?.causes : undefined) ?? [];
  const hints = causes.flatMap((cause) => hintOn?.(cause) ?? []);
  return [...hints, error instanceof Error ? error.message : String(error)].join(' ');
}

function noteRefusal(pass: ReconcileRun, message: string): void {
  pass.needsNewPlan = true;
  const { generation = 0 } = pass.manifest.metadata ?? {};
  pass.tools.memory.noteRefusal(pass.key, pass.uid, { generation, message });
}

function expectSeen<T extends KubeObject>(pass: ReconcileRun, { cache }: ChildKind<T>, object: T, uid: string): void {
  pass.expect({ uid, isMet: () => cache.get(cacheKey(object))?.metadata?.uid === uid });
}

function expectChanged<T extends KubeObject>(pass: ReconcileRun, { cache }: ChildKind<T>, object: T): void {
  const { uid = '', resourceVersion } = object.metadata ?? {};
  pass.expect({ uid, isMet: () => cache.get(cacheKey(object))?.metadata?.resourceVersion !== resourceVersion });
}

/** Whether `existing` has the labels that `object` was to have, by which the caches find it. */
function isFound(existing: KubeObject, object: KubeObject): boolean {
  const labels = existing.metadata?.labels ?? {};
  return Object.entries(object.metadata?.labels ?? {}).every(([key, value]) => labels[key] === value);
}

/** Whether nothing can be made because the namespace is being deleted, or has gone just now. */
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
