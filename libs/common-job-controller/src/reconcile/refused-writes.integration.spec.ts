import {
  COSCHEDULING_POD_GROUPS,
  HORIZONTAL_POD_AUTOSCALERS,
  LABELS,
  PODS,
  SERVICES,
  type KubeObject,
  type Resource,
  type JobStatus,
} from '@muster/job-api';
import { isKubeError, KubeError } from '@muster/kube';
import {
  admissionWebhook,
  eventually,
  installCrd,
  isLetThrough,
  loneOperatorOptions,
  requireLabel,
  started,
  testCluster,
  TravelClock,
  type Requirement,
} from '@muster/testing';
import { Registry } from 'prom-client';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PLAIN_JOBS, plainAdapter } from '../../test-support/plain-adapter.ts';
import { plainJobCrd } from '../../test-support/plain-crd.ts';
import { podGroupCrd } from '../../test-support/pod-group-crd.ts';
import { schedulerPlugins } from '../gang/scheduler-plugins.ts';
import type { JobManifest } from '../model/training-job.ts';
import { createJobOperator } from '../operator/job-operator.ts';

const WITHIN_MS = 60_000;
const NAME = 'train';
const POD = `${NAME}-worker-0`;
const cluster = await testCluster();
const { client } = cluster;
const adapter = {
  ...plainAdapter({ workers: 1 }),
  autoscaling: { autoscaler: () => ({ minReplicas: 1, maxReplicas: 4, metrics: [] }) },
};

let clock: TravelClock;
let namespace: string;
let ends: (() => Promise<unknown>)[];

beforeAll(async () => {
  await installCrd(client, plainJobCrd(PLAIN_JOBS));
  await installCrd(client, podGroupCrd(COSCHEDULING_POD_GROUPS));
});

beforeEach(async () => {
  clock = new TravelClock();
  ends = [];
  namespace = await cluster.namespace();
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const start = {
    client,
    namespaces: [namespace],
    serviceMode: 'PerJob',
    clock,
    logger,
  } as const;
  const options = loneOperatorOptions(start);
  const registry = new Registry();
  const settings = { ...options.settings, gang: schedulerPlugins('no-scheduler') };
  const operator = await started(createJobOperator({ ...options, settings, adapters: [adapter], registry }), registry);
  ends.push(() => operator.stop());
});

afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

function inTime<T>(what: string, condition: () => Promise<T>) {
  return eventually(
    async () => {
      clock.advance(10_000);
      return condition();
    },
    { withinMs: WITHIN_MS, describe: async () => ({ what, status: (await theJob()).status }) },
  );
}

const key = () => ({ namespace, name: NAME });
const theJob = async (): Promise<JobManifest & { status?: JobStatus }> => client.get(PLAIN_JOBS, key());
const createJob = () => client.create(PLAIN_JOBS, { metadata: { name: NAME, namespace }, spec: {} });
const change = (runPolicy: object) => client.patch(PLAIN_JOBS, key(), { spec: { runPolicy } });
const podIsThere = () => isThere(PODS, POD);

async function isThere(resource: Resource, name: string): Promise<boolean> {
  try {
    await client.get<KubeObject>(resource, { namespace, name });
    return true;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return false;
    throw error;
  }
}

async function replicaFailure() {
  const { conditions = [] } = (await theJob()).status ?? {};
  return conditions.find(({ type }) => type === 'ReplicaFailure');
}

async function reported(reason: string, message: string): Promise<void> {
  const failure = await inTime(`the job reports ${reason}`, replicaFailure);
  expect(failure).toMatchObject({ reason, status: 'True' });
  expect(failure.message).toContain(message);
}

const reportsNothing = () =>
  inTime('the job no longer reports a failure', async () => (await replicaFailure()) === undefined);

function require(requirement: Omit<Requirement, 'reason'>): Promise<() => Promise<void>> {
  const place = {
    client,
    namespace,
    atEnd: (end: () => Promise<unknown>) => void ends.push(end),
    until: <V>(condition: () => V | Promise<V>, describe: string | (() => unknown)) =>
      eventually(condition, { withinMs: WITHIN_MS, describe }),
  };
  return requireLabel(place, { ...requirement, reason: 'Invalid' });
}

const ruleOf = ({ group, version, plural }: Resource, operation: string) => ({
  apiGroups: [group],
  apiVersions: [version],
  operations: [operation],
  resources: [plural],
});

const notMade = (resource: Resource, spec: object): Omit<Requirement, 'reason'> => ({
  what: `new ${resource.plural}`,
  rule: ruleOf(resource, 'CREATE'),
  isMet: () =>
    isLetThrough(() =>
      client.create<KubeObject>(resource, { metadata: { name: 'probe', namespace }, ...spec }, { dryRun: true }),
    ),
});

const notPatched = (resource: Resource, name: string): Omit<Requirement, 'reason'> => ({
  what: `changed ${resource.plural}`,
  rule: ruleOf(resource, 'UPDATE'),
  isMet: () =>
    isLetThrough(() =>
      client.patch(resource, { namespace, name }, { metadata: { annotations: { probe: 'yes' } } }, { dryRun: true }),
    ),
});

const notDeleted = (resource: Resource, name: string): Omit<Requirement, 'reason'> => ({
  what: `deleted ${resource.plural}`,
  rule: ruleOf(resource, 'DELETE'),
  isMet: () => isLetThrough(() => client.delete(resource, { namespace, name }, { dryRun: true })),
});

async function podRuns(): Promise<void> {
  await inTime('the pod is created', podIsThere);
  const containerStatuses = [{ name: 'main', image: '', imageID: '', ready: true, restartCount: 0 }];
  await client.patchStatus(PODS, { namespace, name: POD }, { status: { phase: 'Running', containerStatuses } });
  await stateToBe('Running');
}

const stateToBe = (state: string) => inTime(`state ${state}`, async () => (await theJob()).status?.state === state);

const SCALED = { scaleTargetRef: { kind: 'Deployment', name: 'theirs', apiVersion: 'apps/v1' }, maxReplicas: 2 };

describe('a create refused by a policy', () => {
  it.each([
    { what: 'a pod group', resource: COSCHEDULING_POD_GROUPS, spec: { spec: { minMember: 1 } } },
    { what: 'a Service', resource: SERVICES, spec: { spec: { ports: [{ port: 80 }] } } },
  ])('keeps the job waiting and is reported for $what; the job runs once it is allowed', async ({ resource, spec }) => {
    const takeBack = await require(notMade(resource, spec));
    await createJob();
    await reported('FailedCreate', `new ${resource.plural} need the label`);
    expect([await podIsThere(), (await theJob()).status?.state]).toEqual([false, 'Created']);
    await takeBack();
    await podRuns();
    await reportsNothing();
  });

  it('is reported and delays nothing else for an autoscaler', async () => {
    const takeBack = await require(notMade(HORIZONTAL_POD_AUTOSCALERS, { spec: SCALED }));
    await createJob();
    await podRuns();
    await reported('FailedCreate', 'new horizontalpodautoscalers need the label');
    await takeBack();
    await inTime('the autoscaler is created', () => isThere(HORIZONTAL_POD_AUTOSCALERS, NAME));
    await reportsNothing();
  });
});

describe('an update refused by a policy', () => {
  it('is reported for a pod group; the job continues, and can be suspended', async () => {
    await createJob();
    await podRuns();
    // The job's own pod group is deleted when it is suspended.
    await client.create(COSCHEDULING_POD_GROUPS, { metadata: { name: 'probe', namespace }, spec: { minMember: 1 } });
    const takeBack = await require(notPatched(COSCHEDULING_POD_GROUPS, 'probe'));
    await change({ schedulingPolicy: { scheduleTimeoutSeconds: 77 } });
    await reported('FailedUpdate', 'changed podgroups need the label');
    expect((await theJob()).status?.state).toBe('Running');
    await change({ suspend: true });
    await stateToBe('Suspended');
    await inTime('the pod is gone', async () => !(await podIsThere()));
    await takeBack();
    await change({ suspend: false });
    await podRuns();
    await reportsNothing();
    const { spec } = await client.get(COSCHEDULING_POD_GROUPS, key());
    expect(spec?.scheduleTimeoutSeconds).toBe(77);
  });

  it('is reported for a pod to be adopted, which happens once it is allowed', async () => {
    const labels = {
      ...adapter.labels.ofJob(NAME),
      [LABELS.replicaType]: 'worker',
      [LABELS.replicaIndex]: '0',
    };
    const spec = { schedulerName: 'no-scheduler', containers: [{ name: 'main', image: 'registry.example/main:1' }] };
    await client.create(PODS, { metadata: { name: POD, namespace, labels }, spec });
    const takeBack = await require(notPatched(PODS, POD));
    const { metadata } = await createJob();
    await reported('FailedUpdate', 'changed pods need the label');
    await takeBack();
    await inTime('the pod is taken over', async () => {
      const { ownerReferences = [] } = (await client.get(PODS, { namespace, name: POD })).metadata ?? {};
      return ownerReferences.some(({ uid }) => uid === metadata?.uid);
    });
    await reportsNothing();
  });
});

describe('a deletion refused by a policy', () => {
  it('is reported for the pod of a suspended job, which is deleted once it is allowed', async () => {
    await createJob();
    await podRuns();
    const takeBack = await require(notDeleted(PODS, POD));
    await change({ suspend: true });
    await reported('FailedDelete', 'deleted pods need the label');
    expect((await theJob()).status?.state).toBe('Suspended');
    await inTime('the Service is gone all the same', async () => !(await isThere(SERVICES, NAME)));
    expect(await podIsThere()).toBe(true);
    await takeBack();
    await inTime('the pod is gone', async () => !(await podIsThere()));
    await reportsNothing();
  });
});

describe('a webhook', () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
  const spec = { schedulerName: 'no-scheduler', containers: [{ name: 'c', image: 'registry.example/x:1' }] };

  const codeToBe = (code: number) =>
    eventually(
      async () => {
        const probe = { metadata: { name: 'probe', namespace }, spec };
        const made = client.create(PODS, probe, { dryRun: true }).then(() => 201);
        return code === (await made.catch((error: unknown) => (error instanceof KubeError ? error.code : 0)));
      },
      { withinMs: WITHIN_MS, describe: `a new pod is answered with ${code}` },
    );

  it.each([
    { what: 'denies the pods', isDown: false, code: 403, message: 'denied the request: not on this cluster' },
    { what: 'does not answer', isDown: true, code: 500, message: 'failed calling webhook' },
  ])(
    'that $what keeps the job waiting, which is reported, until the webhook is removed',
    async ({ isDown, code, message }) => {
      await using webhook = await admissionWebhook(client, { namespace, rule, message: 'not on this cluster' });
      await codeToBe(403);
      if (isDown) await webhook.goDown();
      await codeToBe(code);
      await createJob();
      await reported('FailedCreate', message);
      expect([await podIsThere(), (await theJob()).status?.state]).toEqual([false, 'Created']);
      await webhook.remove();
      await codeToBe(201);
      await podRuns();
      await reportsNothing();
    },
  );
});
