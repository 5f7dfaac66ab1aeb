/** Limits the pods of a worker group, which KubeRay's CRD does not. */
import type { Problem } from '@muster/common-job-controller';
import { MAX_REPLICAS, type RayClusterSpec } from '@muster/job-api';
import { desiredPods } from '../status/desired-resources.ts';

/** @param path of the spec */
export function groupSizeProblems({ workerGroupSpecs = [] }: RayClusterSpec, path: string): Problem[] {
  return workerGroupSpecs.flatMap((spec, index) => {
    const pods = desiredPods({ kind: 'worker', name: spec.groupName, spec });
    if (pods <= MAX_REPLICAS) return [];
    const message = `Invalid value: ${pods} pods: must be at most ${MAX_REPLICAS}`;
    return [{ path: `${path}.workerGroupSpecs[${index}].replicas`, message }];
  });
}
