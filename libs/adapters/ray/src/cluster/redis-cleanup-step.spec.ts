/** A deleted RayCluster that keeps its state in Redis, queued by Kueue: its quota covers the pod that removes the data. */
import { newWorld, planJob, planned } from '@muster/common-job-controller';
import type { Job, Pod, RayCluster } from '@muster/job-api';
import { expect, it } from 'vitest';
import { clusterOf } from '../../test-support/cluster-models.ts';
import { passOver } from '../../test-support/cluster-worlds.ts';
import { REDIS_CLEANUP_FINALIZER } from '../model/ray-labels.ts';
import { rayClusterAdapter } from './ray-cluster-adapter.ts';

const NOW = Date.UTC(2030, 0, 1, 12);
const GIVEN = {
  labels: { 'kueue.x-k8s.io/queue-name': 'team' },
  spec: { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } },
};

function planDeleted(pods: readonly Pod[]) {
  const { name, namespace, uid, labels, annotations, spec } = clusterOf(GIVEN);
  const manifest: RayCluster = {
    ...{ apiVersion: 'ray.io/v1', kind: 'RayCluster', spec },
    metadata: {
      ...{ name, namespace, uid, labels, annotations, generation: 1, resourceVersion: '1' },
      ...{ finalizers: [REDIS_CLEANUP_FINALIZER], deletionTimestamp: new Date(NOW).toISOString() },
    },
  };
  const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local', kueue: true } as const;
  return planned(planJob(rayClusterAdapter(), { ...newWorld(manifest, NOW), pods }, settings));
}

it('creates the clean-up Job of a deleted cluster only when its pods are gone, small and fixed, so that it fits into their quota', () => {
  // Of a cluster without Redis, which needs no finalizer first.
  const { create } = passOver({});
  const head = create.pods.slice(0, 1);
  expect(head).toHaveLength(1);
  const before = planDeleted(head);
  expect(before.ownedResources.create).toEqual([]);
  const made = planDeleted([]).ownedResources.create.map(({ object }) => object);
  expect(made.map(({ kind }) => kind)).toEqual(['Job']);
  const [container] = (made[0] as Job).spec?.template.spec?.containers ?? [];
  const amounts = { cpu: '200m', memory: '256Mi' };
  expect(container?.resources).toEqual({ limits: amounts, requests: amounts });
  expect(JSON.stringify(made)).not.toContain('kueue.x-k8s.io');
});
