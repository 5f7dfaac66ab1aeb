import { hasCondition } from '@muster/job-api';
import type { History } from '../history/history.ts';
import { lastOf, titleOf, type JobStory, type Life, type Version } from '../history/job-story.ts';
import { hasEnded, hasFinalEnd, isDeleting, phaseOf, replicasByRole, roleOf, statusOf } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'status-agrees-with-pods';

/** What ends a job without a failed pod: its spec is invalid, or a deadline has passed. */
const OWN_CAUSE = /InvalidSpec|Deadline|longer than|active deadline/;

export const statusAgreesWithPods: Invariant = {
  name: NAME,
  statement:
    'A job becomes Running or Succeeded only after a pod of it ran or succeeded, and Failed because of pods only after one was lost; when nothing changes any more, `active` equals the running pods of each role.',
  check(history, jobs) {
    return jobs
      .filter((job) => replicasByRole(lastOf(job).object).size > 0)
      .flatMap((job) => [...transitions(job), ...(history.hasSettled ? counts(history, job) : [])]);
  },
};

function transitions(job: JobStory): Violation[] {
  return job.versions.flatMap((version, index) => {
    const before = job.versions[index - 1];
    const became = (type: 'Running' | 'Succeeded' | 'Failed') =>
      hasCondition(statusOf(version.object).conditions, type) &&
      !(before !== undefined && hasCondition(statusOf(before.object).conditions, type));
    const had = (holds: (seen: Version, pod: Life) => boolean) =>
      job.pods.some((pod) => pod.versions.some((seen) => seen.revision < version.revision && holds(seen, pod)));
    const { reason = '', message = '' } =
      statusOf(version.object).conditions?.find(({ type }) => type === 'Failed') ?? {};
    const say = (message: string): Violation[] => [
      {
        ...{ invariant: NAME, about: titleOf(job), uid: job.uid, revision: version.revision },
        message: `${message} (revision ${version.revision})`,
      },
    ];
    const isLoss = ({ object }: Version) => phaseOf(object) === 'Failed' || isDeleting(object);
    const isGone = (_seen: Version, pod: Life) => (pod.gone?.revision ?? Infinity) < version.revision;
    return [
      ...(became('Running') && !had(({ object }) => phaseOf(object) !== 'Pending')
        ? say('is Running, and no pod of it has run')
        : []),
      ...(became('Succeeded') && !had(({ object }) => phaseOf(object) === 'Succeeded')
        ? say('has Succeeded, and no pod of it has')
        : []),
      ...(became('Failed') &&
      !OWN_CAUSE.test(`${reason} ${message}`) &&
      !had((seen, pod) => isLoss(seen) || isGone(seen, pod))
        ? say(`has Failed with ${reason}, and no pod of it has failed or is gone`)
        : []),
    ];
  });
}

function counts(_history: History, job: JobStory): Violation[] {
  const { object } = lastOf(job);
  if (job.gone !== undefined || job.isNamespaceGoing || isDeleting(object) || hasFinalEnd(object)) return [];
  const present = job.pods.filter(({ gone }) => gone === undefined).map((pod) => ({ pod, object: lastOf(pod).object }));
  return Object.entries(statusOf(object).replicaStatuses ?? {}).flatMap(([role, { active = 0 }]): Violation[] => {
    const running = present.filter(
      ({ pod, object: now }) =>
        roleOf(pod) === role.toLowerCase() && phaseOf(now) === 'Running' && !isDeleting(now) && !hasEnded(now),
    );
    if (running.length === active) return [];
    const message = `role ${role} has ${active} active in the status, and ${running.length} running pods`;
    return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message }];
  });
}
