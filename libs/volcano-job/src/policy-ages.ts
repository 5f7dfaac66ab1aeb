/**
 * For how long pods and tasks are as a policy with a timeout names them. The times on a pod are by the clocks of the API server and of
 * the kubelet, so the operator counts from when it has first seen the state: after a restart of the operator a timeout ends later.
 */
import {
  ageOf,
  controllerOf,
  exitCodeOf,
  isTakenByCluster,
  stateOf,
  type StateAges,
} from '@muster/common-job-controller';
import { problemsOf, volcanoJobDefinition, type Pod, type VolcanoJob } from '@muster/job-api';
import { hasTimeout, hasTimeoutUpon, type Happening } from './model/policies.ts';
import { volcanoReplicaOf } from './model/volcano-labels.ts';
import { volcanoTasks, type VolcanoTask } from './model/volcano-tasks.ts';

/** The states whose ages `happeningOf` and `completionAgeMs` look up. */
export function agingStates(manifest: VolcanoJob, pods: readonly Pod[]): readonly string[] {
  if (problemsOf(volcanoJobDefinition, manifest).length > 0) return [];
  const ofJob = manifest.spec.policies ?? [];
  const own = ownPods(manifest, pods);
  return volcanoTasks(manifest).tasks.flatMap((task) => {
    const policies = [...(task.spec.policies ?? []), ...ofJob];
    if (!policies.some(hasTimeout)) return [];
    const states = podsOf(task, own).flatMap((pod) => podState(task, pod) ?? []);
    return policies.some((policy) => hasTimeoutUpon('TaskCompleted', policy))
      ? [...states, ...absences(task, own)]
      : states;
  });
}

/** What policies may follow: a pod has failed, is taken by the cluster, or has not started yet. */
export function happeningOf(task: VolcanoTask, pod: Pod, ages: StateAges): Happening | undefined {
  const event = eventOf(task, pod);
  if (event === undefined || event === 'succeeded') return undefined;
  return {
    event,
    ...(event === 'PodFailed' && { exitCode: exitCodeOf(pod, mainOf(task)) }),
    forMs: ageOf(ages, stateNamed(event, pod)),
  };
}

/** For how long all pods of a completed task have been seen to have succeeded, or to be gone. */
export function completionAgeMs(
  job: Pick<VolcanoJob, 'metadata'>,
  task: VolcanoTask,
  pods: readonly Pod[],
  ages: StateAges,
): number {
  const own = ownPods(job, pods);
  const present = podsOf(task, own).map((pod) => stateNamed('succeeded', pod));
  const states = [...present, ...absences(task, own)];
  return states.length === 0 ? 0 : states.reduce((least, state) => Math.min(least, ageOf(ages, state)), Infinity);
}

/** The container by whose end a pod is judged. */
export function mainOf({ template }: VolcanoTask): string {
  return template.spec?.containers[0]?.name ?? '';
}

function eventOf(task: VolcanoTask, pod: Pod) {
  const state = stateOf(pod, mainOf(task));
  if (state === 'succeeded') return state;
  // Its exit code is that of the signal by which it was ended.
  if (isTakenByCluster(pod)) return 'PodEvicted';
  if (state === 'failed') return 'PodFailed';
  return state === 'pending' ? 'PodPending' : undefined;
}

function podState(task: VolcanoTask, pod: Pod): string | undefined {
  const event = eventOf(task, pod);
  return event && stateNamed(event, pod);
}

function stateNamed(event: NonNullable<ReturnType<typeof eventOf>>, { metadata }: Pod): string {
  return `${event} of ${metadata?.uid}`;
}

/** Of a replica that has succeeded the pod may be gone. */
function absences(task: VolcanoTask, own: readonly Pod[]): string[] {
  const present = new Set(podsOf(task, own).map((pod) => replicaOf(pod)?.index));
  const indexes = Array.from({ length: task.replicas }, (_, index) => index);
  return indexes.filter((index) => !present.has(index)).map((index) => `absence of ${task.name}-${index}`);
}

function ownPods({ metadata }: Pick<VolcanoJob, 'metadata'>, pods: readonly Pod[]): Pod[] {
  return pods.filter((pod) => controllerOf(pod)?.uid === metadata?.uid);
}

function podsOf({ name }: VolcanoTask, own: readonly Pod[]): Pod[] {
  return own.filter((pod) => replicaOf(pod)?.role === name);
}

function replicaOf({ metadata }: Pod) {
  return volcanoReplicaOf(metadata?.labels ?? {});
}
