/** An error that the user can correct. The message contains advice. */
export class DashboardsError extends Error {
  override readonly name = 'DashboardsError';
}
