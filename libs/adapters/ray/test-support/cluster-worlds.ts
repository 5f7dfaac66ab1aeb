/** RayClusters in any state, and their plans. */
import { gangSchedulerNamed, newWorld, planJob, type OwnedResource } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import type { JobStatus, KubeObject, Pod, RayCluster } from '@muster/job-api';
import { rayClusterAdapter } from '../src/cluster/ray-cluster-adapter.ts';
import { clusterOf } from './cluster-models.ts';

const NOW = Date.UTC(2030, 0, 1, 12);
const CLUSTER_WIDE = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

export interface ClusterWorld {
  /** Arguments of {@link clusterOf}. */
  readonly given?: Parameters<typeof clusterOf>[0];
  readonly pods?: readonly Pod[];
  /** The record of earlier runs. */
  readonly record?: JobStatus | undefined;
  /** The public status of earlier runs. */
  readonly status?: RayCluster['status'];
  /** As in the operator's flag. Its group is admitted. */
  readonly gang?: string;
}

/** A reconcile run for a cluster whose owned resources exist. */
export function passOver(world: ClusterWorld): Planned {
  const first = planWith(world, []);
  const made = first.ownedResources.create.map(({ resource, object }): OwnedResource => {
    const kind = { resource, endsWithRun: true, trim: (whole: KubeObject) => whole };
    const isGroup = object.kind === 'PodGroup';
    return { kind, object: { ...object, ...(isGroup && { status: { phase: 'Inqueue' } }) } };
  });
  const { ownedResources } = first;
  return { ...planWith(world, made), ownedResources };
}

/** A reconcile run for a cluster with exactly these owned resources. */
export function planWith(
  { given, pods = [], record, status, gang = '' }: ClusterWorld,
  ownedResources: OwnedResource[],
) {
  const { name, namespace, uid, labels, annotations, spec } = clusterOf(given);
  const metadata = { name, namespace, uid, labels, annotations, generation: 1, resourceVersion: '1' };
  const stored = { ...status, ...(record && { muster: record }) };
  const manifest: RayCluster = { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata, spec, status: stored };
  const world = { ...newWorld(manifest, NOW), pods, ownedResources };
  // Without a record the operator has just started.
  const seen = record === undefined ? world : { ...world, hasWrittenStatus: true };
  return planned(planJob(rayClusterAdapter(), seen, { ...CLUSTER_WIDE, gang: gangSchedulerNamed(gang) }));
}

/** A planned pod as a kubelet reports it when it is ready. */
export function ready(pod: Pod): Pod {
  const uid = `uid of ${pod.metadata?.name}`;
  const container = pod.spec?.containers[0]?.name ?? '';
  const running = { name: container, ready: true, restartCount: 0, image: '', imageID: '' };
  return {
    ...pod,
    metadata: { ...pod.metadata, uid },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ ...running, state: { running: { startedAt: new Date(NOW).toISOString() } } }],
    },
  };
}
