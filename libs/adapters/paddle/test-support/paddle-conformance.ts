/** PaddleJob in the tests of all kinds: a master, which decides the outcome, and workers. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  OPERATOR_NAMES,
  replicaName,
  PADDLE_CONTAINER,
  PADDLE_JOBS,
  paddleJobDefinition,
  type PaddleJob,
} from '@muster/job-api';
import { loneOperatorOptions, started, type ConformanceFramework, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { paddleAdapter } from '../src/paddle-adapter.ts';

const workerNames = (job: string, workers: number) =>
  Array.from({ length: workers }, (_worker, index) => replicaName(job, 'Worker', index));

function manifest({ name, namespace, workers, ...shape }: JobShape): PaddleJob {
  const { annotations, runPolicy, restartPolicy, template } = shape;
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PaddleJob',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      runPolicy: { suspend: false, ...runPolicy },
      paddleReplicaSpecs: {
        Master: { restartPolicy, template },
        Worker: { replicas: workers, restartPolicy, template },
      },
    },
  };
}

export const paddleConformance: ConformanceFramework = {
  isPlain: true,
  resource: PADDLE_JOBS,
  crd: crdFor(paddleJobDefinition),
  operatorName: OPERATOR_NAMES.PaddleJob,
  containerName: PADDLE_CONTAINER,
  workerRole: 'Worker',
  leadingRole: 'Master',
  manifest,
  podNames: (job, workers) => [replicaName(job, 'Master', 0), ...workerNames(job, workers)],
  decidingPods: (job) => [replicaName(job, 'Master', 0)],
  startOperator(start) {
    const registry = new Registry();
    const adapter = { ...paddleAdapter(), resource: start.resource };
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
};
