/**
 * A pod group that cannot be changed, of a job that has been: it goes on waiting for as many pods as it began with, until
 * the job has no pods and another group can be made. Where there cannot be so many any more, since the job was made
 * smaller or some of its pods are done, a scheduler would hold every new pod back for ever: such pods are placed by themselves.
 */
import type { KubeObject } from '@muster/job-api';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';

export interface FixedSize {
  /** Why no pods can be made yet. */
  readonly waitsFor?: string;
  /** What is not followed of the job's size. */
  readonly note?: string;
  /** Whether so many pods do not come together any more. */
  readonly isTooLarge: boolean;
}

/**
 * Undefined where there is no group, or where it can be changed.
 *
 * @param size how many pods it should wait for
 * @param replicas whose pods are to be in the group
 */
export function fixedSize(
  gang: GangScheduler,
  size: number,
  group: KubeObject | undefined,
  replicas: readonly ReplicaPod[],
): FixedSize | undefined {
  const least = group && gang.groups?.least?.(group);
  if (least === undefined) return undefined;
  const isTooLarge = replicas.filter((replica) => isOrWillBeMember(gang, replica)).length < least;
  if (size === least) return { isTooLarge };
  const name = `PodGroup ${group?.metadata?.name}`;
  if (!isBusy(replicas)) return { isTooLarge, waitsFor: `${name} is made anew, for ${size} pods instead of ${least}` };
  const note = `${name}, which cannot be changed: it goes on waiting for ${least} pods instead of ${size}, until all pods of the job are recreated`;
  return { isTooLarge, note };
}

/** Whether there are pods of a job that may name its group. */
export function isBusy(replicas: readonly ReplicaPod[]): boolean {
  return replicas.some(
    ({ state, blockedBy }) =>
      state === 'pending' || state === 'running' || state === 'terminating' || blockedBy !== undefined,
  );
}

/** Those that have gone, or go, are made again. */
function isOrWillBeMember(gang: GangScheduler, { state, pod }: ReplicaPod): boolean {
  if (state === 'succeeded') return false;
  const isThere = pod !== undefined && (state === 'pending' || state === 'running');
  return !isThere || gang.groups?.isMember?.(pod) !== false;
}
