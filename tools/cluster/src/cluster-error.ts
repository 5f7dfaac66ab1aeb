/** A failure the user can act on: the message is one sentence that says what to do, so commands print it without a stack trace and exit 1. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}
