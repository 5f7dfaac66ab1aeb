/**
 * Containers that the kubelet starts again and again because they fail. Such a pod has the phase Running, in its pauses too, and counts as
 * running: without a word of it its job would look well. Between two pauses the container runs for a moment, which ends nothing.
 */
import type { ContainerStatus, KubeObject, Pod, RunPolicy } from '@muster/job-api';
import { badEndOf } from '../failures/container-end.ts';
import { errorMessage } from '../failures/error-message.ts';
import { momentOf } from '../model/moment-of.ts';
import { hasRestarter } from '../restarts/in-place.ts';

export interface CrashLoop {
  readonly pod: Pod;
  readonly container: string;
  /** How often the kubelet has started the container again; of a Job's pods that it does not, how many have failed. */
  readonly restarts: number;
  /** `exit code 1: no data`, `StartError: exec: "trian": not found`. */
  readonly lastEnd: string | undefined;
  /** When a container that runs is taken to be well. Undefined of one that does not run. */
  readonly untilMs?: number;
}

/** `RunContainerError` is the moment before the pause of a container that cannot be started. */
const IN_LOOP: ReadonlySet<string> = new Set(['CrashLoopBackOff', 'RunContainerError']);

export function isCrashLoop(reason = ''): boolean {
  return IN_LOOP.has(reason);
}

/** How long a container has to run after a failure. */
const WELL_AFTER_MS = 60_000;

/** The first failure may be the last. */
const LEAST_RESTARTS = 2;

/**
 * Undefined of a pod that has ended or is being deleted, unless its Job makes the next one.
 *
 * @param workload the Job that makes the pod
 */
export function crashLoopOf(pod: Pod | undefined, nowMs: number, workload?: KubeObject): CrashLoop | undefined {
  if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined || pod.status?.phase === 'Succeeded') return;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const containers = [...initContainerStatuses, ...containerStatuses];
  if (pod.status?.phase === 'Failed') return ofJob(pod, containers, workload);
  for (const container of containers) {
    const untilMs = inLoopUntilMs(pod, container);
    if (untilMs === undefined || untilMs <= nowMs) continue;
    const loop = { pod, container: container.name, restarts: container.restartCount, lastEnd: endOf(pod, container) };
    return untilMs === Infinity ? loop : { ...loop, untilMs };
  }
  return undefined;
}

/** `Pod p, container c keeps failing: 5 restarts; last exit code 1: no data; backoffLimit is unset: it is restarted without end`. */
export function crashLoopMessage(
  { pod, container, restarts, lastEnd }: CrashLoop,
  { backoffLimit }: Pick<RunPolicy, 'backoffLimit'>,
  isOfJob = false,
): string {
  const times = `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`;
  const last = lastEnd === undefined ? '' : `; last ${lastEnd}`;
  // A Job has a limit of its own.
  const unset = isOfJob
    ? 'backoffLimit is unset: the limit of its Job counts'
    : 'backoffLimit is unset: it is restarted without end';
  const limit = backoffLimit === undefined ? unset : `backoffLimit is ${backoffLimit}`;
  return `Pod ${pod.metadata?.name}, container ${container} keeps failing: ${times}${last}; ${limit}`;
}

/** How the container last failed, with the error that it reported. Undefined if the kubelet does not report it. */
export function lastEndOf(pod: Pod, name: string): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const container = [...initContainerStatuses, ...containerStatuses].find((each) => each.name === name);
  return container && badEndOf(pod, container) && endOf(pod, container);
}

function inLoopUntilMs(pod: Pod, container: ContainerStatus): number | undefined {
  const { state, restartCount } = container;
  if (isCrashLoop(state?.waiting?.reason)) return Infinity;
  if (restartCount < LEAST_RESTARTS || hasRestarter(pod) || badEndOf(pod, container) === undefined) return undefined;
  // The kubelet has not yet reported that the container waits.
  if (state?.terminated !== undefined && isRestarted(pod)) return Infinity;
  const startMs = state?.running && momentOf(state.running.startedAt);
  return startMs === undefined ? undefined : startMs + WELL_AFTER_MS;
}

function isRestarted({ spec }: Pod): boolean {
  return spec?.restartPolicy === 'Always' || spec?.restartPolicy === 'OnFailure';
}

/** A Job waits, longer each time, before it replaces a pod that has failed. */
function ofJob(
  pod: Pod,
  containers: readonly ContainerStatus[],
  workload: KubeObject | undefined,
): CrashLoop | undefined {
  const { status } = (workload ?? {}) as { readonly status?: { readonly failed?: number } };
  const failed = containers.find((container) => badEndOf(pod, container) !== undefined);
  if (failed === undefined || !status?.failed) return undefined;
  return { pod, container: failed.name, restarts: status.failed, lastEnd: endOf(pod, failed) };
}

function endOf(pod: Pod, container: ContainerStatus): string | undefined {
  const end = badEndOf(pod, container);
  const error = errorMessage(end?.message ?? (end === undefined ? container.state?.waiting?.message : undefined));
  const said = error === undefined ? '' : `: ${error}`;
  if (end === undefined) return error;
  const reason = end.reason === undefined || end.reason === 'Error' ? '' : ` (${end.reason})`;
  return `exit code ${end.exitCode}${reason}${said}`;
}
