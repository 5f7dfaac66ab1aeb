/**
 * Jobs and StatefulSets that lack pods: a quota, a policy or a webhook refuses them, which only the events of the Job or StatefulSet say,
 * or the controller manager does not run.
 */
import type { Pod } from '@muster/job-api';
import type { OwnedResource } from '../model/owned-resources.ts';
import { workloadResourceOf } from '../model/replica-identity.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { StateAges } from '../model/state-ages.ts';
import { hasWorkloadEnded, isAtRest, isWorkload, podsOf, type WorkloadObject } from './workloads.ts';

const CREATED_WITHIN_MS = 60_000;

/** The states of `observe`, for `missingPodLeftMs`. */
export function missingPodStates({ kind, object }: OwnedResource, pods: readonly Pod[]): string[] {
  if (!isWorkload(kind.resource)) return [];
  return podsOf(object, pods).length < podsWanted(object) ? [stateOf(object)] : [];
}

/**
 * In how many milliseconds it is a problem that the replica's Job or StatefulSet has not created its pod; not positive if it is one.
 * Undefined if the pod exists or is not wanted.
 */
export function missingPodLeftMs({ pod, workload }: ReplicaPod, ages: StateAges): number | undefined {
  const ageMs = pod === undefined && workload !== undefined ? ages.get(stateOf(workload)) : undefined;
  return ageMs === undefined ? undefined : CREATED_WITHIN_MS - ageMs;
}

/** Of a replica for which `missingPodLeftMs` is not positive. */
export function missingPodMessage({ role, workload }: ReplicaPod): string {
  const { kind = '' } = workloadResourceOf(role) ?? {};
  const { name } = workload?.metadata ?? {};
  return (
    `${kind} ${name} has not created all of its pods: its events say why ` +
    `(kubectl describe ${kind.toLowerCase()} ${name}), unless the controller manager does not run`
  );
}

function podsWanted(workload: WorkloadObject): number {
  const isDeleted = workload.metadata?.deletionTimestamp !== undefined;
  return isDeleted || hasWorkloadEnded(workload) || isAtRest(workload) ? 0 : (workload.spec?.replicas ?? 1);
}

function stateOf({ metadata }: WorkloadObject): string {
  return `missing pods of ${metadata?.uid}`;
}
