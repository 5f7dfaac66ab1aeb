/** The objects of a new job, for a preview without a cluster. */
import type { KubeObject } from '@muster/job-api';
import { runPolicyOf } from '../contract/read-manifest.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { planJob } from './plan-job.ts';
import { newWorld, type PlanSettings, type World } from '../world/world.ts';

/** The job is not suspended and has no finalizer, and owned resources that wait for pods are created. */
function startingAtOnce({ finalize: _finalize, ...adapter }: FrameworkAdapter): FrameworkAdapter {
  const { lifecycle, ownedResources } = adapter;
  const runPolicy = (manifest: JobManifest) => ({ ...runPolicyOf(adapter, manifest), suspend: false });
  const started = { ...adapter, lifecycle: { ...lifecycle, runPolicy } };
  if (ownedResources === undefined) return started;
  const desired: typeof ownedResources.desired = (job, replicas, context) => {
    const withPods = replicas.map((replica) => ({ ...replica, pod: {} }));
    return ownedResources.desired(job, withPods, context);
  };
  return { ...started, ownedResources: { ...ownedResources, desired } };
}

/**
 * Includes objects that wait for other roles or resumption. The manifest is valid and as stored by the API server.
 *
 * @param references objects that the job refers to. Default: none
 */
export function objectsOf(
  adapter: FrameworkAdapter,
  manifest: JobManifest,
  settings: PlanSettings,
  references: World['references'] = [],
): KubeObject[] {
  const world = { ...newWorld(manifest, 0), references };
  const { writes } = planJob(startingAtOnce(adapter), world, { ...settings, startsAtOnce: true });
  return writes.flatMap((write) => (write.op === 'ensure' || write.op === 'create' ? [write.object] : []));
}
