import {
  COSCHEDULING_POD_GROUPS,
  HORIZONTAL_POD_AUTOSCALERS,
  PODS,
  type KubeObject,
  type Resource,
  type JobStatus,
} from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLAIN_JOBS, plainAdapter } from '../../test-support/plain-adapter.ts';
import { plainJobCrd } from '../../test-support/plain-crd.ts';
import { podGroupCrd } from '../../test-support/pod-group-crd.ts';
import { schedulerPlugins } from '../gang/scheduler-plugins.ts';
import { createJobOperator } from '../operator/job-operator.ts';

const WITHIN_MS = 60_000;
const cluster = await testCluster();
const { client } = cluster;
const clock = new TravelClock();
const adapter = {
  ...plainAdapter({ workers: 1 }),
  autoscaling: { autoscaler: () => ({ minReplicas: 1, maxReplicas: 4, metrics: [] }) },
};
let namespace: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  await installCrd(client, plainJobCrd(PLAIN_JOBS));
  await installCrd(client, podGroupCrd(COSCHEDULING_POD_GROUPS));
  namespace = await cluster.namespace();
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const start = {
    client,
    namespaces: [namespace],
    resource: PLAIN_JOBS,
    serviceMode: 'PerJob',
    clock,
    logger,
  } as const;
  const options = loneOperatorOptions(start);
  const registry = new Registry();
  const settings = { ...options.settings, gang: schedulerPlugins('no-scheduler') };
  const operator = await started(createJobOperator({ ...options, settings, adapters: [adapter], registry }), registry);
  stop = () => operator.stop();
});

afterAll(() => stop());

const jobNamed = (name: string) => client.get(PLAIN_JOBS, { namespace, name });

async function replicaFailure(name: string) {
  const { conditions = [] }: JobStatus = (await jobNamed(name)).status ?? {};
  return conditions.find(({ type }) => type === 'ReplicaFailure');
}

async function isThere(resource: Resource, name: string): Promise<boolean> {
  try {
    await client.get<KubeObject>(resource, { namespace, name });
    return true;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return false;
    throw error;
  }
}

function inTime<T>(what: string, condition: () => Promise<T>) {
  return eventually(
    async () => {
      clock.advance(10_000);
      return condition();
    },
    { withinMs: WITHIN_MS, describe: what },
  );
}

const jobOf = (name: string) => client.create(PLAIN_JOBS, { metadata: { name, namespace }, spec: {} });
const podOf = (name: string) => isThere(PODS, `${name}-worker-0`);

async function held(resource: Resource, name: string, object: object, labels?: Record<string, string>) {
  const whole = { metadata: { name, namespace, ...(labels && { labels }) }, ...object };
  return client.create<KubeObject>(resource, whole);
}

async function isUntouched(resource: Resource, { metadata }: KubeObject): Promise<void> {
  const now = await client.get<KubeObject>(resource, { namespace, name: metadata?.name ?? '' });
  expect(now.metadata?.resourceVersion).toBe(metadata?.resourceVersion);
}

const SCALED = {
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'theirs', apiVersion: 'apps/v1' }, maxReplicas: 2 },
};
const GROUP = { spec: { minMember: 7 } };
const LABELS_OF = (job: string) => adapter.labels.ofJob(job);

describe('an object without an owner under a name that a job needs', () => {
  it('is not changed and does not delay the job if it is an autoscaler, and is reported until it is gone', async () => {
    const theirs = await held(HORIZONTAL_POD_AUTOSCALERS, 'scaled', SCALED);
    await jobOf('scaled');
    await inTime('the pod is created', () => podOf('scaled'));
    const reported = await inTime('the job tells of it', () => replicaFailure('scaled'));
    expect(reported).toMatchObject({ reason: 'NameTaken', status: 'True' });
    expect(reported.message).toContain('HorizontalPodAutoscaler scaled already exists and has no controller');
    const spec = (await client.get(HORIZONTAL_POD_AUTOSCALERS, { namespace, name: 'scaled' })).spec;
    expect(spec?.scaleTargetRef.name).toBe('theirs');
    await client.delete(HORIZONTAL_POD_AUTOSCALERS, { namespace, name: 'scaled' });
    await inTime('the job no longer reports it', async () => (await replicaFailure('scaled')) === undefined);
    const ours = await client.get(HORIZONTAL_POD_AUTOSCALERS, { namespace, name: 'scaled' });
    expect(ours.metadata?.uid).not.toBe(theirs.metadata?.uid);
  });

  it('is not changed and delays the job if it is a pod group, until it is gone', async () => {
    const theirs = await held(COSCHEDULING_POD_GROUPS, 'grouped', GROUP);
    await jobOf('grouped');
    const reported = await inTime('the job tells of it', () => replicaFailure('grouped'));
    expect(reported.message).toContain('PodGroup grouped already exists and has no controller');
    await isUntouched(COSCHEDULING_POD_GROUPS, theirs);
    expect(await podOf('grouped')).toBe(false);
    await client.delete(COSCHEDULING_POD_GROUPS, { namespace, name: 'grouped' });
    await inTime('the pod is created', () => podOf('grouped'));
    await inTime('the job no longer reports it', async () => (await replicaFailure('grouped')) === undefined);
  });

  it("is adopted if it is a pod group with the job's labels, left by an earlier job of the same name", async () => {
    await held(COSCHEDULING_POD_GROUPS, 'left', GROUP, LABELS_OF('left'));
    const { metadata } = await jobOf('left');
    await inTime('the pod is created', () => podOf('left'));
    const group = await client.get(COSCHEDULING_POD_GROUPS, { namespace, name: 'left' });
    expect(group.metadata?.ownerReferences?.map(({ uid }) => uid)).toEqual([metadata?.uid]);
    expect(group.spec?.minMember).toBe(1);
  });
});
