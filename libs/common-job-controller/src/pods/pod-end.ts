/**
 * Whether the program ended a failed pod, which counts, or the cluster or a node did.
 *
 * Kubelets set condition DisruptionTarget for node-pressure evictions, for preemption by critical pods and for node shutdown, but not for
 * pods over their own limits (kubernetes, pkg/kubelet/eviction/eviction_manager.go, in all supported releases). Otherwise the reason
 * decides.
 */
import { containersOf, type Pod } from '@muster/job-api';

export type PodEnd = 'ProgramFailed' | 'ClusterEnded' | 'NodeRefused';

/** `status.reason` values with one meaning. Paths are those of kubernetes. */
const REASONS: ReadonlyMap<string, PodEnd> = new Map([
  // pkg/kubelet/active_deadline.go: the deadline of the pod's own spec.
  ['DeadlineExceeded', 'ProgramFailed'],
  // pkg/kubelet/preemption/preemption.go
  ['Preempting', 'ClusterEnded'],
  // pkg/kubelet/nodeshutdown/nodeshutdown_manager.go: terminated, and not admitted any more.
  ['Terminated', 'ClusterEnded'],
  ['NodeShutdown', 'NodeRefused'],
  // pkg/util/node/node.go
  ['NodeLost', 'ClusterEnded'],
  // pkg/kubelet/lifecycle/predicate.go, and pkg/scheduler/eventhandlers.go (AdmissionCheck) with the names of its plugins.
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

/** For unknown reasons, and for `Evicted`, with which nodes refuse pods and kubelets evict them, a started container decides. */
export function endOf(pod: Pod): PodEnd {
  const { reason } = pod.status ?? {};
  if (disruptionOf(pod) !== undefined) return 'ClusterEnded';
  if (reason === undefined) return 'ProgramFailed';
  const known = REASONS.get(reason);
  if (known !== undefined) return known;
  return reason.startsWith(OUT_OF) || !hasEverRun(pod) ? 'NodeRefused' : 'ProgramFailed';
}

export function disruptionOf({ status }: Pod) {
  return status?.conditions?.find(({ type, status: holds }) => type === 'DisruptionTarget' && holds === 'True');
}

/** Drains, evictions, preemptions and lost nodes set the condition before the deletion. Users and controllers do not. */
export function isEndedByCluster(pod: Pod): boolean {
  if (disruptionOf(pod) !== undefined) return true;
  const hasFailed = pod.status?.phase === 'Failed' && pod.metadata?.deletionTimestamp === undefined;
  return hasFailed && endOf(pod) !== 'ProgramFailed';
}

/** Excludes disruptions from a Job's `backoffLimit`. The API server accepts it only with restartPolicy Never. */
export const IGNORE_DISRUPTIONS = {
  action: 'Ignore',
  onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
};

export function hasEverRun(pod: Pod): boolean {
  if (pod.status?.phase === 'Running' || pod.status?.phase === 'Succeeded') return true;
  return containersOf(pod).some(
    ({ state, lastState, restartCount }) =>
      (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined || restartCount > 0,
  );
}
