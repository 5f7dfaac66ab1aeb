/** Two operators of one framework whose Leases are in one namespace, told to look after different namespaces. */
import type { Resource } from '@muster/job-api';
import { PODS } from '@muster/job-api';
import { eventually, testCluster } from '@muster/testing';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { installPlainJobs } from '../../test-support/plain-crd.ts';
import type { JobManifest } from '../model/training-job.ts';
import { createJobOperator, type JobOperator } from './job-operator.ts';

const WITHIN_MS = 60_000;
const cluster = await testCluster();
const { client } = cluster;

interface Placed {
  readonly resource: Resource<JobManifest>;
  readonly namespaces: readonly string[];
  readonly leaseNamespace: string;
  readonly id?: string;
}

async function operate({ resource, namespaces, leaseNamespace, id }: Placed): Promise<JobOperator> {
  const quiet = () => undefined;
  const operator = createJobOperator({
    adapters: [{ ...plainAdapter({ workers: 1 }), resource }],
    client,
    registry: new Registry(),
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    namespaces,
    concurrency: 1,
    settings: { serviceMode: 'PerJob', clusterDomain: 'cluster.local' },
    leaderElection: {
      enabled: true,
      namespace: leaseNamespace,
      ...(id !== undefined && { id }),
      leaseDurationMs: 60_000,
      renewDeadlineMs: 40_000,
      retryPeriodMs: 2000,
    },
    shutdownTimeoutMs: 10_000,
    onLeadershipLost: () => expect.fail('the work of a term could not be ended'),
  });
  onTestFinished(() => operator.stop());
  await operator.start();
  return operator;
}

const become = (operator: JobOperator, holds: (problems: string[]) => boolean) =>
  eventually(() => holds(operator.problems()), { withinMs: WITHIN_MS, describe: () => operator.problems() });
const becomeReady = (operator: JobOperator) => become(operator, (problems) => problems.length === 0);

async function getsItsPod(resource: Resource<JobManifest>, namespace: string): Promise<void> {
  await client.create(resource, { metadata: { name: 'job', namespace }, spec: { runPolicy: {} } });
  const podNames = async () => (await client.list(PODS, { namespace })).items.map(({ metadata }) => metadata?.name);
  await eventually(async () => (await podNames()).includes('job-worker-0'), {
    withinMs: WITHIN_MS,
    describe: () => `no pod for the job in namespace ${namespace}`,
  });
}

it('both work, each by a Lease of its own', async () => {
  const resource = await installPlainJobs(cluster);
  const [one, other] = [await cluster.namespace(), await cluster.namespace()];
  for (const namespace of [one, other]) {
    await becomeReady(await operate({ resource, namespaces: [namespace], leaseNamespace: one }));
  }
  await getsItsPod(resource, one);
  await getsItsPod(resource, other);
});

it('with one Lease for both, the follower is not ready and says what to do, until the Lease is its own', async () => {
  const resource = await installPlainJobs(cluster);
  const [one, other] = [await cluster.namespace(), await cluster.namespace()];
  const shared = { resource, leaseNamespace: one, id: 'shared' };
  const leader = await operate({ ...shared, namespaces: [one] });
  await becomeReady(leader);
  await getsItsPod(resource, one);

  const replica = await operate({ ...shared, namespaces: [one] });
  await becomeReady(replica);
  await replica.stop();

  const follower = await operate({ ...shared, namespaces: [other] });
  await become(
    follower,
    ([problem, ...more]) => more.length === 0 && problem?.includes('--leader-election-id') === true,
  );
  expect(follower.problems()[0]).toContain(
    `which looks after namespace ${one}, while this operator is to look after namespace ${other}`,
  );
  await leader.stop();
  await becomeReady(follower);
  await getsItsPod(resource, other);
});
