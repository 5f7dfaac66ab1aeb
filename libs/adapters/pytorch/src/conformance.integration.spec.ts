/** PyTorchJob in the conformance suite of all frameworks: workers alone, all of which have to succeed. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  PYTORCH_CONTAINER,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  replicaName,
  type PyTorchJob,
} from '@muster/job-api';
import { describeConformance, loneOperatorOptions, started, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { pytorchAdapter } from './pytorch-adapter.ts';

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

await describeConformance({
  resource: PYTORCH_JOBS,
  crd: crdFor(pytorchJobDefinition),
  operatorName: pytorchAdapter().labels.operatorNames[0],
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
});
