/**
 * When all pods of a load were first created, running and succeeded. A deleted pod counts: the first jobs may be cleaned up before the last
 * ones have their pods.
 */
import type { Pod } from '@muster/job-api';
import type { Milestones } from '../milestones.ts';

/** @param counts the number of pods, and of those that end by themselves; 0 omits that phase */
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

/** Whether this many pods have been in the phase, each at some time. */
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
