/**
 * The finalizer is added before anything is created for the job, and removed once the kind reports that its clean-up is
 * done. If the spec cannot be read any more, the clean-up is unknown and the finalizer is removed.
 */
import { isFinished, PODS } from '@muster/job-api';
import { stayingOf } from '../children/claims.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { readJob, statusOf, withSpec } from '../contract/read-manifest.ts';
import type { JobManifest } from '../model/training-job.ts';
import { asOwned } from '../owned-resources/as-owned.ts';
import { planOwnedResources } from '../owned-resources/plan-owned-resources.ts';
import { jobReplicas } from '../replicas/job-replicas.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import { calls, onEach } from '../model/write.ts';
import type { World } from '../world/world.ts';

/** Undefined if the job has the finalizer, or does not need it. A finished job does not. */
export function planToAddFinalizer(adapter: FrameworkAdapter, manifest: JobManifest): Decision | undefined {
  const { finalize } = adapter;
  if (finalize === undefined || finalize.isNeeded?.(withSpec(manifest)) === false) return undefined;
  if (hasFinalizer(finalize, manifest) || isFinished(statusOf(adapter, manifest))) return undefined;
  return { ...NO_CHANGE, writes: [{ op: 'addFinalizer', name: finalize.name }] };
}

function hasFinalizer({ name }: NonNullable<FrameworkAdapter['finalize']>, { metadata }: JobManifest): boolean {
  return (metadata?.finalizers ?? []).includes(name);
}

export function planFinalize(adapter: FrameworkAdapter, world: World): Decision {
  const { finalize } = adapter;
  const { manifest, pods, ownedResources } = world;
  if (finalize === undefined || !hasFinalizer(finalize, manifest)) return NO_CHANGE;
  const release: Decision = { ...NO_CHANGE, writes: [{ op: 'removeFinalizer', name: finalize.name }] };
  if (adapter.problems(manifest).length > 0) return release;
  const job = readJob(adapter, manifest, world);
  const remaining = jobReplicas(adapter, job, pods, world).wanted.filter(({ pod }) => pod !== undefined);
  const step = finalize.step(job, remaining, world);
  if (step.isDone) return release;
  const desired = (step.ownedResources ?? []).map((each) => asOwned(adapter, job, each));
  return {
    ...NO_CHANGE,
    requeueAfterMs: step.recheckAfterMs,
    writes: [
      ...onEach('delete', PODS, step.deletesPods === true ? stayingOf(job, pods) : []),
      ...planOwnedResources(job, ownedResources, desired),
      ...calls(step.calls),
    ],
  };
}
