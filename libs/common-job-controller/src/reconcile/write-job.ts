import { ANNOTATIONS, type EventReason, type JobStatus } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import type { JobManifest } from '../model/training-job.ts';
import { mergePatch } from '../model/merge-patch.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { StatusWrite } from '../model/status-write.ts';
import { rejectionOf } from './refusals.ts';

export async function writeStatus(
  run: ReconcileRun,
  { status, stored = status, ...transition }: StatusWrite,
): Promise<void> {
  const { memory, metrics } = run.tools;
  if (!(await patchStatus(run, status, stored))) return;
  const { namespace = '' } = run.manifest.metadata ?? {};
  memory.noteStatusWritten(run.key, run.uid);
  metrics.count(namespace, transition);
}

export function emitEvent(run: ReconcileRun, event: PlannedEvent): void {
  run.emit(event);
  if (event.dedupKey !== undefined) run.tools.memory.noteEmitted(run.key, run.uid, event.dedupKey);
}

async function patchStatus(run: ReconcileRun, record: JobStatus, status: object): Promise<boolean> {
  const { client, caches, resource, isStripped } = run.tools;
  const { name = '', namespace = '', resourceVersion = '' } = run.manifest.metadata ?? {};
  // With the resourceVersion, the write fails if the job has changed since it was observed.
  // The patch is relative to the stored status, which another operator's CRD may have stripped.
  const before = caches.jobs.get(run.key)?.status ?? {};
  const patch = { metadata: { resourceVersion }, status: mergePatch(before, status) ?? {} };
  const behind = new Set([resourceVersion]);
  try {
    const request = run.write((options) => client.patchStatus(resource, { namespace, name }, patch, options));
    const stored = await request.catch((error: unknown) => storedAfterAll(run, status, error));
    const version = stored.metadata?.resourceVersion ?? '';
    if (isStripped(stored.status ?? {}) && (await keepOwnStatus(run, record))) {
      behind.add(version);
    } else if (version === resourceVersion) {
      // Nothing changed, so the cache will not show a new version.
      behind.clear();
    }
  } catch (error) {
    if (isKubeError(error, 'NotFound')) {
      run.needsNewPlan = true;
      // Until the cache shows the deletion. A CRD without the status subresource also answers NotFound.
      run.expect({
        uid: run.uid,
        isMet: () => caches.jobs.get(run.key)?.metadata?.resourceVersion !== resourceVersion,
      });
      return false;
    }
    // Refused by a policy, missing permissions or a newer CRD rule. Without an event the job would seem to hang.
    if (rejectionOf(error) !== undefined) {
      run.noteFailed('FailedUpdateStatus' satisfies EventReason, 'UpdateStatus', error);
    }
    throw error;
  }
  const isMet = () => !behind.has(caches.jobs.get(run.key)?.metadata?.resourceVersion ?? '');
  run.expect({ uid: run.uid, isMet });
  return true;
}

/**
 * The status may have been stored although the answer was lost. Then the transition must still be reported and counted.
 */
async function storedAfterAll(run: ReconcileRun, status: object, error: unknown): Promise<JobManifest> {
  const { client, resource } = run.tools;
  const { name = '', namespace = '', resourceVersion, uid } = run.manifest.metadata ?? {};
  if (!isKubeError(error) || (error.code !== 0 && error.code < 500)) throw error;
  const live = await client.get(resource, { namespace, name }, { signal: run.signal });
  const isSame = live.metadata?.uid === uid && live.metadata?.resourceVersion !== resourceVersion;
  if (!isSame || mergePatch(live.status ?? {}, status) !== undefined) throw error;
  return live;
}

/** False if the annotation is up to date, so that the cache will not show a new version. */
async function keepOwnStatus(run: ReconcileRun, record: JobStatus): Promise<boolean> {
  const { client, resource, ownStatusOf } = run.tools;
  const { name = '', namespace = '', annotations } = run.manifest.metadata ?? {};
  const own = ownStatusOf(record);
  if (annotations?.[ANNOTATIONS.status] === own) return false;
  const patch = { metadata: { uid: run.uid, annotations: { [ANNOTATIONS.status]: own } } };
  await run.write((options) => client.patch(resource, { namespace, name }, patch, options));
  return true;
}

/** `change` gets all finalizers except `name`. */
export async function writeFinalizers(
  run: ReconcileRun,
  change: (others: readonly string[]) => readonly string[],
  name: string,
): Promise<void> {
  const { client, caches, resource } = run.tools;
  const { name: job = '', namespace = '', resourceVersion = '', finalizers = [] } = run.manifest.metadata ?? {};
  const next = change(finalizers.filter((each) => each !== name));
  // The patch replaces the whole list, so it is bound to the planned version.
  const patch = { metadata: { resourceVersion, finalizers: next } };
  try {
    await run.write((options) => client.patch(resource, { namespace, name: job }, patch, options));
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
  const isMet = () => caches.jobs.get(run.key)?.metadata?.resourceVersion !== resourceVersion;
  run.expect({ uid: run.uid, isMet });
}

export async function deleteJob(run: ReconcileRun): Promise<void> {
  const { client, resource, metrics } = run.tools;
  const { name = '', namespace = '', resourceVersion = '' } = run.manifest.metadata ?? {};
  // Bound to the planned version: a user may have changed the time to live.
  const which = { uid: run.uid, resourceVersion, propagationPolicy: 'Background' as const };
  try {
    await run.write((options) => client.delete(resource, { namespace, name }, { ...which, ...options }));
    metrics.count(namespace, { counters: ['deleted'] });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return;
    // The job has changed, so the next run decides.
    if (isKubeError(error, 'Conflict')) throw error;
    run.noteFailed('FailedDeleteJob' satisfies EventReason, 'DeleteJob', error);
    throw error;
  }
}
