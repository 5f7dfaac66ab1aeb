import type { Life } from '../history/job-story.ts';
import { titleOf, firstOf } from '../history/job-story.ts';
import { hasEnded, replicaOf } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'one-live-pod-per-replica';

export const oneLivePodPerReplica: Invariant = {
  name: NAME,
  statement: 'A replica has at most one pod that has not ended, at any moment, pods that are being deleted included.',
  check(_history, jobs) {
    return jobs.flatMap((job) => {
      const byReplica = Map.groupBy(job.pods, keyOf);
      return [...byReplica].flatMap(([replica, pods]) =>
        replica === undefined
          ? []
          : overlaps(pods).map(([one, other]): Violation => ({
              ...{ invariant: NAME, about: titleOf(job), uid: job.uid, revision: firstOf(other).revision },
              message: `replica ${replica} had the pods ${describe(one)} and ${describe(other)} at the same time`,
            })),
      );
    });
  },
};

function keyOf(pod: Life): string | undefined {
  const replica = replicaOf(pod);
  return replica && `${replica.role}-${replica.index}`;
}

function overlaps(pods: readonly Life[]): [Life, Life][] {
  return pods.flatMap((pod, index) => {
    const before = pods.slice(0, index).find((other) => endOf(other) > firstOf(pod).revision);
    return before === undefined ? [] : [[before, pod] as [Life, Life]];
  });
}

/** The revision at which the pod no longer runs. */
function endOf({ versions, gone }: Life): number {
  return versions.find(({ object }) => hasEnded(object))?.revision ?? gone?.revision ?? Infinity;
}

function describe(pod: Life): string {
  return `${pod.name} (${pod.uid}, revisions ${firstOf(pod).revision} to ${endOf(pod)})`;
}
