import { deletionOf, newWorld, planJob, readJob } from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import type { Job, Pod, RayCluster } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf } from '../../test-support/cluster-models.ts';
import { passOver } from '../../test-support/cluster-worlds.ts';
import { REDIS_CLEANUP_FINALIZER } from '../model/ray-labels.ts';
import { rayClusterAdapter } from './ray-cluster-adapter.ts';
import type { RayTrainingJob } from './ray-cluster-roles.ts';
import { redisCleanupStep } from './redis-cleanup-step.ts';

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

it('creates a clean-up Job of fixed small size for a deleted cluster only when its pods are gone, so that it fits into their quota', () => {
  // A cluster without Redis, so the finalizer is not added first.
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

/** Offset of the operator's clock from the API server's, in seconds. */
describe.each([-300, 0, 300])('the clean-up of Redis, by a clock that is %i s ahead', (aheadSeconds) => {
  const stepAfter = (seenSeconds: number) => {
    const { name, namespace, uid, spec } = clusterOf({
      spec: { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } },
    });
    const annotations = { 'ray.io/gcs-ft-deletion-timeout': '60' };
    const deletionTimestamp = new Date(NOW - (seenSeconds + aheadSeconds) * 1000).toISOString();
    const metadata = { name, namespace, uid, annotations, deletionTimestamp };
    const manifest: RayCluster = { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata, spec };
    const cluster = readJob(rayClusterAdapter(), manifest) as RayTrainingJob;
    const step = redisCleanupStep(cluster, [], {
      ...{ pods: [], ownedResources: [], references: [], probeResults: new Map(), nowMs: NOW },
      stateAges: new Map([[deletionOf(manifest), seenSeconds * 1000]]),
    });
    return { ownedResources: [], recheckAfterMs: undefined, ...step };
  };

  it.each([0, 59])('runs %i s after the operator observed the deletion', (seenSeconds) => {
    const { isDone, ownedResources, recheckAfterMs } = stepAfter(seenSeconds);
    expect(ownedResources.map(({ object }) => object.metadata?.name)).toEqual(['demo-redis-cleanup']);
    expect([isDone, recheckAfterMs]).toEqual([false, (60 - seenSeconds) * 1000]);
  });

  it('is abandoned when the operator has observed the deletion for the timeout', () => {
    expect(stepAfter(60)).toMatchObject({ isDone: true, ownedResources: [] });
  });
});
