/** A chief, which decides, and workers. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  TF_CONTAINER,
  replicaName,
  TF_JOBS,
  tfJobDefinition,
  type TFJob,
  OPERATOR_NAMES,
} from '@muster/job-api';
import { describeConformance, loneOperatorOptions, started, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { tfAdapter } from './tf-adapter.ts';

const workerNames = (job: string, workers: number) =>
  Array.from({ length: workers }, (_worker, index) => replicaName(job, 'Worker', index));

function manifest({ name, namespace, workers, isResized, ...shape }: JobShape): TFJob {
  const { annotations, runPolicy, restartPolicy, template } = shape;
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'TFJob',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      runPolicy: { suspend: false, ...runPolicy },
      ...(isResized && { enableDynamicWorker: true }),
      tfReplicaSpecs: { Chief: { restartPolicy, template }, Worker: { replicas: workers, restartPolicy, template } },
    },
  };
}

await describeConformance({
  resource: TF_JOBS,
  crd: crdFor(tfJobDefinition),
  operatorName: OPERATOR_NAMES.TFJob,
  containerName: TF_CONTAINER,
  workerRole: 'Worker',
  leadingRole: 'Chief',
  manifest,
  podNames: (job, workers) => [replicaName(job, 'Chief', 0), ...workerNames(job, workers)],
  decidingPods: (job) => [replicaName(job, 'Chief', 0)],
  startOperator(start) {
    const registry = new Registry();
    const adapter = { ...tfAdapter(), resource: start.resource };
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
});
