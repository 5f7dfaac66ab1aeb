import type { HorizontalPodAutoscaler } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { trainingJob } from '../../test-support/training-job.ts';
import { autoscalerChange, desiredAutoscaler } from './desired-autoscaler.ts';

const LABELS = { 'training.kubeflow.org/job-name': 'mnist' };

describe('desiredAutoscaler', () => {
  it('scales the job of its name between its bounds', () => {
    const metrics = [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: 0.5 } } },
    ];
    const autoscaling = { minReplicas: 2, maxReplicas: 8, metrics };
    expect(desiredAutoscaler(trainingJob([]), LABELS, autoscaling)).toEqual({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: {
        name: 'mnist',
        namespace: 'team',
        labels: LABELS,
        ownerReferences: [
          {
            apiVersion: 'kubeflow.org/v1',
            kind: 'PyTorchJob',
            name: 'mnist',
            uid: 'uid-1',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        scaleTargetRef: { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', name: 'mnist' },
        minReplicas: 2,
        maxReplicas: 8,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '500m' } } },
        ],
      },
    });
  });

  it('scales by CPU utilization if the list of metrics is empty', () => {
    const autoscaler = desiredAutoscaler(trainingJob([]), LABELS, { minReplicas: 1, maxReplicas: 2, metrics: [] });
    expect(autoscaler.spec?.metrics).toEqual([
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
    ]);
  });
});

const METRIC = { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '2' } } };
const WANTED = desiredAutoscaler(
  trainingJob([]),
  { job: 'mnist' },
  { minReplicas: 2, maxReplicas: 8, metrics: [METRIC] },
);

function stored(fields: object): HorizontalPodAutoscaler {
  return { ...WANTED, spec: { ...WANTED.spec, ...fields } as NonNullable<HorizontalPodAutoscaler['spec']> };
}

describe('autoscalerChange', () => {
  it.each<{ name: string; existing: HorizontalPodAutoscaler; patch: object | undefined }>([
    { name: 'no patch if nothing differs', existing: WANTED, patch: undefined },
    {
      name: 'no patch for a scaling behaviour and labels of others',
      existing: {
        ...stored({ behavior: { scaleDown: { stabilizationWindowSeconds: 10 } } }),
        metadata: { ...WANTED.metadata, labels: { job: 'mnist', theirs: 'yes' } },
        status: { desiredReplicas: 3 },
      },
      patch: undefined,
    },
    {
      name: 'no patch for equal amounts in another format',
      existing: stored({
        metrics: [{ ...METRIC, pods: { ...METRIC.pods, target: { type: 'AverageValue', averageValue: '2000m' } } }],
      }),
      patch: undefined,
    },
    { name: 'other bounds', existing: stored({ maxReplicas: 4 }), patch: { spec: { maxReplicas: 8 } } },
    {
      name: 'a patch for other metrics',
      existing: stored({ metrics: [METRIC, METRIC] }),
      patch: { spec: { metrics: [METRIC] } },
    },
    {
      name: 'a patch for another target',
      existing: stored({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'mnist' } }),
      patch: { spec: { scaleTargetRef: { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob' } } },
    },
    {
      name: 'a patch with the missing labels',
      existing: { ...WANTED, metadata: { name: 'mnist' } },
      patch: { metadata: { labels: { job: 'mnist' } } },
    },
  ])('gives $name', ({ existing, patch }) => {
    expect(autoscalerChange(existing, WANTED)).toEqual(patch);
  });
});
