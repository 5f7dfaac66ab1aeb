/** All that a job comes to have by its manifest alone: for people who want to see it before there is a cluster. */
import type { KubeObject } from '@muster/job-api';
import { runPolicyOf } from '../contract/read-manifest.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { planJob } from './plan-job.ts';
import { newWorld, type PlanSettings } from '../world/world.ts';

/** Nothing of it waits for what it owns, or for being resumed. */
function startingAtOnce({ finalize: _finalize, ...adapter }: FrameworkAdapter): FrameworkAdapter {
  const runPolicy = (manifest: JobManifest) => ({ ...runPolicyOf(adapter, manifest), suspend: false });
  return { ...adapter, lifecycle: { ...adapter.lifecycle, runPolicy }, ...whenPodsAreThere(adapter) };
}

/** With the owned resources that wait for pods. */
function whenPodsAreThere({ ownedResources }: Pick<FrameworkAdapter, 'ownedResources'>): Partial<FrameworkAdapter> {
  if (ownedResources === undefined) return {};
  const desired: typeof ownedResources.desired = (job, replicas, context) =>
    ownedResources.desired(
      job,
      replicas.map((replica) => ({ ...replica, pod: {} })),
      context,
    );
  return { ownedResources: { ...ownedResources, desired } };
}

/**
 * The objects of a new job, in the order in which they are made; also those that are held back until others run, or the job
 * is resumed. The manifest
 * is as the API server stores it, with namespace and UID, and without problems.
 */
export function objectsOf<Manifest extends JobManifest>(
  adapter: FrameworkAdapter<Manifest>,
  manifest: Manifest,
  settings: PlanSettings,
): KubeObject[] {
  const { writes } = planJob(startingAtOnce(adapter), newWorld(manifest, 0), { ...settings, startsAtOnce: true });
  return writes.flatMap((write) => (write.op === 'ensure' || write.op === 'create' ? [write.object] : []));
}
