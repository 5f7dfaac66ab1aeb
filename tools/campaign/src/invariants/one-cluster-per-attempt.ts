import { firstOf, type JobStory, type Life, titleOf, versionBefore } from '../history/job-story.ts';
import { isDeleting } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'one-cluster-per-attempt';
/** A RayService has a second one while it is upgraded. */
const MOST: Readonly<Partial<Record<string, number>>> = { RayJob: 1, RayService: 2 };

export const oneClusterPerAttempt: Invariant = {
  name: NAME,
  statement: 'A RayJob has at most one RayCluster that is not being deleted, and a RayService at most two.',
  check: (_history, jobs) => jobs.flatMap(check),
};

function check(job: JobStory): Violation[] {
  const most = MOST[job.kind];
  if (most === undefined) return [];
  const clusters = job.owned.filter(({ resource }) => resource === 'rayclusters.ray.io');
  return clusters.flatMap((cluster): Violation[] => {
    const { revision } = firstOf(cluster);
    const others = clusters.filter((other) => other !== cluster && isLive(other, revision));
    if (others.length < most) return [];
    const names = others.map(({ name }) => name).join(', ');
    const message = `RayCluster ${cluster.name} was created at revision ${revision}, beside ${names}`;
    return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message }];
  });
}

function isLive(cluster: Life, revision: number): boolean {
  const { object } = versionBefore(cluster, revision) ?? {};
  return object !== undefined && !isDeleting(object);
}
