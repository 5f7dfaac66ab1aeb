/** PyTorchJob in the conformance suite of all frameworks: workers alone, all of which have to succeed. */
import { createJobOperator } from '@muster/common-job-controller';
import { crdFor, PYTORCH_JOBS, pytorchJobDefinition, replicaName, type PyTorchJob } from '@muster/job-api';
import { describeConformance, eventually, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
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
  operatorName: pytorchAdapter().operatorName,
  containerName: pytorchAdapter().containerName,
  workerRole: 'Worker',
  manifest,
  podNames: workerNames,
  decidingPods: workerNames,
  async startOperator({ client, namespaces, resource, serviceMode, clock, logger }) {
    const registry = new Registry();
    const operator = createJobOperator({
      adapter: { ...pytorchAdapter(), resource },
      client,
      registry,
      logger,
      clock,
      namespaces,
      concurrency: 1,
      settings: { serviceMode, clusterDomain: 'cluster.local' },
      leaderElection: {
        enabled: false,
        namespace: '',
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryPeriodMs: 2000,
      },
      shutdownTimeoutMs: 10_000,
      onLeadershipLost: () => expect.fail('the operator cannot start'),
    });
    await operator.start();
    await eventually(() => operator.problems().length === 0, { withinMs: 60_000, describe: () => operator.problems() });
    return { registry, stop: () => operator.stop() };
  },
});
