import { firstOf, type JobStory, type Life, titleOf, versionBefore } from '../history/job-story.ts';
import { hasEnded, isDeleting, replicasByRole, roleOf } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'no-more-pods-than-replicas';

export const noMorePodsThanReplicas: Invariant = {
  name: NAME,
  statement:
    'When a pod is created, its role has no more live pods than the largest number of replicas that its job ever requested.',
  check: (_history, jobs) => jobs.flatMap(check),
};

function check(job: JobStory): Violation[] {
  return job.pods.flatMap((pod): Violation[] => {
    const role = roleOf(pod);
    const { revision } = firstOf(pod);
    const most = Math.max(
      ...job.versions
        .filter((version) => version.revision < revision)
        .map(({ object }) => replicasByRole(object).get(role ?? '') ?? 0),
    );
    if (role === undefined || most <= 0) return [];
    const live = job.pods.filter((other) => roleOf(other) === role && isLive(other, revision));
    if (live.length < most) return [];
    const names = live.map(({ name }) => name).join(', ');
    return [
      {
        ...{ invariant: NAME, about: titleOf(job), uid: job.uid, revision },
        message: `${pod.name} was created at revision ${revision}, beside ${live.length} live pods of role ${role} with ${most} replicas: ${names}`,
      },
    ];
  });
}

function isLive(pod: Life, revision: number): boolean {
  const { object } = versionBefore(pod, revision) ?? {};
  return object !== undefined && !hasEnded(object) && !isDeleting(object);
}
