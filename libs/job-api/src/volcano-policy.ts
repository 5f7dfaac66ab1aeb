/** What follows from an event in the life of a Volcano Job: `spec.policies`, and those of a task. */
import * as z from 'zod';
import { withRules, type Rule } from './rule.ts';

/** What may happen to a job, in Volcano's words. `*` is any of them. */
export const VOLCANO_EVENTS = [
  '*',
  'PodFailed',
  'PodEvicted',
  'PodPending',
  'Unknown',
  'TaskCompleted',
  'TaskFailed',
  'JobUpdated',
] as const;

export type VolcanoEvent = (typeof VOLCANO_EVENTS)[number];

/** What may follow from it, or be asked for by a Command. */
export const VOLCANO_ACTIONS = [
  'AbortJob',
  'RestartJob',
  'RestartTask',
  'RestartPod',
  'RestartPartition',
  'TerminateJob',
  'CompleteJob',
  'ResumeJob',
] as const;

export type VolcanoAction = (typeof VOLCANO_ACTIONS)[number];

/** A length of time as Go writes it: `90s`, `1h30m`. */
const DURATION = /^([0-9]+([.][0-9]+)?(ms|s|m|h))+$/;

/** More than anybody has use for: the API server estimates the cost of rules by it. */
const MOST_POLICIES = 16;

const policyFields = z.object({
  action: z
    .enum(VOLCANO_ACTIONS)
    .describe('What is done: to the pod, to all pods of its task or partition, or to the job.'),
  event: z.enum(VOLCANO_EVENTS).describe('What has to happen; * is anything.').exactOptional(),
  events: z
    .array(z.enum(VOLCANO_EVENTS))
    .max(VOLCANO_EVENTS.length)
    .describe('The same for several events: one of them has to happen.')
    .exactOptional(),
  exitCode: z
    .int32()
    .describe('Instead of an event: a pod fails whose first container ended with this code.')
    .exactOptional(),
  timeout: z
    .string()
    .max(64)
    .regex(DURATION, 'must be a length of time such as 90s or 1h30m')
    .describe('How long the state has to last before the action is taken: 90s, 1h30m. Default: it is taken at once.')
    .exactOptional(),
});

/** What is done, and upon what. */
export type VolcanoPolicy = z.output<typeof policyFields>;

const POLICY_RULES: readonly Rule<VolcanoPolicy>[] = [
  {
    cel: '!has(self.exitCode) || !(has(self.event) || has(self.events) && self.events.size() > 0)',
    holds: (self) => self.exitCode === undefined || eventsOf(self).length === 0,
    message: 'give either an exit code or events: a policy answers one of the two',
    reason: 'FieldValueForbidden',
    at: ['exitCode'],
  },
  {
    cel: 'has(self.exitCode) || has(self.event) || has(self.events) && self.events.size() > 0',
    holds: (self) => self.exitCode !== undefined || eventsOf(self).length > 0,
    message: 'name the event, or the exit code, upon which the action is taken',
    reason: 'FieldValueRequired',
    at: ['event'],
  },
  {
    cel: '!has(self.exitCode) || self.exitCode != 0',
    holds: ({ exitCode }) => exitCode !== 0,
    message: '0 is no failure: for a task that has done its work, name the event TaskCompleted',
    at: ['exitCode'],
  },
];

const EVENTS_OF = '((has(p.event) ? [p.event] : []) + (has(p.events) ? p.events : []))';

const LIST_RULES: readonly Rule<VolcanoPolicy[]>[] = [
  {
    cel: `self.all(p, ${EVENTS_OF}.all(e, self.filter(q, e in ${EVENTS_OF.replaceAll('p.', 'q.')}).size() == 1))`,
    holds: (self) => {
      const all = self.flatMap((policy) => [...new Set(eventsOf(policy))]);
      return new Set(all).size === all.length;
    },
    message: 'an event stands in two policies: keep one, since only the first would be followed',
  },
  {
    cel: "!self.exists(p, '*' in " + EVENTS_OF + ') || self.all(p, ' + EVENTS_OF + ".all(e, e == '*'))",
    holds: (self) => {
      const all = self.flatMap(eventsOf);
      return !all.includes('*') || all.every((event) => event === '*');
    },
    message: '* is every event: take the others out, or name them instead of it',
  },
  {
    cel: 'self.all(p, !has(p.exitCode) || self.filter(q, has(q.exitCode) && q.exitCode == p.exitCode).size() == 1)',
    holds: (self) => {
      const codes = self.flatMap(({ exitCode }) => exitCode ?? []);
      return new Set(codes).size === codes.length;
    },
    message: 'an exit code stands in two policies: keep one, since only the first would be followed',
  },
];

/** Upon which events a policy is followed, in its order. */
export function eventsOf({ event, events = [] }: Pick<VolcanoPolicy, 'event' | 'events'>): VolcanoEvent[] {
  return [...(event === undefined ? [] : [event]), ...events];
}

export function volcanoPoliciesSchema() {
  return withRules(z.array(withRules(policyFields, POLICY_RULES)).max(MOST_POLICIES), LIST_RULES);
}
