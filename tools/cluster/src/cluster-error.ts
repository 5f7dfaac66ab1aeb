/**
 * A failure that the user can fix: its message is one sentence that says what to do. Commands print it without a stack trace and exit 1.
 */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}
