/**
 * Containers that the kubelet starts again and again because they fail. Such a pod has the phase Running, in its pauses too, and counts as
 * running: without a word of it its job would look well. Between two pauses the container runs for a moment, which ends nothing.
 */
import type { ContainerStatus, KubeObject, Pod, RunPolicy } from '@muster/job-api';
import { badEndOf } from './container-end.ts';
import { errorOf } from '../program-output/error-message.ts';
import { momentOf } from '../model/moment-of.ts';
import { controllerOf } from '../model/ownership.ts';
import { ageOf, type StateAges } from '../model/state-ages.ts';
import { hasRestarter } from './in-place.ts';

export interface CrashLoop {
  readonly pod: Pod;
  /** Undefined while the newest pod of a Job has not failed. */
  readonly container?: ContainerStatus;
  /** How often the kubelet has started the container again. */
  readonly restarts?: number;
  /** How many pods of a Job have failed. */
  readonly failedPods?: number;
  /** In how long a container that runs is taken to be well. Infinity or undefined of one that does not run. */
  readonly leftMs?: number;
}

interface Now {
  readonly nowMs: number;
  /** Undefined: by the times in the statuses. */
  readonly stateAges?: StateAges;
}

/** `RunContainerError` is the moment before the pause of a container that cannot be started. */
const IN_LOOP: ReadonlySet<string> = new Set(['CrashLoopBackOff', 'RunContainerError']);

export function isCrashLoop(reason = ''): boolean {
  return IN_LOOP.has(reason);
}

/** How long a container has to run after a failure. */
const WELL_AFTER_MS = 60_000;

/** By so much clocks may differ. What began earlier than that is old, also for an operator that has just started. */
const MOST_CLOCK_DIFFERENCE_MS = 300_000;

/** The first failure may be the last. */
const LEAST_FAILURES = 2;

/**
 * Undefined of a pod that has ended or is being deleted, unless its Job makes the next one.
 *
 * @param workload the Job that makes the pod
 */
export function crashLoopOf(pod: Pod | undefined, now: Now, workload?: KubeObject): CrashLoop | undefined {
  if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined || pod.status?.phase === 'Succeeded') return;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const each = [
    ...initContainerStatuses.map((container) => ({ container, isInit: true })),
    ...containerStatuses.map((container) => ({ container, isInit: false })),
  ];
  if (pod.status?.phase !== 'Failed') {
    for (const { container, isInit } of each) {
      const leftMs = loopLeftMs(pod, container, isInit, now);
      if (leftMs === undefined || leftMs <= 0) continue;
      return { pod, container, restarts: container.restartCount, leftMs };
    }
  }
  const { status } = (workload ?? {}) as { readonly status?: { readonly failed?: number } };
  const { failed: failedPods = 0 } = status ?? {};
  return failedPods < LEAST_FAILURES ? undefined : ofJob({ pod, failedPods }, now);
}

/** The states that `crashLoopOf` and `waitingPeers` look up. */
export function loopStates(pod: Pod): string[] {
  if (pod.metadata?.deletionTimestamp !== undefined || hasRestarter(pod)) return [];
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const runs = [...initContainerStatuses, ...containerStatuses].filter(
    ({ state, restartCount }) => state?.running !== undefined && restartCount > 0,
  );
  const states = runs.map((container) => runOf(pod, container));
  return controllerOf(pod)?.kind === 'Job' ? [...states, creationOf(pod)] : states;
}

/**
 * `Pod p, container c keeps failing: 5 restarts; last exit code 1: no data; backoffLimit is unset: it is restarted without end`. Of a Job that
 * replaces its pods `failed 5 times`.
 */
export function crashLoopMessage(
  { pod, container, restarts, failedPods }: CrashLoop,
  { backoffLimit }: Pick<RunPolicy, 'backoffLimit'>,
  limits: Limits = {},
): string {
  const times =
    failedPods === undefined ? `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}` : `failed ${failedPods} times`;
  const lastEnd = container && endOf(pod, container);
  const last = lastEnd === undefined ? '' : `; last ${lastEnd}`;
  const what =
    container === undefined ? `Pod ${pod.metadata?.name}` : `Pod ${pod.metadata?.name}, container ${container.name}`;
  return `${what} keeps failing: ${times}${last}; ${restartLimit(backoffLimit, limits)}`;
}

/** What else than `backoffLimit` may limit the restarts. */
interface Limits {
  /** A Job has a limit of its own. */
  readonly isOfJob?: boolean;
  /** Default: true. */
  readonly hasBackoffLimit?: boolean | undefined;
}

/** Which limit of restarts applies, for people. */
export function restartLimit(
  backoffLimit: number | undefined,
  { isOfJob = false, hasBackoffLimit = true }: Limits,
): string {
  if (backoffLimit !== undefined) return `backoffLimit is ${backoffLimit}`;
  const unset = hasBackoffLimit ? 'backoffLimit is unset: ' : '';
  return `${unset}${isOfJob ? 'the limit of its Job counts' : 'it is restarted without end'}`;
}

/** How the container last failed, with the error that it reported. Undefined if the kubelet does not report it. */
export function lastEndOf(pod: Pod, name: string): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const container = [...initContainerStatuses, ...containerStatuses].find((each) => each.name === name);
  return container && badEndOf(pod, container) && endOf(pod, container);
}

function loopLeftMs(pod: Pod, container: ContainerStatus, isInit: boolean, now: Now): number | undefined {
  const { state, restartCount } = container;
  if (isCrashLoop(state?.waiting?.reason)) return Infinity;
  if (restartCount < LEAST_FAILURES || hasRestarter(pod) || badEndOf(pod, container) === undefined) return undefined;
  // The kubelet has not yet reported that the container waits.
  if (state?.terminated !== undefined)
    return isRestartedAfter(pod, state.terminated.exitCode, isInit) ? Infinity : undefined;
  return youthMs(state?.running?.startedAt, runOf(pod, container), now);
}

function isRestartedAfter({ spec }: Pod, exitCode: number, isInit: boolean): boolean {
  if (spec?.restartPolicy === 'Always') return exitCode !== 0 || !isInit;
  return spec?.restartPolicy === 'OnFailure' && exitCode !== 0;
}

/** For how long what began at `start` is young yet. Undefined if nobody has reported when that was, and of what is old. */
function youthMs(start: string | undefined, state: string, { nowMs, stateAges }: Now): number | undefined {
  const startMs = momentOf(start);
  if (startMs === undefined) return undefined;
  const byTimes = startMs + WELL_AFTER_MS - nowMs;
  if (stateAges === undefined) return byTimes;
  return byTimes + MOST_CLOCK_DIFFERENCE_MS <= 0 ? undefined : WELL_AFTER_MS - ageOf(stateAges, state);
}

/** That a container runs, since its last restart. */
export function runOf({ metadata }: Pod, { name, restartCount }: ContainerStatus): string {
  return `run ${restartCount} of ${name} in ${metadata?.uid}`;
}

function creationOf({ metadata }: Pod): string {
  return `creation of ${metadata?.uid}`;
}

/** A Job waits, longer each time, before it replaces a pod that has failed. The next one is not taken to be well at once. */
function ofJob(loop: Required<Pick<CrashLoop, 'pod' | 'failedPods'>>, now: Now): CrashLoop | undefined {
  const { pod } = loop;
  if (pod.status?.phase !== 'Failed') {
    const leftMs = youthMs(pod.metadata?.creationTimestamp, creationOf(pod), now);
    return leftMs === undefined || leftMs <= 0 ? undefined : { ...loop, leftMs };
  }
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
  const container = [...initContainerStatuses, ...containerStatuses].find((each) => badEndOf(pod, each) !== undefined);
  return container && { ...loop, container };
}

function endOf(pod: Pod, container: ContainerStatus): string | undefined {
  const end = badEndOf(pod, container);
  const error = errorOf(end ?? container.state?.waiting ?? {});
  const said = error === undefined ? '' : `: ${error}`;
  if (end === undefined) return error;
  const reason = end.reason === undefined || end.reason === 'Error' ? '' : ` (${end.reason})`;
  return `exit code ${end.exitCode}${reason}${said}`;
}
