import { firstOf, type JobStory, titleOf } from '../history/job-story.ts';
import { phaseOf, statusOf } from '../history/pod-state.ts';
import type { History } from '../history/history.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'bounded-writes';
const FREE_WRITES = 12;
const WRITES_PER_CAUSE = 3;

export const boundedWrites: Invariant = {
  name: NAME,
  statement: `The status of a job is written at most ${WRITES_PER_CAUSE} times for each change of its pods, of its spec, or of the process that leads, and ${FREE_WRITES} times more.`,
  check: (history, jobs) => jobs.flatMap((job) => check(history, job)),
};

function check(history: History, job: JobStory): Violation[] {
  const writes = job.versions.filter((version, index) => {
    const before = job.versions[index - 1];
    return before !== undefined && JSON.stringify(statusOf(before.object)) !== JSON.stringify(statusOf(version.object));
  }).length;
  const specs = job.versions.filter(
    ({ object }, index) => JSON.stringify(object.spec) !== JSON.stringify(job.versions[index - 1]?.object.spec),
  ).length;
  const podChanges = job.pods.reduce((sum, pod) => sum + causesOf(pod), 0);
  const most = FREE_WRITES + WRITES_PER_CAUSE * (podChanges + specs + history.operatorStarts);
  if (writes <= most) return [];
  const message = `its status was written ${writes} times, for ${podChanges} changes of pods, ${specs} specs and ${history.operatorStarts} starts of operators`;
  return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message }];
}

/** Creation, each phase, the request to delete it, and its end. */
function causesOf(pod: JobStory['pods'][number]): number {
  const states = pod.versions.map(({ object }) => `${phaseOf(object)} ${object.metadata?.deletionTimestamp ?? ''}`);
  const changes = states.filter((state, index) => index > 0 && state !== states[index - 1]).length;
  return changes + (firstOf(pod).revision > 0 ? 1 : 0) + (pod.gone === undefined ? 0 : 1);
}
