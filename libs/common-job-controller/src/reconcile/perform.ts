/** How each operation of a plan is done. */
import { PODS, SERVICES } from '@muster/job-api';
import type { ChildKind } from './child-kind.ts';
import { adoptChild, releaseChild } from './child-owners.ts';
import type { Pass } from './pass.ts';
import type { OnResource, Operation, OperationOf } from './plan.ts';
import { annotatePod, changeChild, createChild, deleteChild, ensureObject, forceDeletePod } from './write-children.ts';
import { deleteJob, emitEvent, writeFinalizers, writeStatus } from './write-job.ts';

const PERFORMERS: { readonly [Op in Operation['op']]: (pass: Pass, operation: OperationOf<Op>) => Promise<void> } = {
  addFinalizer: (pass, { name }) => writeFinalizers(pass, (others) => [...others, name], name),
  removeFinalizer: (pass, { name }) => writeFinalizers(pass, (others) => others, name),
  status: writeStatus,
  event: emitEvent,
  adopt: (pass, operation) => adoptChild(pass, childKind(pass, operation), operation.object),
  release: (pass, operation) => releaseChild(pass, childKind(pass, operation), operation.object),
  delete: (pass, operation) => deleteChild(pass, childKind(pass, operation), operation.object, operation.asSeen),
  forceDelete: (pass, operation) => forceDeletePod(pass, childKind(pass, operation), operation),
  ensure: ensureObject,
  create: (pass, operation) => createChild(pass, childKind(pass, operation), operation.object),
  patch: (pass, operation) => changeChild(pass, childKind(pass, operation), operation.object, operation),
  annotate: (pass, operation) => annotatePod(pass, childKind(pass, operation), operation),
  call: (pass, { question }) => pass.tools.facts.call(pass.key, pass.uid, question),
  deleteJob,
};

/** Throws where the answer is one that may be another next time. */
export function perform<Op extends Operation['op']>(pass: Pass, operation: OperationOf<Op>): Promise<void> {
  const performer: (pass: Pass, operation: OperationOf<Op>) => Promise<void> = PERFORMERS[operation.op];
  return performer(pass, operation);
}

/** Where objects of the operation's kind show. */
function childKind({ tools: { caches } }: Pass, { resource, isOwnedResource = false }: OnResource): ChildKind {
  if (!isOwnedResource && resource === PODS) return { resource, cache: caches.pods, takenAs: 'pods' };
  if (!isOwnedResource && resource === SERVICES) return { resource, cache: caches.services, takenAs: 'services' };
  const watched = caches.ownedResources.find(({ kind }) => kind.resource === resource);
  if (watched === undefined) throw new Error(`${resource.kind} is planned for a job but not watched`);
  const { isOptional = false, hintOn } = watched.kind;
  return { resource, cache: watched.cache, isOptional, ...(hintOn && { hintOn }) };
}
