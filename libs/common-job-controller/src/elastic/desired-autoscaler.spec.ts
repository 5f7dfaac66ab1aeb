import { describe, expect, it } from 'vitest';
import { trainingJob } from '../../test-support/training-job.ts';
import { desiredAutoscaler } from './desired-autoscaler.ts';

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
