/** An error that a retry cannot fix. It is logged and counted, and the key waits for the next change of its object. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
