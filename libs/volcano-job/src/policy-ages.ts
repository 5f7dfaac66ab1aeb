/**
 * Ages of states that policies with a timeout name, counted from the operator's first observation. Pod timestamps come
 * from other clocks (API server, kubelet). A restart of the operator restarts the timeout.
 */
import {
  ageOf,
  controllerOf,
  exitCodeOf,
  isEndedByCluster,
  stateOf,
  type StateAges,
} from '@muster/common-job-controller';
import { problemsOf, volcanoJobDefinition, type Pod, type VolcanoJob, type VolcanoPolicy } from '@muster/job-api';
import { hasTimeout, hasTimeoutUpon, type PolicyEvent } from './model/policies.ts';
import { volcanoReplicaOf } from './model/volcano-labels.ts';
import { volcanoTasks, type VolcanoTask } from './model/volcano-tasks.ts';

/** States whose ages `policyEventOf` and `completionAgeMs` read. Called for unvalidated manifests as well. */
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

function mayHaveTimeout({ spec }: { readonly spec?: Partial<VolcanoJob['spec']> | null }): boolean {
  const tasks: readonly unknown[] = Array.isArray(spec?.tasks) ? spec.tasks : [];
  return [spec, ...tasks].some((owner) => {
    const { policies } = (owner ?? {}) as { readonly policies?: unknown };
    return Array.isArray(policies) && policies.some((each: VolcanoPolicy | null) => each?.timeout !== undefined);
  });
}

/** Undefined for a pod that runs or has succeeded. */
export function policyEventOf(task: VolcanoTask, pod: Pod, ages: StateAges): PolicyEvent | undefined {
  const event = eventOf(task, pod);
  if (event === undefined || event === 'succeeded') return undefined;
  return {
    event,
    ...(event === 'PodFailed' && { exitCode: exitCodeOf(pod, mainOf(task)) }),
    forMs: ageOf(ages, stateNamed(event, pod)),
  };
}

/** How long all pods of a completed task have been observed as succeeded or deleted. */
export function completionAgeMs(task: VolcanoTask, ages: StateAges): number {
  const each = indexesOf(task).map((index) => ageOf(ages, completionNamed(task, index)));
  return each.length === 0 ? 0 : Math.min(...each);
}

export function mainOf({ template }: VolcanoTask): string {
  return template.spec?.containers[0]?.name ?? '';
}

function eventOf(task: VolcanoTask, pod: Pod) {
  const state = stateOf(pod, mainOf(task));
  if (state === 'succeeded') return state;
  // The exit code of an evicted pod is that of the signal that ended it.
  if (isEndedByCluster(pod)) return 'PodEvicted';
  if (state === 'failed') return 'PodFailed';
  return state === 'pending' ? 'PodPending' : undefined;
}

/** Success is tracked per index instead, see {@link completions}. */
function podState(task: VolcanoTask, pod: Pod): string | undefined {
  const event = eventOf(task, pod);
  return event === undefined || event === 'succeeded' ? undefined : stateNamed(event, pod);
}

function stateNamed(event: string, { metadata }: Pod): string {
  return `${event} of ${metadata?.uid}`;
}

/**
 * Success and absence are one state of an index, so deleting a succeeded pod does not restart the timeout. A pod
 * recreated at the index is first observed as pending or running, which ends the state.
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
