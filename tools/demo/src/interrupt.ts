/**
 * Turns Ctrl-C, SIGTERM and a closed terminal into an abort, so that the demo can clean up. A second wish ends the
 * process at once.
 */
import { InterruptedError } from '@muster/cluster';

/** One Ctrl-C arrives twice, from the terminal and again from npm: a repeat this soon is not a second wish. */
const SAME_SIGNAL_MS = 1000;

/** @param say tells the person; once when the first signal has arrived, once when the second ends everything */
export function catchInterrupts(say: (line: string) => void): AbortSignal {
  const controller = new AbortController();
  let askedAt: number | undefined;
  const ask = (name: NodeJS.Signals) => {
    askedAt = performance.now();
    say('Stopping: what this run has started is being removed. Ctrl-C again leaves at once.');
    controller.abort(new InterruptedError(name));
  };
  const onSignal = (name: NodeJS.Signals) => {
    if (askedAt === undefined) return ask(name);
    if (performance.now() - askedAt < SAME_SIGNAL_MS) return;
    say('Left at once: the next npm start, or npx muster cluster down --name demo, removes what is left.');
    process.exit(new InterruptedError(name).exitCode);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  // A reader that has gone away (`npm start | head`, a closed window) wants no more, and every further line fails again.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      if (askedAt === undefined) ask('SIGHUP');
    });
  }
  return controller.signal;
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted; the work then goes on unheard. */
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
