/** An operator in shadow mode, as a user who may only read. The test creates what another operator would. */
import { objectsOf, operatorPermissions, readPermissions, type JobManifest } from '@muster/common-job-controller';
import { crdFor, PODS, PYTORCH_JOBS, pytorchJobDefinition, SERVICES, type Pod, type Resource } from '@muster/job-api';
import { createShadowOperator, type KindReport } from '@muster/shadow';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { Registry } from 'prom-client';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { adaptersOf } from '../../test-support/framework-adapters.ts';

const cluster = await testCluster();
const { client } = cluster;
const adapters = adaptersOf('pytorch-elastic');
const JOBS: Resource<JobManifest> = PYTORCH_JOBS;
const USER = 'muster-shadow';
const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const rbac = (kind: string, plural: string): Resource<object> => ({
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced: true },
});

beforeAll(() => installCrd(client, crdFor(pytorchJobDefinition)));

async function shadow() {
  const namespace = await cluster.namespace();
  const rules = readPermissions(operatorPermissions(adapters, undefined)).map(({ group, resource, verbs }) => ({
    ...{ apiGroups: [group], resources: [resource], verbs },
  }));
  const metadata = { name: USER, namespace };
  const apiGroup = 'rbac.authorization.k8s.io';
  await client.create(rbac('Role', 'roles'), { metadata, rules });
  await client.create(rbac('RoleBinding', 'rolebindings'), {
    ...{
      metadata,
      roleRef: { apiGroup, kind: 'Role', name: USER },
      subjects: [{ apiGroup, kind: 'User', name: USER }],
    },
  });
  const registry = new Registry();
  const operator = createShadowOperator({
    ...{
      adapters,
      registry,
      logger: silent,
      namespaces: [namespace],
      concurrency: 2,
      settings: SETTINGS,
      settleMs: 300,
    },
    client: cluster.as(USER),
    shutdownTimeoutMs: 10_000,
    onFailed: () => expect.fail('it has ended'),
  });
  await operator.start();
  onTestFinished(() => operator.stop());
  await eventually(() => operator.problems().length === 0, { describe: () => operator.problems() });
  const report = (): KindReport => operator.shadowReport?.().kinds[0] ?? expect.fail('no report');
  const until = (check: (found: KindReport) => boolean) =>
    eventually(() => check(report()), { withinMs: 60_000, describe: report });
  return { namespace, registry, report, until };
}

/** A running job with the objects of Kubeflow's operator. */
async function runningJob(namespace: string, more: object = {}): Promise<{ job: JobManifest; pods: Pod[] }> {
  const template = { spec: { containers: [{ name: 'pytorch', image: 'registry.example/train:1' }] } };
  const role = { replicas: 1, restartPolicy: 'Never', template };
  const spec = { pytorchReplicaSpecs: { Master: role, Worker: role }, ...more };
  const job = await client.create(JOBS, {
    metadata: { name: 'mnist', namespace },
    spec,
  });
  const objects = objectsOf(adapters[0], job, { ...SETTINGS, serviceMode: 'PerReplica' });
  const pods: Pod[] = [];
  for (const object of objects) {
    const created = await client.create<object>(object.kind === 'Pod' ? PODS : SERVICES, object);
    if (object.kind === 'Pod') pods.push(created);
  }
  for (const pod of pods) await setPod(pod, 'Running');
  await setStatus(namespace, { active: 1 }, 'Running');
  return { job, pods };
}

async function setPod({ metadata }: Pod, phase: 'Running' | 'Succeeded'): Promise<void> {
  const state = phase === 'Running' ? { running: {} } : { terminated: { exitCode: 0 } };
  const container = { name: 'pytorch', image: '', imageID: '', restartCount: 0, ready: phase === 'Running', state };
  const conditions = [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False' }];
  const key = { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
  await client.patchStatus(PODS, key, { status: { phase, conditions, containerStatuses: [container] } });
}

async function setStatus(namespace: string, counts: object, state: 'Running' | 'Succeeded'): Promise<void> {
  const message = state === 'Running' ? 'PyTorchJob mnist is running.' : 'PyTorchJob mnist is successfully completed.';
  const now = new Date().toISOString();
  const condition = { status: 'True', lastUpdateTime: now, lastTransitionTime: now };
  const conditions = [
    { type: 'Created', reason: 'PyTorchJobCreated', message: 'PyTorchJob mnist is created.', ...condition },
    { type: state, reason: `PyTorchJob${state}`, message, ...condition },
  ];
  const ended = state === 'Succeeded' ? { completionTime: now } : {};
  const status = { conditions, startTime: now, replicaStatuses: { Master: counts, Worker: counts }, ...ended };
  await client.patchStatus(PYTORCH_JOBS, { namespace, name: 'mnist' }, { status });
}

const seconds = { timeout: 120_000 };

describe('an operator in shadow mode', seconds, () => {
  it('needs only rights to read, and names the documented differences of a job of another operator', async () => {
    const { namespace, registry, report, until } = await shadow();
    const { job } = await runningJob(namespace);
    await until(({ jobs }) => jobs.documented === 1);
    expect(report()).toMatchObject({ kind: 'PyTorchJob', seen: 1, jobs: { same: 0, unknown: 0 }, unknown: [] });
    const rows = report().documented.map(({ row }) => row);
    expect(rows).toEqual(
      expect.arrayContaining(['every-kind: Services', 'every-kind: fields that only Muster writes']),
    );
    expect(await registry.metrics()).toContain('muster_shadow_jobs{kind="PyTorchJob",result="documented"} 1');
    const now = await client.get(PYTORCH_JOBS, { namespace, name: 'mnist' });
    expect(now.metadata?.finalizers).toBeUndefined();
    expect(now.metadata?.annotations).toEqual(job.metadata?.annotations);
    expect(now.status?.state).toBeUndefined();
  });

  it('names a difference that no row explains, until it is over', async () => {
    const { namespace, report, until } = await shadow();
    const { pods } = await runningJob(namespace);
    await until(({ jobs }) => jobs.documented === 1);
    await client.delete(PODS, { namespace, name: 'mnist-worker-0' }, { gracePeriodSeconds: 0 });
    await until(({ jobs }) => jobs.unknown === 1);
    expect(report().unknown).toContainEqual({
      ...{ namespace, job: 'mnist', field: 'create Pod', theirs: '', ours: 'mnist-worker-0' },
    });
    const worker = pods.find(({ metadata }) => metadata?.name === 'mnist-worker-0');
    const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...metadata } = worker?.metadata ?? {};
    const { nodeName: _node, ...spec } = worker?.spec ?? { containers: [] };
    await setPod(await client.create(PODS, { metadata, spec }), 'Running');
    await until(({ jobs }) => jobs.unknown === 0 && jobs.documented === 1);
  });

  it('sees the end of a pod that the other operator deletes at once', async () => {
    const { namespace, report, until } = await shadow();
    const { pods } = await runningJob(namespace, { runPolicy: { cleanPodPolicy: 'All' } });
    await until(({ jobs }) => jobs.documented === 1);
    const master = pods.find(({ metadata }) => metadata?.name === 'mnist-master-0');
    await setPod(master ?? {}, 'Succeeded');
    const deleted = pods.map(({ metadata }) =>
      client.delete(PODS, { namespace, name: metadata?.name ?? '' }, { gracePeriodSeconds: 0 }),
    );
    await Promise.all(deleted);
    await setStatus(namespace, { succeeded: 1 }, 'Succeeded');
    await until(({ documented }) => documented.some(({ row }) => row === 'every-kind: Services of a finished job'));
    expect(report()).toMatchObject({ jobs: { documented: 1 }, unknown: [] });
  });
});
