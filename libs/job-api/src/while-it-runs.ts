/**
 * Rules on changes that a job cannot take while it has pods, which were told of the job as it was when they were made. A job
 * that is suspended, has ended, or was never looked at, may be changed: its next pods are told anew.
 */
import type { Rule } from './rule.ts';

const STATES_WITH_PODS = ['Created', 'Running', 'Restarting'];

const isSuspendedCel = (job: string) => `${job}.?spec.?runPolicy.?suspend.orValue(false)`;

const HAS_PODS_CEL =
  `oldSelf.?status.?state.orValue('') in [${STATES_WITH_PODS.map((state) => `'${state}'`).join(', ')}] && ` +
  `!${isSuspendedCel('oldSelf')} && !${isSuspendedCel('self')}`;

/** `rule`, whose CEL expression is over the whole job and `oldSelf`, where it has pods. */
export function whileItRuns<Job>(rule: Omit<Rule<Job>, 'holds'>): Rule<Job> {
  return { ...rule, cel: `!(${HAS_PODS_CEL}) || (${rule.cel})` };
}
