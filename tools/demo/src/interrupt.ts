/**
 * Turns Ctrl-C, SIGTERM and a closed terminal into an abort, so that the demo can clean up. A second signal ends the process at
 * once.
 */
import { InterruptedError } from '@muster/cluster';

/** One Ctrl-C arrives twice, from the terminal and from npm: a repeat within this time is ignored. */
const SAME_SIGNAL_MS = 1000;

/** @param say prints a line: after the first signal, and after the second */
export function catchInterrupts(say: (line: string) => void): AbortSignal {
  const controller = new AbortController();
  let abortedAt: number | undefined;
  const abort = (name: NodeJS.Signals) => {
    abortedAt = performance.now();
    say('Stopping, and removing what this run started. Press Ctrl-C again to exit at once.');
    controller.abort(new InterruptedError(name));
  };
  const onSignal = (name: NodeJS.Signals) => {
    if (abortedAt === undefined) return abort(name);
    if (performance.now() - abortedAt < SAME_SIGNAL_MS) return;
    say('Exiting without clean-up. To clean up, run npm start again, or npx muster cluster down --name demo.');
    process.exit(new InterruptedError(name).exitCode);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  // If the reader is gone (`npm start | head`, a closed window), every further write fails.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      if (abortedAt === undefined) abort('SIGHUP');
    });
  }
  return controller.signal;
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted; the work then continues unobserved. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
