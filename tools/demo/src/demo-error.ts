/** A failure that the person at the terminal can act on: one message, without a stack trace, and exit status 1. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}
