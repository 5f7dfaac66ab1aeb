/** What an operator knows of gang schedulers. */
import type { GangScheduler, PodGroups } from './gang-scheduler.ts';

export interface GangSettings {
  /** Undefined: pods of jobs that name none are placed as they come. */
  readonly gang?: GangScheduler | undefined;
  /** Others that a job may name. Undefined, where nobody knows the operator's: what a job names is not looked at. */
  readonly gangs?: readonly GangScheduler[] | undefined;
}

export function knownGangs({ gang, gangs = [] }: GangSettings): GangScheduler[] {
  return gang === undefined ? [...gangs] : [gang, ...gangs];
}

/** The kinds of group by which they know gangs. */
export function groupKinds(settings: GangSettings): PodGroups[] {
  return knownGangs(settings).flatMap(({ groups }) => groups ?? []);
}
