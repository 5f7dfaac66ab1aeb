import { PODS, SERVICES } from '@muster/job-api';
import type { ChildKind } from '../children/child-kind.ts';
import { adoptChild, releaseChild } from './child-owners.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { OnResource, Write, WriteOf } from '../model/write.ts';
import { annotatePod, changeChild, createChild, deleteChild, ensureObject, forceDeletePod } from './write-children.ts';
import { deleteJob, writeFinalizer } from './write-job.ts';

const APPLY: { readonly [Op in Write['op']]: (run: ReconcileRun, write: WriteOf<Op>) => Promise<void> } = {
  addFinalizer: (run, { name }) => writeFinalizer(run, name, true),
  removeFinalizer: (run, { name }) => writeFinalizer(run, name, false),
  adopt: (run, write) => adoptChild(run, childKind(run, write), write.object),
  release: (run, write) => releaseChild(run, childKind(run, write), write.object),
  delete: (run, write) => deleteChild(run, childKind(run, write), write),
  forceDelete: (run, write) => forceDeletePod(run, childKind(run, write), write),
  ensure: ensureObject,
  create: (run, write) => createChild(run, childKind(run, write), write.object),
  patch: (run, write) => changeChild(run, childKind(run, write), write),
  annotate: (run, write) => annotatePod(run, childKind(run, write), write),
  call: async (run, { probe }) => {
    const sent = run.dependencies.poller.call(run.key, run.uid, probe);
    if (probe.isSlow !== true) await sent;
  },
  deleteJob,
};

/** Throws on answers that may differ at the next attempt. */
export function applyWrite<Op extends Write['op']>(run: ReconcileRun, write: WriteOf<Op>): Promise<void> {
  const apply: (run: ReconcileRun, write: WriteOf<Op>) => Promise<void> = APPLY[write.op];
  return apply(run, write);
}

function childKind({ dependencies }: ReconcileRun, { resource, isOwnedResource = false }: OnResource): ChildKind {
  const { caches } = dependencies;
  if (!isOwnedResource && resource === PODS) return { resource, cache: caches.pods, takenAs: 'pods' };
  if (!isOwnedResource && resource === SERVICES) return { resource, cache: caches.services, takenAs: 'services' };
  const watched = caches.ownedResources.find(({ kind }) => kind.resource === resource);
  if (watched === undefined) throw new Error(`${resource.kind} is planned for a job but not watched`);
  return { ...watched.kind, cache: watched.cache };
}
