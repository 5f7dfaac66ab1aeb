import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';

/** The message of the Warning `SetPodTemplateSchedulerName`. */
export function otherSchedulers({ schedulerName }: GangScheduler, { roles }: TrainingJob): string | undefined {
  if (schedulerName === undefined) return otherThanTogether(roles);
  const others = roles.flatMap(({ name, template }) => {
    const own = template.spec?.schedulerName;
    return own === undefined || own === '' || own === schedulerName ? [] : [`${name} (${own})`];
  });
  if (others.length === 0) return undefined;
  return `These roles set a schedulerName other than ${schedulerName}. It is kept, so their pods do not start together with the others: ${others.join(', ')}`;
}

/** If any scheduler is possible, all pods of a group need the same one. */
function otherThanTogether(roles: readonly ReplicaRole[]): string | undefined {
  const names = new Set(roles.map(({ template }) => template.spec?.schedulerName || 'default-scheduler'));
  if (names.size < 2) return undefined;
  return `The roles use several schedulers, ${[...names].join(' and ')}, but one scheduler must place the whole gang: set the same schedulerName in all roles`;
}
