/** A RayCluster named `demo` in the namespace `team`: a head, and workers of the group `small`. */
import type { Container, PodSpec, RayHeadGroupSpec, RayWorkerGroupSpec } from '@muster/job-api';
import {
  headGroup,
  workerGroups,
  type ClusterModel,
  type HeadGroup,
  type WorkerGroup,
} from '../src/model/ray-cluster-model.ts';

type Given = Partial<Omit<ClusterModel, 'spec'>> & {
  readonly spec?: Partial<ClusterModel['spec']>;
  readonly head?: Partial<RayHeadGroupSpec>;
  /** Of the head's Ray container. */
  readonly headContainer?: Partial<Container>;
  readonly worker?: Partial<RayWorkerGroupSpec>;
  /** Of the workers' Ray container. */
  readonly workerContainer?: Partial<Container>;
};

export const HEAD_CONTAINER: Container = { name: 'ray-head', image: 'ray:2.60' };
const WORKER_CONTAINER: Container = { name: 'ray-worker', image: 'ray:2.60' };

export function clusterOf({ spec, head, headContainer, worker, workerContainer, ...others }: Given = {}): ClusterModel {
  return {
    name: 'demo',
    namespace: 'team',
    uid: 'uid-1',
    labels: {},
    annotations: {},
    clusterDomain: 'cluster.local',
    ...others,
    spec: {
      headGroupSpec: { template: { spec: { containers: [{ ...HEAD_CONTAINER, ...headContainer }] } }, ...head },
      workerGroupSpecs: [
        {
          groupName: 'small',
          template: { spec: { containers: [{ ...WORKER_CONTAINER, ...workerContainer }] } },
          ...worker,
        },
      ],
      ...spec,
    },
  };
}

export function headOf(cluster: ClusterModel): HeadGroup {
  return headGroup(cluster);
}

export function workersOf(cluster: ClusterModel): WorkerGroup {
  const [first] = workerGroups(cluster);
  if (first === undefined) throw new Error('the cluster has no workers');
  return first;
}

export function templateSpec({ spec }: HeadGroup | WorkerGroup): PodSpec {
  if (spec.template.spec === undefined) throw new Error('the template has no spec');
  return spec.template.spec;
}
