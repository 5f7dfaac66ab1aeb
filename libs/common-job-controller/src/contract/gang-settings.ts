import type { GangScheduler, PodGroups } from './gang-scheduler.ts';

export interface GangSettings {
  /** The default. Undefined: pods of jobs without a gang scheduler get none. */
  readonly gang?: GangScheduler | undefined;
  /** Others that a job may name. Undefined if the operator's settings are not known: a job's choice is not checked. */
  readonly gangs?: readonly GangScheduler[] | undefined;
}

export function knownGangs({ gang, gangs = [] }: GangSettings): GangScheduler[] {
  return gang === undefined ? [...gangs] : [gang, ...gangs];
}

export function groupKinds(settings: GangSettings): PodGroups[] {
  return knownGangs(settings).flatMap(({ groups }) => groups ?? []);
}
