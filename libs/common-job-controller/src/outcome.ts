/** What frameworks' outcome rules have in common. */
import type { RoleTally } from './adapter.ts';

/** The first role, in the job's order, of which replicas failed for good. */
export function failedRole(tallies: readonly RoleTally[]): RoleTally | undefined {
  return tallies.find(({ failed }) => failed > 0);
}
