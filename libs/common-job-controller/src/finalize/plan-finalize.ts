/**
 * The finalizer is added before anything is created for the job, and removed once the kind reports that its clean-up is
 * done. If the spec cannot be read any more, the clean-up is unknown and the finalizer is removed.
 */
import { PODS } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { readJob, statusOf } from '../contract/read-manifest.ts';
import type { JobManifest, TrainingJob } from '../model/training-job.ts';
import { ownershipOf } from '../model/ownership.ts';
import { asOwned } from '../owned-resources/as-owned.ts';
import { planOwnedResources } from '../owned-resources/plan-owned-resources.ts';
import { jobReplicas } from '../replicas/job-replicas.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import { calls, onEach } from '../model/write.ts';
import type { World } from '../world/world.ts';
import { isFinished } from '../model/conditions.ts';

function hasFinalizer({ finalize }: FrameworkAdapter, { metadata }: JobManifest): boolean {
  return finalize !== undefined && (metadata?.finalizers ?? []).includes(finalize.name);
}

/** A finished job needs none. */
export function lacksFinalizer(adapter: FrameworkAdapter, manifest: JobManifest): boolean {
  const { finalize } = adapter;
  if (finalize === undefined || finalize.isNeeded?.(manifest) === false) return false;
  const needsOne = !isFinished(statusOf(adapter, manifest));
  return needsOne && !hasFinalizer(adapter, manifest);
}

export function planToAddFinalizer({ finalize }: FrameworkAdapter): Decision {
  return finalize === undefined ? NO_CHANGE : { ...NO_CHANGE, writes: [{ op: 'addFinalizer', name: finalize.name }] };
}

export function planFinalize(adapter: FrameworkAdapter, world: World): Decision {
  const { finalize } = adapter;
  if (finalize === undefined || !hasFinalizer(adapter, world.manifest)) return NO_CHANGE;
  const release: Decision = { ...NO_CHANGE, writes: [{ op: 'removeFinalizer', name: finalize.name }] };
  const job = readable(adapter, world);
  if (job === undefined) return release;
  const { wanted, surplus } = jobReplicas(adapter, job, world.pods, world);
  const step = finalize.step(
    job,
    wanted.filter(({ pod }) => pod !== undefined),
    world,
  );
  if (step.isDone) return release;
  const pods = [...wanted.flatMap(({ pod }) => pod ?? []), ...surplus];
  const staying = pods.filter(
    (pod) => ownershipOf(pod, job.metadata.uid) === 'owned' && pod.metadata?.deletionTimestamp === undefined,
  );
  const desired = (step.ownedResources ?? []).map((each) => asOwned(adapter, job, each));
  return {
    ...NO_CHANGE,
    requeueAfterMs: step.recheckAfterMs,
    writes: [
      ...onEach('delete', PODS, step.deletesPods === true ? staying : []),
      ...planOwnedResources(job, world.ownedResources, desired),
      ...calls(step.calls),
    ],
  };
}

function readable(adapter: FrameworkAdapter, world: World): TrainingJob | undefined {
  return adapter.problems(world.manifest).length > 0 ? undefined : readJob(adapter, world.manifest, world);
}
