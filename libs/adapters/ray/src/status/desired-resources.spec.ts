import type { Container, RayWorkerGroupSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf, workersOf } from '../../test-support/cluster-models.ts';
import { desiredPods, desiredReplicas, desiredResources, workerCounts } from './desired-resources.ts';

function groupOf(name: string, resources: Container['resources'], others: Partial<RayWorkerGroupSpec> = {}) {
  const template = { spec: { containers: [{ name: 'ray', image: 'ray:1', resources: resources! }] } };
  return { groupName: name, template, ...others };
}

describe('the resources of a cluster', () => {
  it('are those of the head and of all workers, requests before limits', () => {
    const cluster = clusterOf({
      headContainer: { resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } } },
      spec: {
        enableInTreeAutoscaling: true,
        workerGroupSpecs: [
          groupOf('a', { limits: { cpu: '1', memory: '512Mi', 'nvidia.com/gpu': '2' } }, { replicas: 3 }),
          groupOf('b', { limits: { 'google.com/tpu': '4' } }, { replicas: 2, numOfHosts: 2 }),
          groupOf('c', { limits: { cpu: '100' } }, { replicas: 1, suspend: true }),
        ],
      },
    });
    expect(desiredResources(cluster)).toEqual({
      desiredCPU: '3500m',
      desiredMemory: '2560Mi',
      desiredGPU: '6',
      desiredTPU: '16',
    });
  });

  it('are 0 without requests and limits', () => {
    const zeros = { desiredCPU: '0', desiredMemory: '0', desiredGPU: '0', desiredTPU: '0' };
    expect(desiredResources(clusterOf({ worker: { replicas: 1 } }))).toEqual(zeros);
  });

  it('include every container, and slices of GPUs', () => {
    const containers = [
      { name: 'ray', image: 'ray:1', resources: { limits: { 'nvidia.com/mig-1g.5gb': '1', cpu: '1' } } },
      { name: 'logs', image: 'logs:1', resources: { requests: { cpu: '250m' } } },
    ];
    expect(desiredResources(clusterOf({ head: { template: { spec: { containers } } } }))).toMatchObject({
      desiredCPU: '1250m',
      desiredGPU: '1',
    });
  });
});

describe('the workers of a group', () => {
  it.each<[Partial<RayWorkerGroupSpec>, number, number]>([
    [{}, 0, 0],
    [{ replicas: 2 }, 2, 2],
    [{ minReplicas: 1, maxReplicas: 3 }, 1, 1],
    [{ replicas: 0, minReplicas: 1, maxReplicas: 3 }, 1, 1],
    [{ replicas: 5, minReplicas: 1, maxReplicas: 3 }, 3, 3],
    [{ replicas: 2, numOfHosts: 4 }, 2, 8],
    [{ replicas: 2, suspend: true }, 0, 0],
  ])('of %j', (worker, replicas, pods) => {
    const group = workersOf(clusterOf({ worker }));
    expect([desiredReplicas(group), desiredPods(group)]).toEqual([replicas, pods]);
  });
});

describe('the counts of workers', () => {
  it('are those of all groups that are not suspended, in pods', () => {
    const workerGroupSpecs = [
      groupOf('a', {}, { replicas: 2, minReplicas: 1, maxReplicas: 3, numOfHosts: 2 }),
      groupOf('b', {}, { minReplicas: 2, maxReplicas: 4 }),
      groupOf('c', {}, { replicas: 9, minReplicas: 9, maxReplicas: 9, suspend: true }),
    ];
    expect(workerCounts(clusterOf({ spec: { workerGroupSpecs } }))).toEqual({
      desiredWorkerReplicas: 6,
      minWorkerReplicas: 4,
      maxWorkerReplicas: 10,
    });
  });

  it('fit into 32 bits', () => {
    const workerGroupSpecs = [groupOf('a', {}, { numOfHosts: 2 }), groupOf('b', {})];
    expect(workerCounts(clusterOf({ spec: { workerGroupSpecs } })).maxWorkerReplicas).toBe(2147483647);
  });

  it('are 0 without groups', () => {
    const cluster = clusterOf();
    const { workerGroupSpecs: _none, ...spec } = cluster.spec;
    expect(workerCounts({ ...cluster, spec })).toEqual({
      desiredWorkerReplicas: 0,
      minWorkerReplicas: 0,
      maxWorkerReplicas: 0,
    });
  });
});
