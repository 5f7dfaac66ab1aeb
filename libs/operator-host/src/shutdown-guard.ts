/**
 * Makes sure that a process which was told to stop does stop: a drain that overruns its time is cut, and a second
 * signal ends the process at once.
 */
import type { Logger } from '@muster/kube';

/** How long after the drain's own deadline the rest of the shutdown may take. */
const GRACE_MS = 2000;
/**
 * One Ctrl-C can arrive more than once: from the terminal, from npm, and half a second later because npm's shell has
 * ended. A repeat this soon is not a second wish.
 */
const SAME_SIGNAL_MS = 2000;

export function guardShutdown(shutdownTimeoutMs: number, logger: Logger): void {
  let askedAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      logger.info('shutting down', { signal });
      setTimeout(() => {
        logger.error('the shutdown did not end in time: exiting', { shutdownTimeoutMs });
        process.exit(1);
      }, shutdownTimeoutMs + GRACE_MS).unref();
    } else if (performance.now() - askedAt > SAME_SIGNAL_MS) {
      logger.warn('second signal: exiting without draining', { signal });
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
