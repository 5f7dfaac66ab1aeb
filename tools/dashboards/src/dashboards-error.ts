/** Something that the person who runs the command can mend; the message says how. */
export class DashboardsError extends Error {
  override readonly name = 'DashboardsError';
}
