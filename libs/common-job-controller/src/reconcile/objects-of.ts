/** The objects of a new job, for a preview without a cluster. */
import type { KubeObject } from '@muster/job-api';
import { runPolicyOf } from '../contract/read-manifest.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { planJob } from './plan-job.ts';
import { newWorld, type PlanSettings } from '../world/world.ts';

function startingAtOnce({ finalize: _finalize, ...adapter }: FrameworkAdapter): FrameworkAdapter {
  const runPolicy = (manifest: JobManifest) => ({ ...runPolicyOf(adapter, manifest), suspend: false });
  return { ...adapter, lifecycle: { ...adapter.lifecycle, runPolicy }, ...whenPodsAreThere(adapter) };
}

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

/** Includes objects that wait for other roles or resumption. The manifest is valid and as stored by the API server. */
export function objectsOf<Manifest extends JobManifest>(
  adapter: FrameworkAdapter<Manifest>,
  manifest: Manifest,
  settings: PlanSettings,
): KubeObject[] {
  const { writes } = planJob(startingAtOnce(adapter), newWorld(manifest, 0), { ...settings, startsAtOnce: true });
  return writes.flatMap((write) => (write.op === 'ensure' || write.op === 'create' ? [write.object] : []));
}
