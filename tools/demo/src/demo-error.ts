/** An error that the user can correct: one message, without a stack trace, and exit code 1. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}
