/**
 * The kubelet's back-off for containers (kubernetes, pkg/kubelet/kubelet.go: 10 seconds, doubled up to 5 minutes, reset after 10 minutes of
 * running), except that the first failure is restarted at once. Disruptions are delayed like failures, so that no endless loop is fast.
 */
import { containerNamed, momentOf, type Pod, type RestartGroup, timestamp } from '@muster/job-api';
import { defined } from '../model/defined.ts';

const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 300_000;

/** After a run of this length, the next failure counts as the first. */
const FORGOTTEN_AFTER_MS = 600_000;

/** @param delaySeconds the failure policy's minimum */
export function restartDelayMs(failuresInARow: number, delaySeconds = 0): number {
  const backOffMs = failuresInARow < 2 ? 0 : FIRST_DELAY_MS * 2 ** (failuresInARow - 2);
  return Math.max(Math.min(LONGEST_DELAY_MS, backOffMs), delaySeconds * 1000);
}

/** `lastFailureTime` is only set if the next attempt is delayed. */
export type FailuresInARow = Pick<RestartGroup, 'failures' | 'lastFailureTime' | 'delaySeconds'>;

export function failuresIn({ failures, lastFailureTime, delaySeconds }: FailuresInARow): FailuresInARow {
  return defined({ failures, lastFailureTime, delaySeconds });
}

/** Since the last start of the main container, or of the last init container if it never started. Else 0. */
export function ranMs(pod: Pod, main: string, nowMs: number): number {
  const last = [...(pod.status?.initContainerStatuses ?? []), containerNamed(main, pod)]
    .map((container) => container?.state)
    .findLast((state) => (state?.terminated ?? state?.running) !== undefined);
  const startedMs = momentOf((last?.terminated ?? last?.running)?.startedAt);
  return startedMs === undefined ? 0 : (momentOf(last?.terminated?.finishedAt) ?? nowMs) - startedMs;
}

export function failedAgain(before: number, ranForMs: number, nowMs: number, delaySeconds = 0): FailuresInARow {
  const failures = (ranForMs >= FORGOTTEN_AFTER_MS ? 0 : before) + 1;
  return {
    failures,
    ...(restartDelayMs(failures, delaySeconds) > 0 && { lastFailureTime: timestamp(nowMs) }),
    ...(delaySeconds > 0 && { delaySeconds }),
  };
}

/** A failure time in the future means that the clock was set back, and is ignored. */
export function dueAtMs({ failures = 0, lastFailureTime, delaySeconds }: FailuresInARow, nowMs: number): number {
  const failedMs = momentOf(lastFailureTime);
  return failedMs === undefined || failedMs > nowMs ? nowMs : failedMs + restartDelayMs(failures, delaySeconds);
}
