/**
 * An immutable pod group waits for its initial number of pods until the job has none and the group can be recreated. If the job can no
 * longer have so many, because it shrank or some succeeded, the scheduler would block each new pod forever. Such pods are placed without
 * the gang.
 */
import type { KubeObject } from '@muster/job-api';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';

export interface FixedSize {
  readonly waitsFor?: string;
  readonly note?: string;
  readonly isTooLarge: boolean;
}

/**
 * @param size how many pods the group should wait for
 * @param replicas those whose pods belong to the group
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
  if (!isBusy(replicas)) return { isTooLarge, waitsFor: `${name} is recreated for ${size} pods instead of ${least}` };
  const note = `${name}, which is immutable: it waits for ${least} pods instead of ${size}, until all pods of the job are recreated`;
  return { isTooLarge, note };
}

export function isBusy(replicas: readonly ReplicaPod[]): boolean {
  return replicas.some(
    ({ state, blockedBy }) =>
      state === 'pending' || state === 'running' || state === 'terminating' || blockedBy !== undefined,
  );
}

/** Removed and terminating pods will be recreated in the group. */
function isOrWillBeMember(gang: GangScheduler, { state, pod }: ReplicaPod): boolean {
  if (state === 'succeeded') return false;
  const isThere = pod !== undefined && (state === 'pending' || state === 'running');
  return !isThere || gang.groups?.isMember?.(pod) !== false;
}
