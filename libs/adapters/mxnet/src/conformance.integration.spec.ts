/** A tuning job, whose tuners decide. The suite does not cover that workers of training jobs wait for the scheduler. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  MX_CONTAINER,
  replicaName,
  MX_JOBS,
  mxJobDefinition,
  type MXJob,
  OPERATOR_NAMES,
} from '@muster/job-api';
import { describeConformance, loneOperatorOptions, started, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { mxAdapter } from './mx-adapter.ts';

const workerNames = (job: string, workers: number) =>
  Array.from({ length: workers }, (_worker, index) => replicaName(job, 'Tuner', index));

function manifest({ name, namespace, workers, annotations, runPolicy, restartPolicy, template }: JobShape): MXJob {
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'MXJob',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      jobMode: 'MXTune',
      runPolicy: { suspend: false, ...runPolicy },
      mxReplicaSpecs: {
        TunerTracker: { restartPolicy, template },
        Tuner: { replicas: workers, restartPolicy, template },
      },
    },
  };
}

await describeConformance({
  resource: MX_JOBS,
  crd: crdFor(mxJobDefinition),
  operatorName: OPERATOR_NAMES.MXJob,
  containerName: MX_CONTAINER,
  workerRole: 'Tuner',
  leadingRole: 'TunerTracker',
  manifest,
  podNames: (job, workers) => [replicaName(job, 'TunerTracker', 0), ...workerNames(job, workers)],
  decidingPods: workerNames,
  doesNotApply: (_topic, name) => (name.includes('scale subresource') ? 'an MXJob has none' : undefined),
  endlessPods: (job) => [replicaName(job, 'TunerTracker', 0)],
  startOperator(start) {
    const registry = new Registry();
    const adapter = { ...mxAdapter(), resource: start.resource };
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
});
