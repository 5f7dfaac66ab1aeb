import { ANNOTATIONS, type EventReason, type JobStatus } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import type { JobManifest } from '../model/training-job.ts';
import { mergePatch } from '../model/merge-patch.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { StatusWrite } from '../model/status-write.ts';
import { rejectionOf } from './refusals.ts';

export async function writeStatus(run: ReconcileRun, write: StatusWrite): Promise<void> {
  const { caches, memory, metrics } = run.dependencies;
  const { status, stored = status, ...transition } = write;
  const behind = await patchStatus(run, status, stored);
  if (behind === undefined) return;
  const isMet = () => !behind.includes(caches.jobs.get(run.key)?.metadata?.resourceVersion ?? '');
  run.expect({ uid: run.uid, isMet });
  memory.noteStatusWritten(run.key, run.uid);
  metrics.count(run.where.namespace ?? '', transition);
}

/** The versions that the cache does not show any more once it shows the write. Undefined if the job is gone. */
async function patchStatus(run: ReconcileRun, record: JobStatus, status: object): Promise<string[] | undefined> {
  const { client, caches, resource, isStripped } = run.dependencies;
  const { resourceVersion = '' } = run.manifest.metadata ?? {};
  // With the resourceVersion, the write fails if the job has changed since it was observed.
  // The patch is relative to the stored status, which another operator's CRD may have stripped.
  const before = caches.jobs.get(run.key)?.status ?? {};
  const patch = { metadata: { resourceVersion }, status: mergePatch(before, status) ?? {} };
  try {
    const request = run.write((options) => client.patchStatus(resource, run.where, patch, options));
    const stored = await request.catch((error: unknown) => storedAfterAll(run, status, error));
    const version = stored.metadata?.resourceVersion ?? '';
    if (isStripped(stored.status ?? {}) && (await keepOwnStatus(run, record))) return [resourceVersion, version];
    // If nothing changed, the cache will not show a new version.
    return version === resourceVersion ? [] : [resourceVersion];
  } catch (error) {
    if (isKubeError(error, 'NotFound')) {
      run.isPlanOutdated = true;
      // Until the cache shows the deletion. A CRD without the status subresource also answers NotFound.
      run.expectChanged(caches.jobs, run.manifest);
      return undefined;
    }
    // Refused by a policy, missing permissions or a newer CRD rule. Without an event the job would seem to hang.
    if (rejectionOf(error) !== undefined) {
      run.noteFailed('FailedUpdateStatus' satisfies EventReason, 'UpdateStatus', error);
    }
    throw error;
  }
}

/**
 * The status may have been stored although the answer was lost. Then the transition must still be reported and counted.
 */
async function storedAfterAll(run: ReconcileRun, status: object, error: unknown): Promise<JobManifest> {
  const { client, resource } = run.dependencies;
  const { resourceVersion, uid } = run.manifest.metadata ?? {};
  if (!isKubeError(error) || (error.code !== 0 && error.code < 500)) throw error;
  const live = await client.get(resource, run.where, { signal: run.signal });
  const isSame = live.metadata?.uid === uid && live.metadata?.resourceVersion !== resourceVersion;
  if (!isSame || mergePatch(live.status ?? {}, status) !== undefined) throw error;
  return live;
}

/** False if the annotation is up to date, so that the cache will not show a new version. */
async function keepOwnStatus(run: ReconcileRun, record: JobStatus): Promise<boolean> {
  const { client, resource, ownStatusOf } = run.dependencies;
  const own = ownStatusOf(record);
  if (run.manifest.metadata?.annotations?.[ANNOTATIONS.status] === own) return false;
  const patch = { metadata: { uid: run.uid, annotations: { [ANNOTATIONS.status]: own } } };
  await run.write((options) => client.patch(resource, run.where, patch, options));
  return true;
}

export async function writeFinalizer(run: ReconcileRun, name: string, isSet: boolean): Promise<void> {
  const { client, caches, resource } = run.dependencies;
  const { resourceVersion = '', finalizers = [] } = run.manifest.metadata ?? {};
  const next = [...finalizers.filter((each) => each !== name), ...(isSet ? [name] : [])];
  // The patch replaces the whole list, so it is bound to the planned version.
  const patch = { metadata: { resourceVersion, finalizers: next } };
  try {
    await run.write((options) => client.patch(resource, run.where, patch, options));
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
  run.expectChanged(caches.jobs, run.manifest);
}

export async function deleteJob(run: ReconcileRun): Promise<void> {
  const { client, resource, metrics } = run.dependencies;
  const { resourceVersion = '' } = run.manifest.metadata ?? {};
  // Bound to the planned version: a user may have changed the time to live.
  const which = { uid: run.uid, resourceVersion, propagationPolicy: 'Background' as const };
  try {
    await run.write((options) => client.delete(resource, run.where, { ...which, ...options }));
    metrics.count(run.where.namespace ?? '', { counters: ['deleted'] });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return;
    // The job has changed, so the next run decides.
    if (isKubeError(error, 'Conflict')) throw error;
    run.noteFailed('FailedDeleteJob' satisfies EventReason, 'DeleteJob', error);
    throw error;
  }
}
