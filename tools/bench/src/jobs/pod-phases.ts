/** When the pods of a load first were all there, all ran, all had ended well. */
import type { Pod } from '@muster/job-api';
import type { Milestones } from '../milestones.ts';

/** @param counts how many there are, and how many of them end by themselves; 0 leaves that out */
export function podMoments(
  pods: Milestones<Pod>,
  { all: count, ends }: { all: number; ends: number },
): Promise<number>[] {
  return [
    pods.when(`all ${count} pods are created`, (all) => all.length >= count),
    pods.when(`all ${count} pods run`, (all) => inPhase(all, 'Running', 'Succeeded') >= count),
    ...(ends === 0 ? [] : [pods.when(`${ends} pods have succeeded`, (all) => inPhase(all, 'Succeeded') >= ends)]),
  ];
}

function inPhase(pods: readonly Pod[], ...phases: string[]): number {
  let count = 0;
  for (const { status } of pods) if (phases.includes(status?.phase ?? '')) count++;
  return count;
}
