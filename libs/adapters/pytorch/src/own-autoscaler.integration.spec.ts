/** A user's HorizontalPodAutoscaler with the job's name, as created by `kubectl autoscale`. The job does not own it. */
import { createJobOperator, type JobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  EVENTS,
  HORIZONTAL_POD_AUTOSCALERS,
  PODS,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  type PyTorchElasticPolicy,
  type PyTorchJob,
} from '@muster/job-api';
import { eventually, installCrd, loneOperatorOptions, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pytorchAdapter } from './pytorch-adapter.ts';

const cluster = await testCluster();
const { client } = cluster;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const BOUNDS = { minReplicas: 1, maxReplicas: 4 };

let namespace: string;
let operator: JobOperator;

beforeAll(async () => {
  await installCrd(client, crdFor(pytorchJobDefinition));
  namespace = await cluster.namespace();
  const options = loneOperatorOptions({
    client,
    namespaces: [namespace],
    serviceMode: 'PerJob',
    clock: new TravelClock(),
    logger: silent,
  });
  operator = createJobOperator({ ...options, adapters: [pytorchAdapter()], registry: new Registry() });
  await operator.start();
});

afterAll(() => operator.stop());

function elasticJob(name: string, elasticPolicy: PyTorchElasticPolicy): PyTorchJob {
  const containers = [{ name: 'pytorch', image: 'registry.example/train:1' }];
  const template = { spec: { schedulerName: 'absent', containers } };
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name, namespace },
    spec: {
      runPolicy: { suspend: false },
      elasticPolicy,
      pytorchReplicaSpecs: { Worker: { replicas: 2, restartPolicy: 'OnFailure', template } },
    },
  };
}

/** Like `kubectl autoscale pytorchjob/<name> --min=3 --max=4 --cpu=50%`. */
const autoscale = (name: string) =>
  client.create(HORIZONTAL_POD_AUTOSCALERS, {
    metadata: { name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', name },
      minReplicas: 3,
      maxReplicas: 4,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  });

async function podsToBe(name: string, count: number): Promise<void> {
  let seen: unknown;
  await eventually(
    async () => {
      const { items } = await client.list(PODS, { namespace, labelSelector: `training.kubeflow.org/job-name=${name}` });
      seen = items.map(({ metadata }) => metadata?.name);
      return items.length === count;
    },
    { withinMs: 90_000, describe: () => ({ expected: count, seen }) },
  );
}

async function expectUntouched(made: Awaited<ReturnType<typeof autoscale>>): Promise<void> {
  const { metadata, spec } = await client.get(HORIZONTAL_POD_AUTOSCALERS, {
    namespace,
    name: made.metadata?.name ?? '',
  });
  expect(metadata?.uid).toBe(made.metadata?.uid);
  expect(metadata?.ownerReferences).toBeUndefined();
  expect(metadata?.labels).toBeUndefined();
  expect(spec).toEqual(made.spec);
}

describe("a user's autoscaler of an elastic job", { timeout: 240_000 }, () => {
  it('scales the job, and is kept over its suspension', async () => {
    await client.create(PYTORCH_JOBS, elasticJob('alone', BOUNDS));
    await podsToBe('alone', 2);
    const made = await autoscale('alone');
    await podsToBe('alone', 3);
    await expectUntouched(made);
    await client.patch(PYTORCH_JOBS, { namespace, name: 'alone' }, { spec: { runPolicy: { suspend: true } } });
    await podsToBe('alone', 0);
    await expectUntouched(made);
  });

  it('conflicts with the one of elasticPolicy.metrics, which the job reports and runs without', async () => {
    const made = await autoscale('both');
    await client.create(PYTORCH_JOBS, elasticJob('both', { ...BOUNDS, metrics: [] }));
    await podsToBe('both', 3);
    const output = await eventually(
      async () => {
        const { items } = await client.list(EVENTS, { namespace });
        return items.find(({ regarding, reason }) => regarding?.name === 'both' && reason === 'NameTaken');
      },
      { withinMs: 90_000, describe: 'the event NameTaken of the job' },
    );
    expect(output.note).toContain('HorizontalPodAutoscaler');
    await expectUntouched(made);
  });
});
