/** Node fires a timer of more than 24.8 days at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Supports any delay. Returns the function that cancels the timer. @param isBackground the process may end before */
export function setLongTimer(delayMs: number, run: () => void, { isBackground = false } = {}): () => void {
  let remainingMs = Math.max(0, delayMs);
  let timeout: NodeJS.Timeout;
  const arm = (): void => {
    const stepMs = Math.min(remainingMs, LONGEST_TIMEOUT_MS);
    remainingMs -= stepMs;
    timeout = setTimeout(remainingMs > 0 ? arm : run, stepMs);
    if (isBackground) timeout.unref();
  };
  arm();
  return () => clearTimeout(timeout);
}
