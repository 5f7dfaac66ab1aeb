import { HORIZONTAL_POD_AUTOSCALERS } from '@muster/job-api';
import { testCluster } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { storedOwner } from '../../test-support/stored-owner.ts';
import { trainingJob } from '../../test-support/training-job.ts';
import { autoscalerChange, desiredAutoscaler } from './desired-autoscaler.ts';
import type { Autoscaling } from '../model/autoscaling.ts';

const cluster = await testCluster();
const LABELS = { 'training.kubeflow.org/job-name': 'mnist' };

const target = (amounts: object) => ({ type: 'AverageValue', ...amounts });

/** Every kind of metric, in formats that the API server normalizes. */
const METRICS: readonly { name: string; metric: object }[] = [
  {
    name: 'Resource by utilization',
    metric: { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
  },
  {
    name: 'Resource by a fraction',
    metric: { type: 'Resource', resource: { name: 'cpu', target: target({ averageValue: 0.5 }) } },
  },
  {
    name: 'Resource by 1000m',
    metric: { type: 'Resource', resource: { name: 'cpu', target: target({ averageValue: '1000m' }) } },
  },
  {
    name: 'ContainerResource',
    metric: {
      type: 'ContainerResource',
      containerResource: { name: 'memory', container: 'pytorch', target: target({ averageValue: '1.5Gi' }) },
    },
  },
  {
    name: 'Pods with an empty selector',
    metric: {
      type: 'Pods',
      pods: { metric: { name: 'queue', selector: {} }, target: target({ averageValue: '1e3' }) },
    },
  },
  {
    name: 'Object',
    metric: {
      type: 'Object',
      object: {
        describedObject: { apiVersion: 'v1', kind: 'Service', name: 'queue' },
        metric: { name: 'length', selector: { matchLabels: {}, matchExpressions: [] } },
        target: { type: 'Value', value: 2000 },
      },
    },
  },
  {
    name: 'External with fields that autoscaling/v2 does not have',
    metric: {
      type: 'External',
      unknown: 1,
      resource: null,
      external: {
        metric: {
          name: 'length',
          selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: [] }], matchLabels: { b: 'c' } },
        },
        target: target({ averageValue: '30', unknown: 1 }),
      },
    },
  },
];

async function place() {
  const namespace = await cluster.namespace();
  const stored = await storedOwner(cluster.client, namespace);
  const job = trainingJob([], { namespace, stored });
  const desired = (metrics: readonly object[], maxReplicas = 8) =>
    desiredAutoscaler(job, LABELS, { minReplicas: 1, maxReplicas, metrics } satisfies Autoscaling);
  const key = { name: job.metadata.name, namespace };
  return {
    desired,
    create: (metrics: readonly object[]) => cluster.client.create(HORIZONTAL_POD_AUTOSCALERS, desired(metrics)),
    read: () => cluster.client.get(HORIZONTAL_POD_AUTOSCALERS, key),
    patch: (patch: object) => cluster.client.patch(HORIZONTAL_POD_AUTOSCALERS, key, patch),
  };
}

describe('a stored autoscaler', () => {
  it.each(METRICS)('equals the desired one after its creation: $name', async ({ metric }) => {
    const { create, read, desired } = await place();
    await create([metric]);
    expect(autoscalerChange(await read(), desired([metric]))).toBeUndefined();
  });

  it('equals the desired one after its creation: all metrics, and none', async () => {
    const all = METRICS.map(({ metric }) => metric);
    for (const metrics of [all, []]) {
      const { create, read, desired } = await place();
      await create(metrics);
      expect(autoscalerChange(await read(), desired(metrics))).toBeUndefined();
    }
  });

  it("has the API server's default metric if none is set", async () => {
    const { create, patch } = await place();
    const ours = await create([]);
    const theirs = await patch({ spec: { metrics: null } });
    expect(theirs.spec?.metrics).toEqual(ours.spec?.metrics);
  });

  it('applies other bounds and metrics in one patch, and keeps the scaling behaviour of a user', async () => {
    const { create, read, patch, desired } = await place();
    const [first = {}, second = {}] = METRICS.map(({ metric }) => metric);
    await create([first]);
    await patch({ spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 10 } } } });
    expect(autoscalerChange(await read(), desired([first]))).toBeUndefined();
    const wanted = desired([second, first], 16);
    const changed = await patch(autoscalerChange(await read(), wanted) ?? {});
    expect(changed.spec).toMatchObject({
      maxReplicas: 16,
      metrics: wanted.spec?.metrics,
      behavior: { scaleDown: { stabilizationWindowSeconds: 10 } },
    });
    expect(autoscalerChange(await read(), wanted)).toBeUndefined();
  });
});
