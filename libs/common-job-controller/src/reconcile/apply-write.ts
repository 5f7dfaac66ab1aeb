/** How each write of a plan is made. */
import { PODS, SERVICES } from '@muster/job-api';
import type { ChildKind } from '../children/child-kind.ts';
import { adoptChild, releaseChild } from './child-owners.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { OnResource, Write, WriteOf } from '../model/write.ts';
import { annotatePod, changeChild, createChild, deleteChild, ensureObject, forceDeletePod } from './write-children.ts';
import { deleteJob, writeFinalizers } from './write-job.ts';

const APPLY: { readonly [Op in Write['op']]: (pass: ReconcileRun, write: WriteOf<Op>) => Promise<void> } = {
  addFinalizer: (pass, { name }) => writeFinalizers(pass, (others) => [...others, name], name),
  removeFinalizer: (pass, { name }) => writeFinalizers(pass, (others) => others, name),
  adopt: (pass, write) => adoptChild(pass, childKind(pass, write), write.object),
  release: (pass, write) => releaseChild(pass, childKind(pass, write), write.object),
  delete: (pass, write) => deleteChild(pass, childKind(pass, write), write.object, write.asSeen),
  forceDelete: (pass, write) => forceDeletePod(pass, childKind(pass, write), write),
  ensure: ensureObject,
  create: (pass, write) => createChild(pass, childKind(pass, write), write.object),
  patch: (pass, write) => changeChild(pass, childKind(pass, write), write.object, write),
  annotate: (pass, write) => annotatePod(pass, childKind(pass, write), write),
  call: (pass, { question }) => pass.tools.facts.call(pass.key, pass.uid, question),
  deleteJob,
};

/** Throws where the answer is one that may be another next time. */
export function applyWrite<Op extends Write['op']>(pass: ReconcileRun, write: WriteOf<Op>): Promise<void> {
  const performer: (pass: ReconcileRun, write: WriteOf<Op>) => Promise<void> = APPLY[write.op];
  return performer(pass, write);
}

/** Where objects of the write's kind show. */
function childKind({ tools: { caches } }: ReconcileRun, { resource, isOwnedResource = false }: OnResource): ChildKind {
  if (!isOwnedResource && resource === PODS) return { resource, cache: caches.pods, takenAs: 'pods' };
  if (!isOwnedResource && resource === SERVICES) return { resource, cache: caches.services, takenAs: 'services' };
  const watched = caches.ownedResources.find(({ kind }) => kind.resource === resource);
  if (watched === undefined) throw new Error(`${resource.kind} is planned for a job but not watched`);
  const { isOptional = false, hintOn } = watched.kind;
  return { resource, cache: watched.cache, isOptional, ...(hintOn && { hintOn }) };
}
