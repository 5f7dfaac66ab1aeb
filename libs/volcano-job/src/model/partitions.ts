/** Partitions of a task: groups of consecutive pods that are restarted together. */
import type { Problem } from '@muster/common-job-controller';
import type { VolcanoTask } from './volcano-tasks.ts';

export function partitionOf({ spec }: Pick<VolcanoTask, 'spec'>, index: number): number | undefined {
  const { partitionSize } = spec.partitionPolicy ?? {};
  return partitionSize === undefined ? undefined : Math.floor(index / partitionSize);
}

export function leastByPartitions({ spec }: Pick<VolcanoTask, 'spec'>): number | undefined {
  const { minPartitions = 0, partitionSize = 0 } = spec.partitionPolicy ?? {};
  return minPartitions > 0 ? minPartitions * partitionSize : undefined;
}

/** The rules of Volcano's admission webhook. */
export function partitionProblems({ path, replicas, spec }: VolcanoTask): Problem[] {
  const { partitionPolicy, minAvailable } = spec;
  if (partitionPolicy === undefined) return [];
  const { totalPartitions, partitionSize } = partitionPolicy;
  const least = leastByPartitions({ spec });
  const ofReplicas = `${totalPartitions} partitions of ${partitionSize} pods are ${totalPartitions * partitionSize}`;
  return [
    ...(totalPartitions * partitionSize === replicas
      ? []
      : [{ path: `${path}.replicas`, message: `Invalid value: ${replicas}: ${ofReplicas}` }]),
    ...(least === undefined || minAvailable === undefined || minAvailable === least
      ? []
      : [
          {
            path: `${path}.minAvailable`,
            message: `Invalid value: ${minAvailable}: partitionPolicy.minPartitions requires ${least}: remove one of the two`,
          },
        ]),
  ];
}
