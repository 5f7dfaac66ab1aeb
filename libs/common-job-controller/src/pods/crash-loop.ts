/** Containers that the kubelet restarts repeatedly because they fail. Their pod is Running, also in the back-off: the job looks healthy. */
import {
  containersOf,
  type ContainerStatus,
  type KubeObject,
  momentOf,
  type Pod,
  type RunPolicy,
} from '@muster/job-api';
import { badEndOf, failedContainer } from './container-end.ts';
import { errorOf } from '@muster/program-output';
import { controllerOf } from '../model/ownership.ts';
import { ageOf, type StateAges } from '../model/state-ages.ts';
import { hasRestarter } from './in-place.ts';

export interface CrashLoop {
  readonly pod: Pod;
  /** Undefined while the newest pod of a Job has not failed. */
  readonly container?: ContainerStatus;
  readonly restarts?: number;
  readonly failedPods?: number;
  /** In how many milliseconds a running container counts as healthy, without an event. Undefined if it does not run. */
  readonly leftMs?: number;
}

interface Now {
  readonly nowMs: number;
  /** Undefined: use the timestamps in the statuses. */
  readonly stateAges?: StateAges;
}

/** `RunContainerError` precedes the back-off of a container that cannot be started. */
const IN_LOOP: ReadonlySet<string> = new Set(['CrashLoopBackOff', 'RunContainerError']);

export function isCrashLoop(reason = ''): boolean {
  return IN_LOOP.has(reason);
}

const HEALTHY_AFTER_MS = 60_000;

/** Tolerated clock difference. Whatever started earlier is old, also for an operator that has just started. */
const MOST_CLOCK_DIFFERENCE_MS = 300_000;

const LEAST_FAILURES = 2;

/** Undefined for a pod that has ended or is being deleted, unless its Job creates the next one. `workload`: that Job. */
export function crashLoopOf(pod: Pod | undefined, now: Now, workload?: KubeObject): CrashLoop | undefined {
  if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined || pod.status?.phase === 'Succeeded') return;
  if (pod.status?.phase !== 'Failed') {
    for (const container of containersOf(pod)) {
      const leftMs = loopLeftMs(pod, container, now);
      if (leftMs === undefined || leftMs <= 0) continue;
      return { pod, container, restarts: container.restartCount, ...(leftMs < Infinity && { leftMs }) };
    }
  }
  const { status: { failed: failedPods = 0 } = {} } = (workload ?? {}) as { status?: { readonly failed?: number } };
  return failedPods < LEAST_FAILURES ? undefined : ofJob({ pod, failedPods }, now);
}

export function loopStates(pod: Pod): string[] {
  if (pod.metadata?.deletionTimestamp !== undefined || hasRestarter(pod)) return [];
  const states = containersOf(pod)
    .filter(({ state, restartCount }) => state?.running !== undefined && restartCount > 0)
    .map((container) => runOf(pod, container));
  return controllerOf(pod)?.kind === 'Job' ? [...states, creationOf(pod)] : states;
}

/** `Pod p, container c keeps failing: 5 restarts; last exit code 1: no data; backoffLimit is unset: …`. Of a Job: `failed 5 times`. */
export function crashLoopMessage(
  { pod, container, restarts, failedPods }: CrashLoop,
  { backoffLimit }: Pick<RunPolicy, 'backoffLimit'>,
  limits: Limits = {},
): string {
  const times =
    failedPods === undefined ? `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}` : `failed ${failedPods} times`;
  const lastEnd = container && endOf(pod, container);
  const last = lastEnd === undefined ? '' : `; last ${lastEnd}`;
  const what = container === undefined ? '' : `, container ${container.name}`;
  return `Pod ${pod.metadata?.name}${what} keeps failing: ${times}${last}; ${restartLimit(backoffLimit, limits)}`;
}

/** What else than `backoffLimit` may limit the restarts. */
interface Limits {
  /** A Job has a limit of its own. */
  readonly isOfJob?: boolean;
  /** Default: true. */
  readonly hasBackoffLimit?: boolean | undefined;
}

export function restartLimit(
  backoffLimit: number | undefined,
  { isOfJob = false, hasBackoffLimit = true }: Limits,
): string {
  if (backoffLimit !== undefined) return `backoffLimit is ${backoffLimit}`;
  const unset = hasBackoffLimit ? 'backoffLimit is unset: ' : '';
  return `${unset}${isOfJob ? 'the limit of its Job applies' : 'restarts are unlimited'}`;
}

export function lastEndOf(pod: Pod, container: ContainerStatus): string | undefined {
  return badEndOf(pod, container) && endOf(pod, container);
}

function loopLeftMs(pod: Pod, container: ContainerStatus, now: Now): number | undefined {
  const { state, restartCount } = container;
  if (isCrashLoop(state?.waiting?.reason)) return Infinity;
  if (restartCount < LEAST_FAILURES || hasRestarter(pod) || badEndOf(pod, container) === undefined) return undefined;
  // The kubelet has not reported the back-off yet.
  if (state?.terminated !== undefined) return isRestarted(pod, container) ? Infinity : undefined;
  return healthyInMs(state?.running?.startedAt, runOf(pod, container), now);
}

function isRestarted({ spec, status }: Pod, container: ContainerStatus): boolean {
  const hasFailed = container.state?.terminated?.exitCode !== 0;
  if (spec?.restartPolicy === 'OnFailure') return hasFailed;
  return spec?.restartPolicy === 'Always' && (hasFailed || status?.containerStatuses?.includes(container) === true);
}

/** Time until something that started at `start` is old. Undefined if it is old, or if its start is unknown. */
function healthyInMs(start: string | undefined, state: string, { nowMs, stateAges }: Now): number | undefined {
  const startMs = momentOf(start);
  if (startMs === undefined) return undefined;
  const byTimes = startMs + HEALTHY_AFTER_MS - nowMs;
  if (stateAges === undefined) return byTimes;
  return byTimes + MOST_CLOCK_DIFFERENCE_MS <= 0 ? undefined : HEALTHY_AFTER_MS - ageOf(stateAges, state);
}

export function runOf({ metadata }: Pod, { name, restartCount }: ContainerStatus): string {
  return `run ${restartCount} of ${name} in ${metadata?.uid}`;
}

function creationOf({ metadata }: Pod): string {
  return `creation of ${metadata?.uid}`;
}

/** A Job's back-off before it replaces a failed pod grows. So a new pod is not healthy at once. */
function ofJob(loop: Required<Pick<CrashLoop, 'pod' | 'failedPods'>>, now: Now): CrashLoop | undefined {
  const { pod } = loop;
  if (pod.status?.phase !== 'Failed') {
    const leftMs = healthyInMs(pod.metadata?.creationTimestamp, creationOf(pod), now);
    return leftMs === undefined || leftMs <= 0 ? undefined : { ...loop, leftMs };
  }
  const container = failedContainer(pod);
  return container && { ...loop, container };
}

function endOf(pod: Pod, container: ContainerStatus): string | undefined {
  const end = badEndOf(pod, container);
  const error = errorOf(end ?? container.state?.waiting ?? {});
  const errorText = error === undefined ? '' : `: ${error}`;
  if (end === undefined) return error;
  const reason = end.reason === undefined || end.reason === 'Error' ? '' : ` (${end.reason})`;
  return `exit code ${end.exitCode}${reason}${errorText}`;
}
