/** All that a job comes to have by its manifest alone: for people who want to see it before there is a cluster. */
import type { KubeObject } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { planJob } from './plan-job.ts';
import { newWorld, type PlanSettings } from './world.ts';

/** With the owned resources that wait for pods. */
function whenPodsAreThere({
  ownedResources,
}: Pick<FrameworkAdapter, 'ownedResources'>): Pick<FrameworkAdapter, 'ownedResources'> {
  if (ownedResources === undefined) return {};
  return {
    ownedResources: (job, replicas) =>
      ownedResources(
        job,
        replicas.map((replica) => ({ ...replica, pod: {} })),
      ),
  };
}

/**
 * The objects of a new job, in the order in which they are made; also those that are held back until others run. The manifest
 * is as the API server stores it, with namespace and UID, and without problems.
 */
export function objectsOf<Manifest extends JobManifest>(
  adapter: FrameworkAdapter<Manifest>,
  manifest: Manifest,
  settings: PlanSettings,
): KubeObject[] {
  const { ensure, ownedResources, create } = planJob(
    { ...adapter, mayStart: () => true, ...whenPodsAreThere(adapter) },
    newWorld(manifest, 0),
    settings,
  );
  const made = [...ensure, ...ownedResources.create].map(({ object }) => object);
  return [...made, ...create.services, ...create.pods];
}
