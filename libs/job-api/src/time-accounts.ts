/** Where the time of a job goes: each second between its creation and its end belongs to one account. */
import * as z from 'zod';
import { FAILURE_CLASSES } from './failure-class.ts';
import { count, time } from './scalars.ts';

export const TIME_ACCOUNTS = [
  'Suspended',
  'Queued',
  'Unscheduled',
  'Starting',
  'Running',
  'Degraded',
  'Stalled',
  'Restarting',
  'Recomputing',
  'Finishing',
] as const;

export type TimeAccount = (typeof TIME_ACCOUNTS)[number];

/** What a second of each account means, and what starts it. For the reference pages. */
export const TIME_ACCOUNT_MEANINGS: Readonly<Record<TimeAccount, string>> = {
  Suspended: 'A person suspended the job. Starts when its condition Suspended becomes True.',
  Queued:
    'Kueue, a gang scheduler or a quota holds the job back. Starts with its creation, with an eviction, or when pods are refused.',
  Unscheduled: 'A pod has no node. Starts with the creation of the pods.',
  Starting: 'Every pod has a node, and one does not run yet. Starts when the last kubelet accepts its pod.',
  Running: 'All replicas run, and do new work. Starts with the last container.',
  Degraded:
    'The job runs with fewer replicas than its spec wants: an elastic job lost some, or more were added. Starts when their number changes.',
  Stalled: 'All replicas run, and no progress was reported for progressDeadlineSeconds. Starts when that time is over.',
  Restarting: 'A replica failed. Starts when its container ended, and ends when all replicas run again.',
  Recomputing:
    'All replicas run again after a failure, and repeat steps that were reported before it. Only for programs that report steps.',
  Finishing: 'A replica has succeeded, and others still run. Starts when the first one ended.',
};

/** Accounts in which the job does what it was made for. */
export const PRODUCTIVE_ACCOUNTS: ReadonlySet<TimeAccount> = new Set(['Running', 'Degraded', 'Finishing']);

/** Accounts that are not the cluster's or the program's fault, so goodput leaves them out. */
export const EXCLUDED_ACCOUNTS: ReadonlySet<TimeAccount> = new Set(['Suspended', 'Queued']);

/** At most this many attempts are kept. */
export const MOST_ATTEMPTS = 10;

/** At most this many extended resources are counted. */
export const MOST_RESOURCES = 4;

/** Of all pods of a job, so an int32 is too small. */
const seconds = () => z.int().min(0);

const useSchema = z.object({
  seconds: count().describe('Seconds of wall-clock time.').exactOptional(),
  podSeconds: seconds().describe('Seconds of all pods with a node.').exactOptional(),
  resourceSeconds: z
    .record(z.string(), seconds())
    .describe('These seconds times the requests of the pods, by extended resource.')
    .exactOptional(),
});

export type TimeUse = z.output<typeof useSchema>;

const attemptSchema = z.object({
  startTime: time().describe('When the attempt began: with the creation of the job, or with a failure.'),
  failure: z.enum(FAILURE_CLASSES).describe('Class of the failure with which it began.').exactOptional(),
  seconds: z.record(z.string(), count()).describe('Seconds by account.'),
});

export type TimeAttempt = z.output<typeof attemptSchema>;

export const timeAccountsSchema = z.object({
  account: z
    .enum(TIME_ACCOUNTS)
    .describe('The account of the time after until. Absent after the end of the job.')
    .exactOptional(),
  until: time().describe('All time from the creation of the job to this time is in accounts.'),
  accounts: z.record(z.string(), useSchema).describe(`Time by account. The accounts are ${TIME_ACCOUNTS.join(', ')}.`),
  losses: z
    .record(z.string(), useSchema)
    .describe('Time of Restarting and Recomputing, by class of the failure that caused it.')
    .exactOptional(),
  attempts: z
    .array(attemptSchema)
    .max(MOST_ATTEMPTS)
    .describe(`The last ${MOST_ATTEMPTS} attempts, the newest last. Each failure of a running job begins one.`),
  goodput: z
    .string()
    .describe('Running, Degraded and Finishing, as a percentage of all time except Suspended and Queued.')
    .exactOptional(),
  furthestStep: count().describe('The furthest step that the program has reported.').exactOptional(),
});

/** `status.timeAccounts`. */
export type TimeAccounts = z.output<typeof timeAccountsSchema>;
