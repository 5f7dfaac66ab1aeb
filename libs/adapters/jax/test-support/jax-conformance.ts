/** JAXJob in the tests of all kinds: workers, all of which have to succeed. */
import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  OPERATOR_NAMES,
  replicaName,
  JAX_CONTAINER,
  JAX_JOBS,
  jaxJobDefinition,
  type JAXJob,
} from '@muster/job-api';
import { loneOperatorOptions, started, type ConformanceFramework, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { jaxAdapter } from '../src/jax-adapter.ts';

const workerNames = (job: string, workers: number) =>
  Array.from({ length: workers }, (_worker, index) => replicaName(job, 'Worker', index));

function manifest({ name, namespace, workers, ...shape }: JobShape): JAXJob {
  const { annotations, runPolicy, restartPolicy, template } = shape;
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'JAXJob',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      runPolicy: { suspend: false, ...runPolicy },
      jaxReplicaSpecs: { Worker: { replicas: workers, restartPolicy, template } },
    },
  };
}

export const jaxConformance: ConformanceFramework = {
  isPlain: true,
  resource: JAX_JOBS,
  crd: crdFor(jaxJobDefinition),
  operatorName: OPERATOR_NAMES.JAXJob,
  containerName: JAX_CONTAINER,
  workerRole: 'Worker',
  manifest,
  podNames: workerNames,
  decidingPods: workerNames,
  startOperator(start) {
    const registry = new Registry();
    const adapter = { ...jaxAdapter(), resource: start.resource };
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
};
