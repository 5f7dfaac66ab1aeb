/**
 * `upgradeStrategy: Recreate`: recreates pods of an outdated spec, by the hash in their annotation
 * (`recreate-hash.ts`). KubeRay's hash cannot be computed here, so its pods count as current and get Muster's hash, as
 * KubeRay does with pods of its other versions.
 */
import type { Replica } from '@muster/common-job-controller';
import type { Pod } from '@muster/job-api';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { KUBERAY_VERSION, RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { recreateHash } from '../recreate-hash.ts';

function recreates({ spec }: ClusterModel): boolean {
  return spec.upgradeStrategy?.type === 'Recreate';
}

export function isOfSpec(cluster: ClusterModel, { metadata }: Pod): boolean {
  const { [RAY_ANNOTATIONS.kuberayVersion]: version, [RAY_ANNOTATIONS.recreateHash]: hash } =
    metadata?.annotations ?? {};
  return !recreates(cluster) || version !== KUBERAY_VERSION || hash === recreateHash(cluster.spec);
}

interface Job {
  readonly options: { readonly cluster: ClusterModel };
}

type PodReplica = Replica & { readonly pod?: Pod };

export function restampedHash({ options: { cluster } }: Job, { pod }: PodReplica): string | undefined {
  return isToRestamp(cluster, pod) ? recreateHash(cluster.spec) : undefined;
}

export function restampedVersion({ options: { cluster } }: Job, { pod }: PodReplica): string | undefined {
  return isToRestamp(cluster, pod) ? KUBERAY_VERSION : undefined;
}

function isToRestamp(cluster: ClusterModel, pod: Pod | undefined): boolean {
  return recreates(cluster) && pod?.metadata?.annotations?.[RAY_ANNOTATIONS.kuberayVersion] !== KUBERAY_VERSION;
}
