/** Status patches that a kubelet would write. The suite's pods do not run. */
import type { ContainerStatus, Pod } from '@muster/job-api';

type PodStatus = NonNullable<Pod['status']>;
type ContainerState = NonNullable<ContainerStatus['state']>;

/** Later than any pod's creation and earlier than any clock that the suite advances. */
const seconds = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

function container(name: string, state: ContainerState, restartCount = 0): ContainerStatus {
  const isRunning = state.running !== undefined;
  return { name, image: 'registry.example/train:1', imageID: 'sha256:0', ready: isRunning, restartCount, state };
}

const runs = (): ContainerState => ({ running: { startedAt: seconds() } });

function ended(exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error', message = ''): ContainerState {
  const at = seconds();
  return { terminated: { exitCode, reason, startedAt: at, finishedAt: at, ...(message !== '' && { message }) } };
}

export function running(name: string, restartCount = 0): PodStatus {
  return { phase: 'Running', conditions: [ready(true)], containerStatuses: [container(name, runs(), restartCount)] };
}

/** A pod whose containers the kubelet can restart together: the container beside the program triggers that. */
export function restartable(name: string, restarts = 0, exitCode?: number): PodStatus {
  const state = exitCode === undefined ? runs() : ended(exitCode);
  return {
    phase: 'Running',
    conditions: [ready(exitCode === undefined), { type: 'AllContainersRestarting', status: 'False' }],
    containerStatuses: [container(name, state, restarts), container('muster-restarter', runs(), restarts)],
  };
}

export function unschedulable(message: string): PodStatus {
  return {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  };
}

/** The container does not start, for a reason that the kubelet reports. */
export function waiting(name: string, reason: string, message: string): PodStatus {
  return {
    phase: 'Pending',
    conditions: [ready(false)],
    containerStatuses: [container(name, { waiting: { reason, message } })],
  };
}

export function succeeded(name: string): PodStatus {
  return { phase: 'Succeeded', conditions: [ready(false)], containerStatuses: [container(name, ended(0))] };
}

export function failed(name: string, exitCode: number, reason?: string, message?: string): PodStatus {
  const state = ended(exitCode, reason, message);
  return { phase: 'Failed', conditions: [ready(false)], containerStatuses: [container(name, state)] };
}

/** The node is short of memory; the exit code is unknown. */
export function evicted(): PodStatus {
  return {
    phase: 'Failed',
    reason: 'Evicted',
    message: 'The node was low on resource: memory.',
    conditions: [ready(false), disruption('TerminationByKubelet')],
    containerStatuses: [],
  };
}

/** The pod has exceeded its disk limit: the kubelet kills it, without a disruption condition. */
export function evictedForItsOwnUse(name: string): PodStatus {
  return {
    ...failed(name, 137),
    reason: 'Evicted',
    message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Gi". ',
  };
}

/** The kubelet rejects the pod, because another one took the resources. */
export function refused(): PodStatus {
  return {
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 4000, used: 2000, capacity: 4000",
    conditions: [ready(false)],
    containerStatuses: [],
  };
}

/** Preempted by the scheduler: the program was ended by SIGTERM. */
export function preempted(name: string): PodStatus {
  return {
    ...failed(name, 143),
    conditions: [ready(false), disruption('PreemptionByScheduler')],
  };
}

/** On a lost node: the cluster is about to delete the pod, and no kubelet will report its end. */
export function onLostNode(name: string): PodStatus {
  return { ...running(name), conditions: [ready(false), disruption('DeletionByTaintManager')] };
}

export function failedUnseen(): PodStatus {
  return { phase: 'Failed', conditions: [ready(false)], containerStatuses: [] };
}

export function heldUpBySidecar(main: string, sidecar: string, exitCode: number): PodStatus {
  return {
    phase: 'Running',
    conditions: [ready(false)],
    containerStatuses: [container(main, ended(exitCode)), container(sidecar, runs())],
  };
}

/** With a time: Kubernetes resets an old condition of a pod that is not being deleted. */
function disruption(reason: string) {
  return { type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime: seconds() };
}

function ready(is: boolean) {
  return { type: 'Ready', status: is ? 'True' : 'False', lastTransitionTime: seconds() };
}
