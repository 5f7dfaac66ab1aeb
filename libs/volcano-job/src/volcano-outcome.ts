/** When a Volcano Job runs, succeeds or fails, by its policies, `minAvailable`, `minSuccess` and `maxRetry`. */
import {
  controllerOf,
  disruptionOf,
  isOutdated,
  isEndedByCluster,
  type JobContext,
  type Outcome,
  type RoleTally,
  type StateAges,
  stateOf,
} from '@muster/common-job-controller';
import { momentOf, type Pod, type VolcanoAction } from '@muster/job-api';
import { commandOf, isRestartRequested } from './commands.ts';
import { actionUpon, ENDED_BY, type DueAction } from './model/policies.ts';
import { leastOf, type VolcanoTrainingJob } from './model/read-volcano-job.ts';
import { volcanoReplicaOf } from './model/volcano-labels.ts';
import { taskNamed, type VolcanoTask } from './model/volcano-tasks.ts';
import { completionAgeMs, policyEventOf, mainOf } from './policy-ages.ts';

export function volcanoOutcome(
  job: VolcanoTrainingJob,
  tallies: readonly RoleTally[],
  { pods, stateAges }: Pick<JobContext, 'pods' | 'stateAges'>,
): Outcome {
  const command = commandOf(job.status);
  if (command === 'CompleteJob') return completed(job, 'a command completes it');
  if (command === 'TerminateJob')
    return { ...failedJob(job, 'a command terminates it'), reason: ENDED_BY.TerminateJob };
  if (isRestartRequested(job.status)) {
    return { phase: 'Restarting', message: `Job ${job.metadata.name} is restarting: a command requests it.` };
  }
  const actions = actionsUpon(job, tallies, pods, stateAges);
  const due = actions.filter(({ inMs }) => inMs === 0);
  const decided = first(due, ({ action, why }) => ended(job, action, why)) ?? oneTooMany(job, due);
  if (decided !== undefined) return decided;
  const later = actions.filter(({ inMs }) => inMs > 0).map(({ inMs }) => inMs);
  const outcome = byCounts(job, tallies, later.length > 0);
  return later.length === 0 ? outcome : { ...outcome, recheckAfterMs: Math.min(...later) };
}

/** @param isAwaited an action is still due: a Job whose pods have all ended has not ended yet */
function byCounts(job: VolcanoTrainingJob, tallies: readonly RoleTally[], isAwaited: boolean): Outcome {
  const { minSuccess, minAvailable, maxRetry } = job.options;
  const total = sum(tallies, ({ role }) => role.replicas);
  const succeeded = sum(tallies, (tally) => tally.succeeded);
  const failed = sum(tallies, (tally) => tally.failed);
  const running = sum(tallies, (tally) => tally.running);
  if (minSuccess !== undefined && succeeded >= minSuccess) return completed(job, `${succeeded} pods have succeeded`);
  if (retriesOf(job) >= maxRetry) return noMoreRetries(job, `it has been restarted ${retriesOf(job)} times`);
  if (total > 0 && succeeded + failed === total && !isAwaited) return whenAllHaveEnded(job, tallies, succeeded);
  if (running + succeeded + failed < minAvailable || running + succeeded + failed === 0) return { phase: 'Pending' };
  return { phase: 'Running', message: `Job ${job.metadata.name} is running.` };
}

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

type ExplainedAction = DueAction & { readonly why: string; readonly task: string };

function actionsUpon(
  job: VolcanoTrainingJob,
  tallies: readonly RoleTally[],
  pods: readonly Pod[],
  ages: StateAges,
): ExplainedAction[] {
  const done = tallies.filter(({ role, succeeded }) => role.replicas > 0 && succeeded >= role.replicas);
  const ofTasks = done.flatMap(({ role: { name } }) => {
    const task = taskNamed(job.options.tasks, name);
    if (task === undefined) return [];
    const forMs = completionAgeMs(task, ages);
    const due = actionUpon(job.options.policies, task, { event: 'TaskCompleted', forMs });
    return due === undefined ? [] : [{ ...due, task: name, why: `all pods of task ${name} have succeeded` }];
  });
  const ofPods = job.options.tasks.tasks.flatMap((task) =>
    podsOfTask(job, task.name, pods).flatMap((pod) => {
      const due = actionOfPod(job, task, pod, ages);
      return due === undefined ? [] : [{ ...due, task: task.name, why: whatOf(pod, task) }];
    }),
  );
  return [...ofTasks, ...ofPods];
}

function whatOf(pod: Pod, task: VolcanoTask): string {
  const { name } = pod.metadata ?? {};
  if (isEndedByCluster(pod)) return `the cluster has ended pod ${name}`;
  return stateOf(pod, mainOf(task)) === 'failed' ? `pod ${name} has failed` : `pod ${name} has not started`;
}

/** Pods of the current attempt. A pod that is being deleted counts only if it is evicted by the cluster. */
function podsOfTask(job: VolcanoTrainingJob, name: string, pods: readonly Pod[]): Pod[] {
  return pods.filter(
    (pod) =>
      controllerOf(pod)?.uid === job.metadata.uid &&
      (pod.metadata?.deletionTimestamp === undefined || isEndedByCluster(pod)) &&
      volcanoReplicaOf(pod.metadata?.labels ?? {})?.role === name &&
      !isOutdated(pod, job, { name }),
  );
}

/** The action for a pod that has failed, is evicted by the cluster, or has not started. */
export function actionOfPod(
  job: VolcanoTrainingJob,
  task: VolcanoTask,
  pod: Pod,
  ages: StateAges,
): DueAction | undefined {
  const happening = policyEventOf(task, pod, ages);
  return happening && actionUpon(job.options.policies, task, happening);
}

/** When the cluster evicted the pod, or its last container ended; if neither is known, when it was created. */
export function endMsOf(pod: Pod): number {
  const ends = pod.status?.containerStatuses?.flatMap(({ state }) => momentOf(state?.terminated?.finishedAt) ?? []);
  const takenMs = momentOf(disruptionOf(pod)?.lastTransitionTime) ?? 0;
  return takenMs > 0 ? takenMs : Math.max(createdMsOf(pod), ...(ends ?? []));
}

export function createdMsOf({ metadata }: Pick<Pod, 'metadata'>): number {
  return momentOf(metadata?.creationTimestamp) ?? 0;
}

/** Fails the Job if the due restarts would exceed `maxRetry`. The pods stay, with their logs. */
function oneTooMany(job: VolcanoTrainingJob, due: readonly ExplainedAction[]): Outcome | undefined {
  const ofJob = due.find(({ action }) => action === 'RestartJob');
  const ofTasks = due.filter(({ action }) => action === 'RestartTask');
  const restarts = ofJob === undefined ? new Set(ofTasks.map(({ task }) => task)).size : 1;
  const cause = ofJob ?? ofTasks[0];
  if (cause === undefined || retriesOf(job) + restarts < job.options.maxRetry) return undefined;
  return noMoreRetries(job, cause.why);
}

function ended(job: VolcanoTrainingJob, action: VolcanoAction, why: string): Outcome | undefined {
  switch (action) {
    case 'CompleteJob':
      return completed(job, why);
    case 'TerminateJob':
    case 'AbortJob':
      return { ...failedJob(job, `${why}, and its policy is ${action}`), reason: ENDED_BY[action] };
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
