/** Workers only, all of which have to succeed. All pods are Muster's, so this kind runs the engine's own cases. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  OPERATOR_NAMES,
  PYTORCH_CONTAINER,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  replicaName,
  type PyTorchJob,
} from '@muster/job-api';
import { loneOperatorOptions, started, type ConformanceFramework, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { pytorchAdapter } from '../src/pytorch-adapter.ts';

const workerNames = (job: string, workers: number) =>
  Array.from({ length: workers }, (_worker, index) => replicaName(job, 'Worker', index));

function manifest({ name, namespace, workers, annotations, runPolicy, restartPolicy, template }: JobShape): PyTorchJob {
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      runPolicy: { suspend: false, ...runPolicy },
      pytorchReplicaSpecs: { Worker: { replicas: workers, restartPolicy, template } },
    },
  };
}

export const pytorchConformance: ConformanceFramework = {
  isReference: true,
  resource: PYTORCH_JOBS,
  crd: crdFor(pytorchJobDefinition),
  operatorName: OPERATOR_NAMES.PyTorchJob,
  containerName: PYTORCH_CONTAINER,
  workerRole: 'Worker',
  manifest,
  podNames: workerNames,
  decidingPods: workerNames,
  startOperator(start) {
    const registry = new Registry();
    const adapter = { ...pytorchAdapter(), resource: start.resource };
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
};
