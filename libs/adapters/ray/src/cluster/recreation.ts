/**
 * `upgradeStrategy: Recreate`: pods that another spec was the template of are recreated. Each says by a hash of which spec it is
 * (`recreate-hash.ts`). What KubeRay's hash says nobody else can tell, so a pod of its is taken to be of the present spec,
 * and given Muster's, as KubeRay does with pods of another version of its own.
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
