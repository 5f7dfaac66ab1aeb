/**
 * When the pods of a load first had all been made, had all run, had all ended well. A pod that is gone since counts: the first jobs may have been
 * cleaned up before the last ones have their pods.
 */
import type { Pod } from '@muster/job-api';
import type { Milestones } from '../milestones.ts';

/** @param counts how many there are, and how many of them end by themselves; 0 leaves that out */
export function podMoments(
  pods: Milestones<Pod>,
  { all: count, ends }: { all: number; ends: number },
): Promise<number>[] {
  return [
    pods.when(
      `all ${count} pods are created`,
      seen(count, () => true),
    ),
    pods.when(`all ${count} pods run`, seen(count, isInPhase('Running', 'Succeeded'))),
    ...(ends === 0 ? [] : [pods.when(`${ends} pods have succeeded`, seen(ends, isInPhase('Succeeded')))]),
  ];
}

/** Whether so many pods have been so, each at some time. */
export function seen(count: number, holds: (pod: Pod) => boolean): (pods: readonly Pod[]) => boolean {
  const found = new Set<string>();
  return (pods) => {
    for (const pod of pods) if (holds(pod)) found.add(pod.metadata?.uid ?? '');
    return found.size >= count;
  };
}

function isInPhase(...phases: string[]): (pod: Pod) => boolean {
  return ({ status }) => phases.includes(status?.phase ?? '');
}
