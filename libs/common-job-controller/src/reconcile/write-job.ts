/** The writes of a pass to the job itself: its status, and its end. */
import { ANNOTATIONS, type EventReason, type JobStatus } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import type { JobManifest } from '../model/training-job.ts';
import { mergePatch } from '../model/merge-patch.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { StatusWrite } from '../model/status-write.ts';
import { verdictOn } from './refusals.ts';

/** The transitions are counted once it is written. */
export async function writeStatus(
  pass: ReconcileRun,
  { status, stored = status, ...transition }: StatusWrite,
): Promise<void> {
  const { memory, metrics } = pass.tools;
  if (!(await patchStatus(pass, status, stored))) return;
  const { namespace = '' } = pass.manifest.metadata ?? {};
  memory.noteStatusWritten(pass.key, pass.uid);
  metrics.count(namespace, transition);
}

export function emitEvent(pass: ReconcileRun, event: PlannedEvent): void {
  pass.emit(event);
  if (event.dedupKey !== undefined) pass.tools.memory.noteEmitted(pass.key, pass.uid, event.dedupKey);
}

/** False when the job has gone meanwhile. */
async function patchStatus(pass: ReconcileRun, record: JobStatus, status: object): Promise<boolean> {
  const { client, caches, resource, isStripped } = pass.tools;
  const { name = '', namespace = '', resourceVersion = '' } = pass.manifest.metadata ?? {};
  // The version makes it fail when the job has changed since it was observed: then nothing of the plan is done.
  // Against what is stored, which under another operator's CRD is less than what is known.
  const before = caches.jobs.get(pass.key)?.status ?? {};
  const patch = { metadata: { resourceVersion }, status: mergePatch(before, status) ?? {} };
  const behind = new Set([resourceVersion]);
  try {
    const request = pass.write((options) => client.patchStatus(resource, { namespace, name }, patch, options));
    const stored = await request.catch((error: unknown) => storedAfterAll(pass, status, error));
    const version = stored.metadata?.resourceVersion ?? '';
    if (isStripped(stored.status ?? {}) && (await keepOwnStatus(pass, record))) {
      behind.add(version);
    } else if (version === resourceVersion) {
      // The API server found nothing changed, so no version comes that the cache could be waited for to show.
      behind.clear();
    }
  } catch (error) {
    if (isKubeError(error, 'NotFound')) {
      pass.needsNewPlan = true;
      // Until the cache shows that it is gone. A CRD without the subresource status answers so as well.
      pass.expect({
        uid: pass.uid,
        isMet: () => caches.jobs.get(pass.key)?.metadata?.resourceVersion !== resourceVersion,
      });
      return false;
    }
    // A policy of the cluster, missing rights, or a spec from before a rule of the CRD: without a word the job seems to hang.
    if (verdictOn(error) !== undefined) {
      pass.noteFailed('FailedUpdateStatus' satisfies EventReason, 'UpdateStatus', error);
    }
    throw error;
  }
  const isMet = () => !behind.has(caches.jobs.get(pass.key)?.metadata?.resourceVersion ?? '');
  pass.expect({ uid: pass.uid, isMet });
  return true;
}

/**
 * The answer to a status write may be lost though the status was stored. Then the job is read, lest the transition be
 * neither told nor counted: the next pass finds it done. Throws `error` when it was not stored, or was for somebody else.
 */
async function storedAfterAll(pass: ReconcileRun, status: object, error: unknown): Promise<JobManifest> {
  const { client, resource } = pass.tools;
  const { name = '', namespace = '', resourceVersion, uid } = pass.manifest.metadata ?? {};
  if (!isKubeError(error) || (error.code !== 0 && error.code < 500)) throw error;
  const live = await client.get(resource, { namespace, name }, { signal: pass.signal });
  const isSame = live.metadata?.uid === uid && live.metadata?.resourceVersion !== resourceVersion;
  if (!isSame || mergePatch(live.status ?? {}, status) !== undefined) throw error;
  return live;
}

/** Whether that took a write: where nothing of it has changed, no version comes that the cache could be waited for to show. */
async function keepOwnStatus(pass: ReconcileRun, record: JobStatus): Promise<boolean> {
  const { client, resource, ownStatusOf } = pass.tools;
  const { name = '', namespace = '', annotations } = pass.manifest.metadata ?? {};
  const own = ownStatusOf(record);
  if (annotations?.[ANNOTATIONS.status] === own) return false;
  const patch = { metadata: { uid: pass.uid, annotations: { [ANNOTATIONS.status]: own } } };
  await pass.write((options) => client.patch(resource, { namespace, name }, patch, options));
  return true;
}

/** The job is not planned again before the cache shows it. `change` is given the finalizers without the one of this name. */
export async function writeFinalizers(
  pass: ReconcileRun,
  change: (others: readonly string[]) => readonly string[],
  name: string,
): Promise<void> {
  const { client, caches, resource } = pass.tools;
  const { name: job = '', namespace = '', resourceVersion = '', finalizers = [] } = pass.manifest.metadata ?? {};
  const next = change(finalizers.filter((each) => each !== name));
  // Of the version that was planned with: a list is replaced as a whole, and others have finalizers, too.
  const patch = { metadata: { resourceVersion, finalizers: next } };
  try {
    await pass.write((options) => client.patch(resource, { namespace, name: job }, patch, options));
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
  const isMet = () => caches.jobs.get(pass.key)?.metadata?.resourceVersion !== resourceVersion;
  pass.expect({ uid: pass.uid, isMet });
}

export async function deleteJob(pass: ReconcileRun): Promise<void> {
  const { client, resource, metrics } = pass.tools;
  const { name = '', namespace = '', resourceVersion = '' } = pass.manifest.metadata ?? {};
  // Of the version that was planned with: whoever has changed the time to live since wants the job to stay.
  const which = { uid: pass.uid, resourceVersion, propagationPolicy: 'Background' as const };
  try {
    await pass.write((options) => client.delete(resource, { namespace, name }, { ...which, ...options }));
    metrics.count(namespace, { counters: ['deleted'] });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return;
    // Changed since: whether it is still to go the next pass says.
    if (isKubeError(error, 'Conflict')) throw error;
    pass.noteFailed('FailedDeleteJob' satisfies EventReason, 'DeleteJob', error);
    throw error;
  }
}
