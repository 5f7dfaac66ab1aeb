/**
 * Who has ended a pod that failed. What the program does to itself counts as its failure, and its restart policy decides;
 * what the cluster does to a pod, or a node that refuses one, says nothing of the program.
 *
 * Condition DisruptionTarget says so where it is: kubelets set it for node-pressure evictions, for critical pods that need
 * the place and for nodes that shut down, and leave it out where a pod has broken a limit of its own (kubernetes,
 * pkg/kubelet/eviction/eviction_manager.go; so in all supported releases). Reasons tell the rest.
 */
import type { Pod } from '@muster/job-api';

export type PodEnd = 'ProgramFailed' | 'ClusterEnded' | 'NodeRefused';

/** What a pod's `status.reason` means by itself. Paths are of kubernetes. */
const REASONS: ReadonlyMap<string, PodEnd> = new Map([
  // pkg/kubelet/active_deadline.go: the deadline of the pod's own spec.
  ['DeadlineExceeded', 'ProgramFailed'],
  // pkg/kubelet/preemption/preemption.go
  ['Preempting', 'ClusterEnded'],
  // pkg/kubelet/nodeshutdown/nodeshutdown_manager.go: told to end, and not let in any more.
  ['Terminated', 'ClusterEnded'],
  ['NodeShutdown', 'NodeRefused'],
  // pkg/util/node/node.go
  ['NodeLost', 'ClusterEnded'],
  // pkg/kubelet/lifecycle/predicate.go, and pkg/scheduler/eventhandlers.go (AdmissionCheck), whose plugins it names.
  ['UnexpectedAdmissionError', 'NodeRefused'],
  ['UnexpectedPredicateFailureType', 'NodeRefused'],
  ['UnknownReason', 'NodeRefused'],
  ['InvalidNodeInfo', 'NodeRefused'],
  ['NodeAffinity', 'NodeRefused'],
  ['NodeName', 'NodeRefused'],
  ['NodePorts', 'NodeRefused'],
  ['TaintToleration', 'NodeRefused'],
  ['PodOSSelectorNodeLabelDoesNotMatch', 'NodeRefused'],
  ['PodOSNotSupported', 'NodeRefused'],
  ['InitContainerRestartPolicyForbidden', 'NodeRefused'],
  ['SupplementalGroupsPolicyNotSupported', 'NodeRefused'],
  // pkg/kubelet/lifecycle/handlers.go
  ['AppArmor', 'NodeRefused'],
  ['PodLevelResourcesNotSupported', 'NodeRefused'],
  ['PodFeatureUnsupported', 'NodeRefused'],
  // pkg/kubelet/sysctl/allowlist.go
  ['SysctlForbidden', 'NodeRefused'],
  // pkg/kubelet/cm/topologymanager/topology_manager.go
  ['TopologyAffinityError', 'NodeRefused'],
  // pkg/kubelet/volumemanager/volume_manager.go
  ['VolumeAttachmentLimitExceeded', 'NodeRefused'],
]);

/** pkg/kubelet/lifecycle/predicate.go: followed by the resource, as in `OutOfcpu` and `OutOfnvidia.com/gpu`. */
const OUT_OF = 'OutOf';

/**
 * `Evicted` is none of the reasons above: a node under pressure says it of pods that it refuses, a kubelet of those that
 * have broken a limit. As with reasons that nobody knows, the containers tell which it was.
 */
export function endOf(pod: Pod): PodEnd {
  const { reason } = pod.status ?? {};
  if (disruptionOf(pod) !== undefined) return 'ClusterEnded';
  if (reason === undefined) return 'ProgramFailed';
  const known = REASONS.get(reason);
  if (known !== undefined) return known;
  return reason.startsWith(OUT_OF) || !hasEverRun(pod) ? 'NodeRefused' : 'ProgramFailed';
}

/** Condition DisruptionTarget, if it holds. */
export function disruptionOf({ status }: Pod) {
  return status?.conditions?.find(({ type, status: holds }) => type === 'DisruptionTarget' && holds === 'True');
}

/**
 * Whether the cluster has ended the pod, or is about to: a drain, an eviction, a preemption or a lost node sets the condition and then
 * deletes the pod. A pod that is deleted without the condition was deleted by a person or a controller.
 */
export function isTakenByCluster(pod: Pod): boolean {
  if (disruptionOf(pod) !== undefined) return true;
  const hasFailed = pod.status?.phase === 'Failed' && pod.metadata?.deletionTimestamp === undefined;
  return hasFailed && endOf(pod) !== 'ProgramFailed';
}

/**
 * The rule of a Job's `podFailurePolicy` by which a disruption does not count towards its `backoffLimit`. The API server refuses such a
 * policy unless the pods' restart policy is Never.
 */
export const IGNORE_DISRUPTIONS = {
  action: 'Ignore',
  onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
};

/** Whether a container of the pod has ever been started, init containers included. */
export function hasEverRun({ status }: Pod): boolean {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const haveStarted = containers.some(
    ({ state, lastState, restartCount }) =>
      (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined || restartCount > 0,
  );
  return haveStarted || status?.phase === 'Running' || status?.phase === 'Succeeded';
}

/** Whether the pod has come to an end, as a whole. */
export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
