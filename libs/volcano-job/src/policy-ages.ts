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
import { problemsOf, volcanoJobDefinition, type Pod, type VolcanoJob, type VolcanoPolicy } from '@muster/job-api';
import { hasTimeout, hasTimeoutUpon, type Happening } from './model/policies.ts';
import { volcanoReplicaOf } from './model/volcano-labels.ts';
import { volcanoTasks, type VolcanoTask } from './model/volcano-tasks.ts';

/** The states whose ages `happeningOf` and `completionAgeMs` look up. Called of every manifest, valid or not. */
export function agingStates(manifest: VolcanoJob, pods: readonly Pod[]): readonly string[] {
  if (!mayHaveTimeout(manifest) || problemsOf(volcanoJobDefinition, manifest).length > 0) return [];
  const ofJob = manifest.spec.policies ?? [];
  const own = ownPods(manifest, pods);
  return volcanoTasks(manifest).tasks.flatMap((task) => {
    const policies = [...(task.spec.policies ?? []), ...ofJob];
    if (!policies.some(hasTimeout)) return [];
    const ofTask = podsOf(task, own);
    const states = ofTask.flatMap((pod) => podState(task, pod) ?? []);
    return policies.some((policy) => hasTimeoutUpon('TaskCompleted', policy))
      ? [...states, ...completions(task, ofTask)]
      : states;
  });
}

/** Of a manifest that has not been validated. Most have no timeout, and validation takes long. */
function mayHaveTimeout({ spec }: { readonly spec?: Partial<VolcanoJob['spec']> | null }): boolean {
  const tasks: readonly unknown[] = Array.isArray(spec?.tasks) ? spec.tasks : [];
  return [spec, ...tasks].some((owner) => {
    const { policies } = (owner ?? {}) as { readonly policies?: unknown };
    return Array.isArray(policies) && policies.some((each: VolcanoPolicy | null) => each?.timeout !== undefined);
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
export function completionAgeMs(task: VolcanoTask, ages: StateAges): number {
  const each = indexesOf(task).map((index) => ageOf(ages, completionNamed(task, index)));
  return each.length === 0 ? 0 : Math.min(...each);
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

/** The success of a pod is not a state of that pod, see {@link completions}. */
function podState(task: VolcanoTask, pod: Pod): string | undefined {
  const event = eventOf(task, pod);
  return event === undefined || event === 'succeeded' ? undefined : stateNamed(event, pod);
}

function stateNamed(event: string, { metadata }: Pod): string {
  return `${event} of ${metadata?.uid}`;
}

/**
 * The indexes whose pod has succeeded or does not exist. It is one state by index: the deletion of a pod that has succeeded does not
 * restart the timeout. Between the absence of a pod that has not succeeded and its success, it is seen to be pending or to run.
 */
function completions(task: VolcanoTask, ofTask: readonly Pod[]): string[] {
  const unfinished = new Set(
    ofTask.filter((pod) => eventOf(task, pod) !== 'succeeded').map((pod) => replicaOf(pod)?.index),
  );
  return indexesOf(task)
    .filter((index) => !unfinished.has(index))
    .map((index) => completionNamed(task, index));
}

function completionNamed({ name }: VolcanoTask, index: number): string {
  return `completion of ${name}-${index}`;
}

function indexesOf({ replicas }: VolcanoTask): number[] {
  return Array.from({ length: replicas }, (_, index) => index);
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
