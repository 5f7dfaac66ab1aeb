/**
 * How long a replica that fails again and again waits for its next pod: as long as the kubelet lets a container wait
 * (kubernetes, pkg/kubelet/kubelet.go: 10 seconds, doubled up to 5 minutes, forgotten after 10 good minutes), but for the
 * first failure, which is made good at once. Whether the program, the cluster or a node ended its pods makes no difference: what
 * goes on for ever must not go on fast.
 */
import type { Pod, RestartGroup } from '@muster/job-api';
import { momentOf } from '../model/moment-of.ts';
import { timestamp } from '../model/conditions.ts';

const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 300_000;

/** A replica whose container ran for so long starts with a first failure. */
const FORGOTTEN_AFTER_MS = 600_000;

/** @param delaySeconds what the failure policy says is the least */
export function restartDelayMs(failuresInARow: number, delaySeconds = 0): number {
  return Math.max(backOffMs(failuresInARow), delaySeconds * 1000);
}

function backOffMs(failuresInARow: number): number {
  if (failuresInARow < 2) return 0;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failuresInARow - 2));
}

/** As it stands on record: the time only if the next attempt has to wait. */
export type FailuresInARow = Pick<RestartGroup, 'failures' | 'lastFailureTime' | 'delaySeconds'>;

/**
 * For how long the container `main` ran, since its last start; in a pod where it never started, the last of the others. 0 where the pod's
 * status does not say: a pod that waited for a node, or for an image, has not run.
 */
export function ranMs({ status }: Pod, main: string, nowMs: number): number {
  const own = status?.containerStatuses?.filter(({ name }) => name === main) ?? [];
  const states = [...(status?.initContainerStatuses ?? []), ...own].map(({ state }) => state);
  const last = states.findLast((state) => (state?.terminated ?? state?.running) !== undefined);
  const startedMs = momentOf((last?.terminated ?? last?.running)?.startedAt);
  return startedMs === undefined ? 0 : (momentOf(last?.terminated?.finishedAt) ?? nowMs) - startedMs;
}

/**
 * One failure more.
 * @param before how many there were
 * @param ranForMs how long what has failed ran
 * @param delaySeconds what the failure policy says is the least time until the next attempt
 */
export function failedAgain(before: number, ranForMs: number, nowMs: number, delaySeconds = 0): FailuresInARow {
  const failures = (ranForMs >= FORGOTTEN_AFTER_MS ? 0 : before) + 1;
  return {
    failures,
    ...(restartDelayMs(failures, delaySeconds) > 0 && { lastFailureTime: timestamp(nowMs) }),
    ...(delaySeconds > 0 && { delaySeconds }),
  };
}

/** From when on there may be another attempt. A failure that lies in the future says that the clock was set back; nothing waits for that. */
export function dueAtMs({ failures = 0, lastFailureTime, delaySeconds }: FailuresInARow, nowMs: number): number {
  const failedMs = momentOf(lastFailureTime);
  return failedMs === undefined || failedMs > nowMs ? nowMs : failedMs + restartDelayMs(failures, delaySeconds);
}
