import { gangSchedulerNamed, newWorld, planJob } from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import type { Pod, VolcanoPodGroup } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { passOver, ready, type ClusterWorld } from '../../test-support/cluster-worlds.ts';
import { rayJob } from '../../test-support/ray-jobs.ts';
import { rayJobAdapter } from '../job/ray-job-adapter.ts';

const HEAD = { headContainer: { resources: { requests: { cpu: '1' } } } };
const WORKER = { workerContainer: { resources: { requests: { cpu: '2' } } } };

function groupOf(given: ClusterWorld['given']): VolcanoPodGroup | undefined {
  const { create } = passOver({ given: { ...HEAD, ...WORKER, ...given }, gang: 'volcano' }).ownedResources;
  return create.map(({ object }) => object).find(({ kind }) => kind === 'PodGroup');
}

describe('the PodGroup of a RayCluster', () => {
  it.each<[string, ClusterWorld['given'], number, string]>([
    ['its head and its workers', { worker: { replicas: 3 } }, 4, '7'],
    ['all hosts of its replicas', { worker: { replicas: 2, numOfHosts: 2 } }, 5, '9'],
    [
      'with an autoscaler, its minimum number of workers',
      { worker: { replicas: 3, minReplicas: 1, maxReplicas: 5 }, spec: { enableInTreeAutoscaling: true } },
      2,
      '3500m',
    ],
    ['no suspended group', { worker: { replicas: 3, suspend: true } }, 1, '1'],
  ])('waits for %s', (_case, given, minMember, cpu) => {
    expect(groupOf(given)).toMatchObject({
      metadata: { name: 'demo', labels: { 'ray.io/cluster': 'demo' } },
      spec: { minMember, minResources: { cpu }, queue: 'default' },
    });
  });

  it('has the queue and priority of KubeRay’s labels', () => {
    const labels = { 'volcano.sh/queue-name': 'team', 'ray.io/priority-class-name': 'high' };
    expect(groupOf({ labels })?.spec).toMatchObject({ queue: 'team', priorityClassName: 'high' });
  });
});

describe('the pods of a RayCluster', () => {
  it('are members of its group, each under its own name', () => {
    const { create } = passOver({ given: { worker: { replicas: 1 } }, gang: 'volcano' });
    const memberOf = ({ metadata, spec }: Pod) => [
      metadata?.annotations?.['scheduling.k8s.io/group-name'],
      metadata?.annotations?.['volcano.sh/task-spec'],
      spec?.schedulerName,
    ];
    expect(create.pods.map(memberOf)).toEqual([
      ['demo', 'headgroup', 'volcano'],
      ['demo', 'small', 'volcano'],
    ]);
  });

  it('do not include a lost head that must not be recreated', () => {
    const annotations = { 'ray.io/disable-provisioned-head-restart': 'true' };
    const world = { given: { annotations, worker: { replicas: 1 } }, gang: 'volcano' };
    const first = passOver(world);
    const [, worker] = first.create.pods.map(ready);
    const provisioned = { type: 'RayClusterProvisioned', status: 'True' as const, reason: '', message: '' };
    const conditions = [{ ...provisioned, lastTransitionTime: '2030-01-01T00:00:00Z' }];
    const { create } = passOver({ ...world, pods: [worker!], record: first.status, status: { conditions } });
    expect(create.pods).toEqual([]);
  });
});

describe('a RayJob', () => {
  it('has no PodGroup: its cluster has one, and its submitter belongs to none', () => {
    const job = rayJob({}, { generation: 1, labels: { 'volcano.sh/queue-name': 'team' } });
    const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
    const plan = planJob(rayJobAdapter(), newWorld(job, 0), { ...settings, gang: gangSchedulerNamed('volcano') });
    const { ownedResources, events } = planned(plan);
    expect(ownedResources.create.map(({ object: { kind } }) => kind)).toEqual(['RayCluster']);
    const [cluster] = ownedResources.create.map(({ object }) => object.metadata?.labels);
    expect(cluster).toMatchObject({ 'volcano.sh/queue-name': 'team' });
    expect(events.map(({ reason }) => reason)).not.toContain('WaitingForPodGroup');
  });
});
