/** What a kubelet would report of a pod: merge patches of its status. Nobody runs the pods of the suite. */
import type { ContainerStatus, Pod } from '@muster/job-api';

type PodStatus = NonNullable<Pod['status']>;
type ContainerState = NonNullable<ContainerStatus['state']>;

/** Later than any pod's creation and earlier than any clock that the suite puts forward. */
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

/** Of a pod whose kubelet can restart all of its containers: the one beside the program waits to have it do so. */
export function restartable(name: string, restarts = 0, exitCode?: number): PodStatus {
  const state = exitCode === undefined ? runs() : ended(exitCode);
  return {
    phase: 'Running',
    conditions: [ready(exitCode === undefined), { type: 'AllContainersRestarting', status: 'False' }],
    containerStatuses: [container(name, state, restarts), container('muster-restarter', runs(), restarts)],
  };
}

/** No node has room for the pod. */
export function unschedulable(message: string): PodStatus {
  return {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  };
}

/** The container is not started, and the kubelet says why. */
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

/** The node is short of memory: nobody saw how the container ended. */
export function evicted(): PodStatus {
  return {
    phase: 'Failed',
    reason: 'Evicted',
    message: 'The node was low on resource: memory.',
    conditions: [ready(false), disruption('TerminationByKubelet')],
    containerStatuses: [],
  };
}

/** The pod has used more disk than it may: its kubelet kills it, and does not call that a disruption. */
export function evictedForItsOwnUse(name: string): PodStatus {
  return {
    ...failed(name, 137),
    reason: 'Evicted',
    message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Gi". ',
  };
}

/** Another pod was quicker: the kubelet does not start any container. */
export function refused(): PodStatus {
  return {
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 4000, used: 2000, capacity: 4000",
    conditions: [ready(false)],
    containerStatuses: [],
  };
}

/** A scheduler needed the place: the program was told to end, and did. */
export function preempted(name: string): PodStatus {
  return {
    ...failed(name, 143),
    conditions: [ready(false), disruption('PreemptionByScheduler')],
  };
}

/** It runs on a node that is lost: the cluster is about to delete it, and no kubelet will ever say how it ended. */
export function onLostNode(name: string): PodStatus {
  return { ...running(name), conditions: [ready(false), disruption('DeletionByTaintManager')] };
}

/** Failed, and nobody knows with which code. */
export function failedUnseen(): PodStatus {
  return { phase: 'Failed', conditions: [ready(false)], containerStatuses: [] };
}

/** `main` has ended while `sidecar` runs on. */
export function heldUpBySidecar(main: string, sidecar: string, exitCode: number): PodStatus {
  return {
    phase: 'Running',
    conditions: [ready(false)],
    containerStatuses: [container(main, ended(exitCode)), container(sidecar, runs())],
  };
}

/** With its time: Kubernetes takes an old one back of a pod that nobody has deleted. */
function disruption(reason: string) {
  return { type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime: seconds() };
}

function ready(is: boolean) {
  return { type: 'Ready', status: is ? 'True' : 'False', lastTransitionTime: seconds() };
}
