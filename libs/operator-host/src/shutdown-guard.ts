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

export interface GuardedShutdown {
  /** The drain's own deadline. */
  readonly timeoutMs: number;
  /** What is not over yet, for the log. */
  readonly waitingFor: () => string;
  readonly logger: Logger;
}

export function guardShutdown({ timeoutMs, waitingFor, logger }: GuardedShutdown): void {
  let askedAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      logger.info('shutting down', { signal });
      setTimeout(() => {
        const fields = { shutdownTimeoutMs: timeoutMs, waitingFor: waitingFor() };
        logger.error('the shutdown did not end in time: exiting', fields);
        process.exit(1);
      }, timeoutMs + GRACE_MS).unref();
    } else if (performance.now() - askedAt > SAME_SIGNAL_MS) {
      logger.warn('second signal: exiting without draining', { signal });
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
