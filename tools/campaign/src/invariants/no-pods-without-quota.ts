import type { History } from '../history/history.ts';
import { controllerOf, firstOf, type JobStory, type Life, livesOf, titleOf } from '../history/job-story.ts';
import { QUEUE_LABEL } from '../load/queues.ts';
import type { Invariant, Violation } from './invariant.ts';
import { NOTICED_MS } from './nothing-created-at-rest.ts';

const NAME = 'no-pods-without-quota';

export const noPodsWithoutQuota: Invariant = {
  name: NAME,
  statement:
    'A pod of a job with a queue is created only while Kueue has admitted a Workload of the job, or at most three minutes later. Submitters of RayJobs need no quota.',
  check(history, jobs) {
    const workloads = workloadsOf(history);
    return jobs.flatMap((job) => check(job, workloads.get(job.uid) ?? []));
  },
};

function workloadsOf({ changes }: History): Map<string, Life[]> {
  const workloads = [...livesOf(changes).values()].filter(({ resource }) => resource === 'workloads.kueue.x-k8s.io');
  return Map.groupBy(workloads, (life) => controllerOf(firstOf(life).object) ?? '');
}

function check(job: JobStory, workloads: readonly Life[]): Violation[] {
  const hasQueue = firstOf(job).object.metadata?.labels?.[QUEUE_LABEL] !== undefined;
  // The pods of a RayJob are its submitters; those of its cluster belong to the RayCluster.
  if (!hasQueue || job.kind === 'RayJob') return [];
  return job.pods.flatMap((pod): Violation[] => {
    const { atMs, revision } = firstOf(pod);
    if (workloads.some((workload) => wasAdmitted(workload, atMs))) return [];
    const message = `pod ${pod.name} was created at revision ${revision}, and Kueue had admitted no Workload of the job`;
    return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message }];
  });
}

/** At the time, or shortly before it. */
function wasAdmitted({ versions, gone }: Life, atMs: number): boolean {
  return versions.some(({ object, atMs: fromMs }, index) => {
    const { conditions = [] } = (object.status ?? {}) as { conditions?: { type: string; status: string }[] };
    const untilMs = versions[index + 1]?.atMs ?? gone?.atMs ?? Infinity;
    const isAdmitted = conditions.some(({ type, status }) => type === 'Admitted' && status === 'True');
    return isAdmitted && fromMs <= atMs && atMs <= untilMs + NOTICED_MS;
  });
}
