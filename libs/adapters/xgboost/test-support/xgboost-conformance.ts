/** XGBoostJob in the tests of all kinds: a master, which decides the outcome, and workers. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  OPERATOR_NAMES,
  replicaName,
  XGBOOST_CONTAINER,
  XGBOOST_JOBS,
  xgboostJobDefinition,
  type XGBoostJob,
} from '@muster/job-api';
import { loneOperatorOptions, started, type ConformanceFramework, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { xgboostAdapter } from '../src/xgboost-adapter.ts';

const workerNames = (job: string, workers: number) =>
  Array.from({ length: workers }, (_worker, index) => replicaName(job, 'Worker', index));

function manifest({ name, namespace, workers, ...shape }: JobShape): XGBoostJob {
  const { annotations, runPolicy, restartPolicy, template } = shape;
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'XGBoostJob',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      runPolicy: { suspend: false, ...runPolicy },
      xgbReplicaSpecs: { Master: { restartPolicy, template }, Worker: { replicas: workers, restartPolicy, template } },
    },
  };
}

export const xgboostConformance: ConformanceFramework = {
  isPlain: true,
  resource: XGBOOST_JOBS,
  crd: crdFor(xgboostJobDefinition),
  operatorName: OPERATOR_NAMES.XGBoostJob,
  containerName: XGBOOST_CONTAINER,
  workerRole: 'Worker',
  leadingRole: 'Master',
  manifest,
  podNames: (job, workers) => [replicaName(job, 'Master', 0), ...workerNames(job, workers)],
  decidingPods: (job) => [replicaName(job, 'Master', 0)],
  doesNotApply: (_topic, name) => (name.includes('scale subresource') ? 'an XGBoostJob has none' : undefined),
  startOperator(start) {
    const registry = new Registry();
    const adapter = { ...xgboostAdapter(), resource: start.resource };
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
};
