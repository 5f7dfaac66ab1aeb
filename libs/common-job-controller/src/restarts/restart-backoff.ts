/**
 * How long a replica that fails again and again waits for its next pod: as long as the kubelet lets a container wait
 * (kubernetes, pkg/kubelet/kubelet.go: 10 seconds, doubled up to 5 minutes, forgotten after 10 good minutes), but for the
 * first failure, which is made good at once. Whether the program, the cluster or a node ended its pods makes no difference: what
 * goes on for ever must not go on fast.
 */
const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 300_000;

/** A replica that ran for so long has not failed again, but anew. */
export const FORGOTTEN_AFTER_MS = 600_000;

export function restartDelayMs(failuresInARow: number): number {
  if (failuresInARow < 2) return 0;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failuresInARow - 2, 20));
}
