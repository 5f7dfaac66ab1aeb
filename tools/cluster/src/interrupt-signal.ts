/**
 * Turns SIGINT and SIGTERM into an abort while it is in scope (`using interrupt = interruptSignal()`), so that work can clean up before the
 * process ends. A second signal ends the process at once, as without this.
 */
export function interruptSignal(): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const abort = (name: NodeJS.Signals) => {
    release();
    controller.abort(new InterruptedError(name));
  };
  const release = () => {
    process.off('SIGINT', abort);
    process.off('SIGTERM', abort);
  };
  process.on('SIGINT', abort);
  process.on('SIGTERM', abort);
  return { signal: controller.signal, [Symbol.dispose]: release };
}

/** The reason of an abort by a signal. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  /** The exit code that a shell reports for a process ended by this signal. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals;

  /** @param state the result of the interruption, as the rest of a sentence */
  constructor(signal: NodeJS.Signals, state = 'what was started has been removed.') {
    super(`Interrupted by ${signal}; ${state}`);
    this.signal = signal;
    this.exitCode = signal === 'SIGINT' ? 130 : 143;
  }
}
