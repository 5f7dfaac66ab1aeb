/** When a Volcano Job runs, is completed or has failed: Volcano's own rules, by its policies and minima. */
import {
  controllerOf,
  endOf,
  isOutdated,
  type JobContext,
  type Outcome,
  type RoleTally,
} from '@muster/common-job-controller';
import type { Pod, VolcanoAction } from '@muster/job-api';
import { commandOf } from './commands.ts';
import { actionUpon, ENDED_BY } from './model/policies.ts';
import { leastOf, type VolcanoTrainingJob } from './model/read-volcano-job.ts';
import { volcanoReplicaOf } from './model/volcano-labels.ts';
import { taskNamed, type VolcanoTask } from './model/volcano-tasks.ts';

export function volcanoOutcome(
  job: VolcanoTrainingJob,
  tallies: readonly RoleTally[],
  { pods }: Pick<JobContext, 'pods'>,
): Outcome {
  const { minSuccess, minAvailable } = job.options;
  const total = sum(tallies, ({ role }) => role.replicas);
  const succeeded = sum(tallies, (tally) => tally.succeeded);
  const failed = sum(tallies, (tally) => tally.failed);
  const running = sum(tallies, (tally) => tally.running);
  const command = commandOf(job.status);
  if (command === 'CompleteJob') return completed(job, 'a command asks for it');
  if (command === 'TerminateJob')
    return { ...failedJob(job, 'a command terminates it'), reason: ENDED_BY.TerminateJob };
  const asked = actionOfTask(job, tallies) ?? actionOfPod(job, pods);
  if (asked !== undefined) return asked;
  if (minSuccess !== undefined && succeeded >= minSuccess) return completed(job, `${succeeded} pods have succeeded`);
  if (retriesOf(job) >= job.options.maxRetry) return noMoreRetries(job, 'a command has restarted it');
  if (total > 0 && succeeded + failed === total) return whenAllHaveEnded(job, tallies, succeeded);
  if (running + succeeded + failed < minAvailable || running + succeeded + failed === 0) return { phase: 'Pending' };
  return { phase: 'Running', message: `Job ${job.metadata.name} is running.` };
}

/** How often the Job, or a task of it, was restarted. */
export function retriesOf({ status }: Pick<VolcanoTrainingJob, 'status'>): number {
  const ofRoles = Object.values(status.replicaStatuses ?? {}).map(({ attempt = 0 }) => attempt);
  return ofRoles.reduce((all, attempt) => all + attempt, status.attempt ?? 0);
}

function whenAllHaveEnded(job: VolcanoTrainingJob, tallies: readonly RoleTally[], succeeded: number): Outcome {
  const { tasks, minAvailable, minSuccess } = job.options;
  const lacking = tallies.find(({ role, succeeded: ended }) => {
    const task = taskNamed(tasks, role.name);
    return task !== undefined && ended < leastOf(task);
  });
  const minima = tasks.tasks.reduce((all, task) => all + leastOf(task), 0);
  if (minAvailable >= minima && lacking !== undefined) {
    return failedJob(job, `only ${lacking.succeeded} pods of task ${lacking.role.name} have succeeded`);
  }
  if (minSuccess !== undefined)
    return failedJob(job, `only ${succeeded} pods have succeeded, and spec.minSuccess is ${minSuccess}`);
  return succeeded >= minAvailable
    ? completed(job, `${succeeded} pods have succeeded`)
    : failedJob(job, `only ${succeeded} pods have succeeded, and spec.minAvailable is ${minAvailable}`);
}

function actionOfTask(job: VolcanoTrainingJob, tallies: readonly RoleTally[]): Outcome | undefined {
  const done = tallies.filter(({ role, succeeded }) => role.replicas > 0 && succeeded >= role.replicas);
  return first(done, ({ role }) => {
    const task = taskNamed(job.options.tasks, role.name);
    const action = task && actionUpon(job.options.policies, task, { event: 'TaskCompleted' });
    return ended(job, action, `all pods of task ${role.name} have succeeded`);
  });
}

function actionOfPod(job: VolcanoTrainingJob, pods: readonly Pod[]): Outcome | undefined {
  const own = pods.filter((pod) => controllerOf(pod)?.uid === job.metadata.uid);
  // How a pod ends that is being deleted is nobody's failure.
  const failed = own.filter(
    ({ metadata, status }) => status?.phase === 'Failed' && metadata?.deletionTimestamp === undefined,
  );
  return first(failed, (pod) => {
    const name = volcanoReplicaOf(pod.metadata?.labels ?? {})?.role ?? '';
    if (isOutdated(pod, job, { name })) return undefined;
    const task = taskNamed(job.options.tasks, name);
    return ended(job, task && actionOfFailure(job, task, pod), `pod ${pod.metadata?.name} has failed`);
  });
}

/** What follows from the failure of a pod. */
export function actionOfFailure(job: VolcanoTrainingJob, task: VolcanoTask, pod: Pod): VolcanoAction | undefined {
  const [main] = task.template.spec?.containers ?? [];
  const status = pod.status?.containerStatuses?.find(({ name }) => name === main?.name);
  const exitCode = status?.state?.terminated?.exitCode;
  const event = endOf(pod) === 'ProgramFailed' ? 'PodFailed' : 'PodEvicted';
  return actionUpon(job.options.policies, task, { event, exitCode });
}

function ended(job: VolcanoTrainingJob, action: VolcanoAction | undefined, why: string): Outcome | undefined {
  switch (action) {
    case 'CompleteJob':
      return completed(job, why);
    case 'TerminateJob':
    case 'AbortJob':
      return { ...failedJob(job, `${why}, upon which its policy is ${action}`), reason: ENDED_BY[action] };
    // Told of the last failure instead of the restart that would end the Job: the pod stays, with its log.
    case 'RestartJob':
    case 'RestartTask':
      return retriesOf(job) + 1 < job.options.maxRetry ? undefined : noMoreRetries(job, why);
    default:
      return undefined;
  }
}

function noMoreRetries(job: VolcanoTrainingJob, why: string) {
  return failedJob(job, `${why}, and spec.maxRetry (${job.options.maxRetry}) allows no more restarts`);
}

function completed({ metadata }: VolcanoTrainingJob, why: string) {
  return { phase: 'Succeeded', message: `Job ${metadata.name} is completed: ${why}.` } as const;
}

function failedJob({ metadata }: VolcanoTrainingJob, why: string) {
  return { phase: 'Failed', message: `Job ${metadata.name} has failed: ${why}.` } as const;
}

function first<T, R>(items: readonly T[], look: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function sum(tallies: readonly RoleTally[], count: (tally: RoleTally) => number): number {
  return tallies.reduce((total, tally) => total + count(tally), 0);
}
