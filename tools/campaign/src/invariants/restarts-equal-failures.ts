import type { History } from '../history/history.ts';
import { firstOf, lastOf, titleOf, type JobStory, type Life } from '../history/job-story.ts';
import { isDisrupted, isVolcanoJob, phaseOf, replicasByRole, statusOf, wantsSuspension } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'restarts-equal-failures';

export const restartsEqualFailures: Invariant = {
  name: NAME,
  statement:
    '`restartCount` never decreases, is at most the number of failed pods and of container restarts in the history, and at least the number of failed pods that an operator deleted and created again.',
  check(history, jobs) {
    // Policies and Commands of a Volcano Job restart it without a failure.
    return jobs
      .filter((job) => !isVolcanoJob(lastOf(job).object) && replicasByRole(lastOf(job).object).size > 0)
      .flatMap((job) => check(history, job));
  },
};

function check(history: History, job: JobStory): Violation[] {
  const say = (message: string, revision?: number): Violation[] => [
    { invariant: NAME, about: titleOf(job), uid: job.uid, message, ...(revision !== undefined && { revision }) },
  ];
  let last = 0;
  for (const { revision, object } of job.versions) {
    const { restartCount = 0 } = statusOf(object);
    if (restartCount < last)
      return say(`restartCount fell from ${last} to ${restartCount} at revision ${revision}`, revision);
    last = restartCount;
    const most = failures(job, revision);
    if (restartCount > most) {
      return say(
        `restartCount is ${restartCount} at revision ${revision}, and ${most} pods and containers have failed`,
        revision,
      );
    }
  }
  if (!history.hasSettled || job.gone !== undefined || isCountedOtherwise(job)) return [];
  // A failed pod that others delete may be gone before an operator has seen its failure.
  const deleted = new Set(history.writes.filter(({ method }) => method === 'DELETE').map(({ uid }) => uid));
  const replaced = job.pods.filter((pod) => deleted.has(pod.uid) && hasFailed(pod) && hasSuccessor(job, pod));
  if (replaced.length <= last) return [];
  const names = replaced.map(({ name, uid }) => `${name} (${uid})`).join(', ');
  return say(`restartCount is ${last}, and ${replaced.length} failed pods were replaced: ${names}`);
}

/** Failed pods, and restarts of containers, before the revision. */
function failures(job: JobStory, revision: number): number {
  return job.pods.reduce((sum, pod) => {
    const before = pod.versions.filter((version) => version.revision < revision);
    const { object } = before.at(-1) ?? {};
    if (object === undefined) return sum;
    // A simulated kubelet may end a pod well that the campaign has failed.
    const hasFailed = before.some((version) => phaseOf(version.object) === 'Failed');
    const { containerStatuses = [] } = (object.status ?? {}) as { containerStatuses?: { restartCount?: number }[] };
    const restarts = Math.max(0, ...containerStatuses.map(({ restartCount = 0 }) => restartCount));
    return sum + restarts + (hasFailed ? 1 : 0);
  }, 0);
}

/** Had failed before its deletion was requested. */
function hasFailed(pod: Life): boolean {
  const failedAt = pod.versions.find(({ object }) => phaseOf(object) === 'Failed')?.revision;
  const { object } = lastOf(pod);
  if (failedAt === undefined || phaseOf(object) !== 'Failed' || isDisrupted(object)) return false;
  const deletedAt = pod.versions.find(
    ({ object: { metadata } }) => metadata?.deletionTimestamp !== undefined,
  )?.revision;
  return deletedAt === undefined || failedAt < deletedAt;
}

function hasSuccessor(job: JobStory, pod: Life): boolean {
  return job.pods.some(
    ({ name, versions }) => name === pod.name && firstOf({ versions }).revision > lastOf(pod).revision,
  );
}

/** Suspensions, scaling and policies recreate or remove failed pods without a count. */
function isCountedOtherwise(job: JobStory): boolean {
  const specs = new Set(job.versions.map(({ object }) => JSON.stringify(object.spec)));
  const { object } = lastOf(job);
  const { runPolicy } = (object.spec ?? {}) as { runPolicy?: { failurePolicy?: unknown } };
  return specs.size > 1 || wantsSuspension(object) || runPolicy?.failurePolicy !== undefined;
}
