/** `spec.runPolicy.startOrder`: which role waits for which, in the words of a JobSet's `dependsOn`. */
import * as z from 'zod';
import { withRules } from './rule.ts';

const STARTED_STATUSES = ['Running', 'Ready'] as const;

/** Of a kind with these roles. */
export function startOrderSchema(roles: readonly string[]) {
  // What a rule costs is reckoned by the longest string that there may be.
  const maxLength = Math.max(...roles.map((name) => name.length));
  const role = z.enum(roles as [string, ...string[]]).meta({ maxLength });
  const places = JSON.stringify([...roles.keys()]);
  const entry = z.object({
    role: role.describe('The role that waits.'),
    dependsOn: z
      .array(role)
      .min(1)
      .max(roles.length)
      .describe('The roles that it waits for: all replicas, or the elastic minimum.'),
    status: z.enum(STARTED_STATUSES).describe('What they have to be. Default Running.').exactOptional(),
  });
  return withRules(z.array(entry).min(1).max(roles.length), [
    {
      cel: 'self.all(a, self.exists_one(b, a.role == b.role))',
      holds: (self) => new Set(self.map((each) => each.role)).size === self.length,
      message: 'a role is named twice: keep one entry',
    },
    {
      cel: `${places}.all(i, i >= self.size() || ${places}.all(j, j < i || j >= self.size() || !(self[j].role in self[i].dependsOn)))`,
      holds: (self) =>
        self.every(({ dependsOn }, at) => self.slice(at).every((later) => !dependsOn.includes(later.role))),
      message: 'a role depends on itself or on one listed later: list each after those that it depends on',
    },
  ]).describe(
    "Roles whose pods are made only when others are so far. It replaces the framework's order of the roles that it names, and no gang " +
      'waits for them.',
  );
}

export type StartOrder = z.output<ReturnType<typeof startOrderSchema>>;
