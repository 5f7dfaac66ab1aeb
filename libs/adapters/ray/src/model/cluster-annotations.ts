/** Values of a RayCluster's annotations; `annotationProblems` refuses invalid ones. */
import { ANNOTATIONS } from '@muster/job-api';
import type { ClusterModel, RayGroup } from './ray-cluster-model.ts';
import { RAY_ANNOTATIONS } from './ray-labels.ts';

type Annotated = Pick<ClusterModel, 'annotations'>;

/** The part of the Ray container's memory limit that Ray may use, over 0 and at most 1. Default 1, as in KubeRay. */
export function memoryFraction({ annotations }: Annotated): number {
  const fraction = Number(annotations[ANNOTATIONS.rayMemoryFraction] ?? 1);
  return fraction > 0 && fraction <= 1 ? fraction : 1;
}

/** How long a worker waits for the GCS before its pod fails. Undefined, the default: forever. */
export function gcsWaitSeconds({ annotations }: Annotated): number | undefined {
  const text = annotations[ANNOTATIONS.rayGcsWaitSeconds];
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}

/** The command of the Ray container is not changed. */
export function overwritesCommand({ annotations }: Annotated, group: RayGroup): boolean {
  const key = RAY_ANNOTATIONS.overwriteCommand;
  return isTrue(annotations[key]) || isTrue(group.spec.template.metadata?.annotations?.[key]);
}

export function isTrue(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true';
}

const USUAL_DELETION_TIMEOUT = 300;

/** How long the deletion of a cluster waits for the clean-up of Redis. */
export function redisCleanupTimeoutMs({ annotations }: Annotated): number {
  const text = annotations[RAY_ANNOTATIONS.gcsFtDeletionTimeout] ?? '';
  return (/^\d+$/.test(text) ? Number(text) : USUAL_DELETION_TIMEOUT) * 1000;
}
