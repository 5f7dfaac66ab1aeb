/** Actions on events of a Volcano Job: `spec.policies`, and those of a task. */
import * as z from 'zod';
import { withRules, type Rule } from './rule.ts';

/** Events of a job, by Volcano's names. `*` is any of them. */
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

/** Actions of policies and Commands, by Volcano's names. */
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

/** A duration as Go writes it: `90s`, `1h30m`. */
const DURATION = /^([0-9]+([.][0-9]+)?(ms|s|m|h))+$/;

/** The API server needs a bound to estimate the cost of rules. */
const MOST_POLICIES = 16;

const policyFields = z.object({
  action: z
    .enum(VOLCANO_ACTIONS)
    .describe('What is done with the pod, with all pods of its task or partition, or with the job.'),
  event: z.enum(VOLCANO_EVENTS).describe('Event that triggers the action; * is any event.').exactOptional(),
  events: z
    .array(z.enum(VOLCANO_EVENTS))
    .max(VOLCANO_EVENTS.length)
    .describe('Several events, each of which triggers the action.')
    .exactOptional(),
  exitCode: z
    .int32()
    .describe('Instead of an event: the action is triggered by a failed pod whose first container has this exit code.')
    .exactOptional(),
  timeout: z
    .string()
    .max(64)
    .regex(DURATION, 'must be a duration such as 90s or 1h30m')
    .describe('How long the state must last before the action is taken, for example 90s or 1h30m. Default: no delay.')
    .exactOptional(),
});

export type VolcanoPolicy = z.output<typeof policyFields>;

const POLICY_RULES: readonly Rule<VolcanoPolicy>[] = [
  {
    cel: '!has(self.exitCode) || !(has(self.event) || has(self.events) && self.events.size() > 0)',
    holds: (self) => self.exitCode === undefined || eventsOf(self).length === 0,
    message: 'set either an exit code or events, not both',
    reason: 'FieldValueForbidden',
    at: ['exitCode'],
  },
  {
    cel: 'has(self.exitCode) || has(self.event) || has(self.events) && self.events.size() > 0',
    holds: (self) => self.exitCode !== undefined || eventsOf(self).length > 0,
    message: 'set the event or the exit code that triggers the action',
    reason: 'FieldValueRequired',
    at: ['event'],
  },
  {
    cel: '!has(self.exitCode) || self.exitCode != 0',
    holds: ({ exitCode }) => exitCode !== 0,
    message: '0 is not a failure: for a task that has succeeded, use the event TaskCompleted',
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
    message: 'an event is in two policies: remove one, because only the first would apply',
  },
  {
    cel: "!self.exists(p, '*' in " + EVENTS_OF + ') || self.all(p, ' + EVENTS_OF + ".all(e, e == '*'))",
    holds: (self) => {
      const all = self.flatMap(eventsOf);
      return !all.includes('*') || all.every((event) => event === '*');
    },
    message: '* is every event: remove the others, or list them instead of it',
  },
  {
    cel: 'self.all(p, !has(p.exitCode) || self.filter(q, has(q.exitCode) && q.exitCode == p.exitCode).size() == 1)',
    holds: (self) => {
      const codes = self.flatMap(({ exitCode }) => exitCode ?? []);
      return new Set(codes).size === codes.length;
    },
    message: 'an exit code is in two policies: remove one, because only the first would apply',
  },
];

/** Events of a policy, in its order. */
export function eventsOf({ event, events = [] }: Pick<VolcanoPolicy, 'event' | 'events'>): VolcanoEvent[] {
  return [...(event === undefined ? [] : [event]), ...events];
}

export function volcanoPoliciesSchema() {
  return withRules(z.array(withRules(policyFields, POLICY_RULES)).max(MOST_POLICIES), LIST_RULES);
}
