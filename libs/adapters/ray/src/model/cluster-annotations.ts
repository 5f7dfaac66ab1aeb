/** What the annotations of a RayCluster ask for. Values that say nothing are refused before (`annotationProblems`). */
import { ANNOTATIONS } from '@muster/job-api';
import type { ClusterModel, RayGroup } from './ray-cluster-model.ts';
import { RAY_ANNOTATIONS } from './ray-labels.ts';

type Annotated = Pick<ClusterModel, 'annotations'>;

/** How much of the Ray container's memory limit Ray may plan with, over 0 and at most 1. Default 1, as under KubeRay. */
export function memoryFraction({ annotations }: Annotated): number {
  const fraction = Number(annotations[ANNOTATIONS.rayMemoryFraction] ?? 1);
  return fraction > 0 && fraction <= 1 ? fraction : 1;
}

/** How long a worker waits for the GCS before its pod fails. Undefined, the default: for ever. */
export function gcsWaitSeconds({ annotations }: Annotated): number | undefined {
  const text = annotations[ANNOTATIONS.rayGcsWaitSeconds];
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}

/** Whether the command of the Ray container is left as the user wrote it. */
export function overwritesCommand({ annotations }: Annotated, group: RayGroup): boolean {
  const key = RAY_ANNOTATIONS.overwriteCommand;
  return isTrue(annotations[key]) || isTrue(group.spec.template.metadata?.annotations?.[key]);
}

export function isTrue(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true';
}

const USUAL_DELETION_TIMEOUT = 300;

/** How long the deletion of a cluster waits for the clean-up of Redis, in milliseconds; counted from its deletion. */
export function redisCleanupTimeoutMs({ annotations }: Annotated): number {
  const text = annotations[RAY_ANNOTATIONS.gcsFtDeletionTimeout] ?? '';
  return (/^\d+$/.test(text) ? Number(text) : USUAL_DELETION_TIMEOUT) * 1000;
}
