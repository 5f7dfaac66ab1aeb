/** Whether a job asks for gang scheduling and for another scheduler at the same time. */
import type { TrainingJob } from '../model/training-job.ts';
import type { GangScheduler } from './gang-scheduler.ts';

/** For the Warning `SetPodTemplateSchedulerName`: the roles whose pods the gang scheduler will not see. */
export function otherSchedulers({ schedulerName }: GangScheduler, { roles }: TrainingJob): string | undefined {
  const others = roles.flatMap(({ name, template }) => {
    const own = template.spec?.schedulerName;
    return own === undefined || own === '' || own === schedulerName ? [] : [`${name} (${own})`];
  });
  if (others.length === 0) return undefined;
  return `These roles name another scheduler than ${schedulerName}, which is kept, so their pods do not start together with the others: ${others.join(', ')}`;
}
