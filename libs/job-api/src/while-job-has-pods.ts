/**
 * Rules about fields that must not change while a job has pods, because the pods were configured from them. They do
 * not apply to a job that is suspended, has ended or was not yet reconciled: its next pods get the new values.
 */
import type { Rule } from './rule.ts';

const STATES_WITH_PODS = ['Created', 'Running', 'Restarting'];

const isSuspendedCel = (job: string) => `${job}.?spec.?runPolicy.?suspend.orValue(false)`;

const HAS_PODS_CEL =
  `oldSelf.?status.?state.orValue('') in [${STATES_WITH_PODS.map((state) => `'${state}'`).join(', ')}] && ` +
  `!${isSuspendedCel('oldSelf')} && !${isSuspendedCel('self')}`;

/** `rule`, applied only while the job has pods. Its CEL expression is over the whole job and `oldSelf`. */
export function whileJobHasPods<Job>(rule: Omit<Rule<Job>, 'holds'>): Rule<Job> {
  return { ...rule, cel: `!(${HAS_PODS_CEL}) || (${rule.cel})` };
}
