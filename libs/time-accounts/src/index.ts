/**
 * Where a job's time went (goodput): each second between the creation of a job and its end belongs to one account. Pure functions of the
 * status, the pods and the time; the accounts are kept in the status.
 */
export { holdsOf, type Hold } from './pod-use.ts';
export { goodputOf, timeAccountsAt, withTimeAccounts, type TimedJob } from './time-accounts.ts';
export type { TimedReplica } from './timed-replica.ts';
