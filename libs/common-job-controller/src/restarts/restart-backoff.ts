/**
 * The delay before the next pod of a replica that fails repeatedly. It is the kubelet's back-off for containers
 * (kubernetes, pkg/kubelet/kubelet.go: 10 seconds, doubled up to 5 minutes, reset after 10 minutes of running), but the
 * first failure is restarted at once. Disruptions are delayed like failures, so that no endless loop is fast.
 */
import type { Pod, RestartGroup } from '@muster/job-api';
import { momentOf } from '../model/moment-of.ts';
import { timestamp } from '../model/conditions.ts';

const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 300_000;

/** After a run of this length, the next failure counts as the first. */
const FORGOTTEN_AFTER_MS = 600_000;

/** @param delaySeconds the failure policy's minimum */
export function restartDelayMs(failuresInARow: number, delaySeconds = 0): number {
  return Math.max(backOffMs(failuresInARow), delaySeconds * 1000);
}

function backOffMs(failuresInARow: number): number {
  if (failuresInARow < 2) return 0;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failuresInARow - 2));
}

/** As recorded in the status. `lastFailureTime` is only set if the next attempt is delayed. */
export type FailuresInARow = Pick<RestartGroup, 'failures' | 'lastFailureTime' | 'delaySeconds'>;

/**
 * How long the main container has run since its last start. If it never started, the last init container's time. 0 if
 * the status shows no start, e.g. while the pod waited for a node or an image.
 */
export function ranMs({ status }: Pod, main: string, nowMs: number): number {
  const own = status?.containerStatuses?.filter(({ name }) => name === main) ?? [];
  const states = [...(status?.initContainerStatuses ?? []), ...own].map(({ state }) => state);
  const last = states.findLast((state) => (state?.terminated ?? state?.running) !== undefined);
  const startedMs = momentOf((last?.terminated ?? last?.running)?.startedAt);
  return startedMs === undefined ? 0 : (momentOf(last?.terminated?.finishedAt) ?? nowMs) - startedMs;
}

/**
 * Adds one failure.
 * @param before number of earlier failures
 * @param ranForMs how long the failed pod ran
 * @param delaySeconds the failure policy's minimum delay
 */
export function failedAgain(before: number, ranForMs: number, nowMs: number, delaySeconds = 0): FailuresInARow {
  const failures = (ranForMs >= FORGOTTEN_AFTER_MS ? 0 : before) + 1;
  return {
    failures,
    ...(restartDelayMs(failures, delaySeconds) > 0 && { lastFailureTime: timestamp(nowMs) }),
    ...(delaySeconds > 0 && { delaySeconds }),
  };
}

/**
 * The earliest time of the next attempt. A failure time in the future means that the clock was set back, and is
 * ignored.
 */
export function dueAtMs({ failures = 0, lastFailureTime, delaySeconds }: FailuresInARow, nowMs: number): number {
  const failedMs = momentOf(lastFailureTime);
  return failedMs === undefined || failedMs > nowMs ? nowMs : failedMs + restartDelayMs(failures, delaySeconds);
}
