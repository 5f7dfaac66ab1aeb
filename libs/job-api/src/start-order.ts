/** `spec.runPolicy.startOrder`: which role waits for which, in the words of a JobSet's `dependsOn`. */
import * as z from 'zod';
import { withRules, type Rule } from './rule.ts';
import { port } from './scalars.ts';

const STARTED_STATUSES = ['Running', 'Ready'] as const;

const initContainerSchema = z
  .object({
    timeoutSeconds: z
      .int32()
      .min(1)
      .describe('After how many seconds it fails. One for each role in dependsOn, one after the other. Default 300.')
      .exactOptional(),
    port: port()
      .describe("The port on which the pods in dependsOn answer. Default: the framework's own port.")
      .exactOptional(),
  })
  .describe(
    'The pods of the role are made at once, and an init container in each waits until all pods in dependsOn (of an elastic role its ' +
      'minimum) answer on a port. Not together with status.',
  );

/** What the role named in it waits for. */
interface StartOrderEntry {
  role: string;
  dependsOn: string[];
  status?: (typeof STARTED_STATUSES)[number];
  initContainer?: z.output<typeof initContainerSchema>;
}

const NOT_BOTH: Rule<StartOrderEntry> = {
  cel: '!has(self.initContainer) || !has(self.status)',
  holds: ({ initContainer, status }) => initContainer === undefined || status === undefined,
  message: 'remove it: an init container waits until the port answers, whatever the status of the pod',
  reason: 'FieldValueForbidden',
  at: ['status'],
};

/**
 * Of a kind with these roles.
 *
 * @param waitsInPods whether its pods have a port of the framework, on which others can wait for them
 */
export function startOrderSchema(roles: readonly string[], waitsInPods: boolean) {
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
  const whole: z.ZodType<StartOrderEntry> = waitsInPods
    ? withRules(entry.extend({ initContainer: initContainerSchema.exactOptional() }), [NOT_BOTH])
    : entry;
  return withRules(z.array(whole).min(1).max(roles.length), [
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
    `Roles whose pods are made only when others are so far${waitsInPods ? ', or wait for others in an init container' : ''}. It replaces ` +
      "the framework's order of the roles that it names, and no gang waits for pods that are made later.",
  );
}

export type StartOrder = z.output<ReturnType<typeof startOrderSchema>>;
