import type { History } from '../history/history.ts';
import { type JobStory, titleOf, versionBefore } from '../history/job-story.ts';
import { isDeleting, wantsSuspension } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'service-keeps-its-cluster';

export const serviceKeepsItsCluster: Invariant = {
  name: NAME,
  statement:
    'No operator deletes the RayCluster that gets the requests of a RayService, unless the service is suspended or deleted.',
  check: (history, jobs) => jobs.filter(({ kind }) => kind === 'RayService').flatMap((job) => check(history, job)),
};

function check({ writes }: History, job: JobStory): Violation[] {
  const deletions = new Map(
    writes.flatMap(({ method, path, code, sentMs }) =>
      method === 'DELETE' && code < 300 ? [[path.split('?')[0] ?? '', sentMs] as const] : [],
    ),
  );
  return job.owned.flatMap((cluster): Violation[] => {
    const { resource, namespace, name } = cluster;
    const sentMs = deletions.get(`/apis/ray.io/v1/namespaces/${namespace}/rayclusters/${name}`);
    const requested = cluster.versions.find(({ object }) => isDeleting(object))?.revision ?? cluster.gone?.revision;
    if (resource !== 'rayclusters.ray.io' || sentMs === undefined || requested === undefined) return [];
    const { object } = versionBefore(job, requested) ?? {};
    if (object === undefined || isDeleting(object) || wantsSuspension(object)) return [];
    const { activeServiceStatus } = (object.status ?? {}) as { activeServiceStatus?: { rayClusterName?: string } };
    if (activeServiceStatus?.rayClusterName !== name) return [];
    const message = `its active RayCluster ${name} was deleted at revision ${requested}`;
    return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message }];
  });
}
