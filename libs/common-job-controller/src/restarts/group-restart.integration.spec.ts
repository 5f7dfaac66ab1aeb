/** Group restarts on a real API server, with the operator cut off after each write. No kubelet runs the pods. */
import { LABELS, PODS, type ContainerStatus, type Pod, type JobStatus } from '@muster/job-api';
import { createKubeClient, type ClusterClient } from '@muster/kube';
import { eventually, faultProxy, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { installPlainJobs } from '../../test-support/plain-crd.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { createJobOperator } from '../operator/job-operator.ts';

const cluster = await testCluster();
const { client } = cluster;
const NAME = 'together';
const POD_NAMES = ['master-0', 'worker-0', 'worker-1'].map((pod) => `${NAME}-${pod}`);
const [MASTER = '', FIRST = '', SECOND = ''] = POD_NAMES;

const plain = plainAdapter({
  roles: [
    { name: 'Master', replicas: 1 },
    { name: 'Worker', replicas: 2 },
  ],
  scopes: { '*': 'Job' },
});

/** An unknown scheduler name keeps the pods unscheduled. */
function read(...args: Parameters<FrameworkAdapter['read']>): ReturnType<FrameworkAdapter['read']> {
  const { roles, ...job } = plain.read(...args);
  const placed = roles.map((role) => ({
    ...role,
    template: {
      spec: { ...role.template.spec, containers: role.template.spec?.containers ?? [], schedulerName: 'no-scheduler' },
    },
  }));
  return { ...job, roles: placed };
}

const seconds = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

const statusOf = (phase: 'Running' | 'Failed', state: ContainerStatus['state'] = {}): NonNullable<Pod['status']> => ({
  phase,
  conditions: [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False', lastTransitionTime: seconds() }],
  containerStatuses: [{ name: 'main', image: 'i', imageID: 'i', ready: phase === 'Running', restartCount: 0, state }],
});
const running = () => statusOf('Running', { running: { startedAt: seconds() } });
const failed = (exitCode: number) =>
  statusOf('Failed', { terminated: { exitCode, reason: 'Error', startedAt: seconds(), finishedAt: seconds() } });

async function fixture() {
  const [namespace, resource] = await Promise.all([cluster.namespace(), installPlainJobs(cluster)]);
  const key = { namespace, name: NAME };
  const jobStatus = async (): Promise<JobStatus> => (await client.get(resource, key)).status ?? {};
  const pods = async () => (await client.list(PODS, { namespace })).items;
  const describe = async () => ({ status: await jobStatus(), pods: await pods() });
  const until = <T>(condition: () => Promise<T>) => eventually(condition, { withinMs: 60_000, describe });
  const operator = async (by: ClusterClient = client) => {
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const start = {
      client: by,
      namespaces: [namespace],
      serviceMode: 'PerJob',
      clock: new TravelClock(),
      logger,
    } as const;
    const options = { ...loneOperatorOptions(start), shutdownTimeoutMs: 1000 };
    const registry = new Registry();
    const it = await started(
      createJobOperator({ ...options, adapters: [{ ...plain, read, resource }], registry }),
      registry,
    );
    onTestFinished(() => it.stop());
    return it;
  };
  const report = (name: string, status: Pod['status']) => client.patchStatus(PODS, { namespace, name }, { status });
  const allToRun = async (attempt: string | undefined) => {
    const found = await until(async () => {
      const all = await pods();
      expect(all.map(({ metadata }) => metadata?.name).sort()).toEqual(POD_NAMES);
      expect(all.map(({ metadata }) => metadata?.labels?.[LABELS.attempt])).toEqual([attempt, attempt, attempt]);
      return all;
    });
    await Promise.all(POD_NAMES.map((name) => report(name, running())));
    await until(async () => (await jobStatus()).state === 'Running' && (await jobStatus()).ready === '3/3');
    return new Map(found.map(({ metadata }) => [metadata?.name, Number(metadata?.resourceVersion)]));
  };
  const create = () => client.create(resource, { metadata: key, spec: {} });
  return { namespace, jobStatus, pods, until, operator, report, allToRun, create };
}

it('recreates all pods when one has failed, and none before the last old one is gone', async () => {
  const { namespace, jobStatus, pods, until, operator, report, allToRun, create } = await fixture();
  await operator();
  await create();
  await allToRun(undefined);
  const key = { namespace, name: MASTER };
  await client.patch(PODS, key, { metadata: { finalizers: ['muster.test/hold'] } });
  await report(SECOND, failed(1));
  await until(async () =>
    (await pods()).every(({ metadata }) => metadata?.name === MASTER && metadata.deletionTimestamp),
  );
  const { conditions, ...status } = await jobStatus();
  expect(status).toMatchObject({ attempt: 1, restartCount: 1, ready: '0/3', state: 'Restarting' });
  expect(conditions?.find(({ type }) => type === 'Restarting')?.message).toBe(
    `job ${NAME} is restarting all pods of the job (attempt 1) because Worker replica(s) failed. ` +
      `First: pod ${SECOND}, container main: exit code 1 (Error)`,
  );
  const freed = await client.patch(PODS, key, { metadata: { finalizers: null } });
  const versions = await allToRun('1');
  for (const version of versions.values()) expect(version).toBeGreaterThan(Number(freed.metadata?.resourceVersion));
  expect(await jobStatus()).toMatchObject({ attempt: 1, restartCount: 1, restarts: [{ scope: 'Job', failures: 1 }] });
});

// The writes: the status, three deletions, three creations.
it.each([1, 2, 3, 4, 5, 6, 7])(
  'counts one attempt, and no later failures, when the operator is cut off after write %d',
  async (nth) => {
    const { jobStatus, pods, until, operator, report, allToRun, create } = await fixture();
    await using proxy = await faultProxy(cluster.access);
    const through = createKubeClient(proxy.access, { userAgent: 'muster-test/0' });
    onTestFinished(() => through.close());
    const first = await operator(through);
    await create();
    await allToRun(undefined);
    let isCut = false;
    const act = async () => {
      await proxy.goDown();
      isCut = true;
    };
    proxy.onWrite(nth, act, { match: ({ path }) => /\/(pods|plainjobs)\//.test(path) || /\/pods$/.test(path) });
    await report(FIRST, failed(137));
    await until(() => Promise.resolve(isCut));
    await first.stop();
    const old = (await pods()).filter(({ metadata, status }) => {
      return metadata?.labels?.[LABELS.attempt] === undefined && status?.phase === 'Running';
    });
    for (const { metadata } of old) await report(metadata?.name ?? '', failed(1));
    await operator();
    await allToRun('1');
    const { attempt, restartCount, disruptionCount = 0 } = await jobStatus();
    expect({ attempt, restartCount, disruptionCount }).toEqual({ attempt: 1, restartCount: 1, disruptionCount: 0 });
  },
);
