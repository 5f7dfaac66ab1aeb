/** `spec.runPolicy.startOrder`: dependencies between roles, modelled on `dependsOn` of a JobSet. */
import * as z from 'zod';
import { withRules, type Rule } from './rule.ts';
import { port } from './scalars.ts';

const STARTED_STATUSES = ['Running', 'Ready'] as const;

const initContainerSchema = z
  .object({
    timeoutSeconds: z
      .int32()
      .min(1)
      .describe(
        'Seconds after which an init container fails. There is one for each role in dependsOn, one after the ' +
          'other. Default 300.',
      )
      .exactOptional(),
    port: port()
      .describe("Port on which the pods in dependsOn answer. Default: the framework's own port.")
      .exactOptional(),
  })
  .describe(
    'The pods of the role are created at once, and an init container waits until all pods in dependsOn answer ' +
      'on a port (for an elastic role: its minimum). Cannot be combined with status.',
  );

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
 * @param waitsInPods whether the pods of the kind have a port of the framework, on which other pods can wait for them
 */
export function startOrderSchema(roles: readonly string[], waitsInPods: boolean) {
  // The API server estimates the cost of a rule by the maximum length of strings.
  const maxLength = Math.max(...roles.map((name) => name.length));
  const role = z.enum(roles as [string, ...string[]]).meta({ maxLength });
  const places = JSON.stringify([...roles.keys()]);
  const entry = z.object({
    role: role.describe('Role that waits.'),
    dependsOn: z
      .array(role)
      .min(1)
      .max(roles.length)
      .describe('Roles that it waits for: all replicas, or the minimum of an elastic role.'),
    status: z
      .enum(STARTED_STATUSES)
      .describe('Status that the pods of these roles must have: Running or Ready. Default Running.')
      .exactOptional(),
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
    "Delays the creation of a role's pods until the roles that it depends on are Running or Ready" +
      `${waitsInPods ? ', or makes them wait in an init container' : ''}. Replaces the framework's order of these roles. ` +
      'Gang scheduling does not wait for pods that are created later.',
  );
}

export type StartOrder = z.output<ReturnType<typeof startOrderSchema>>;
