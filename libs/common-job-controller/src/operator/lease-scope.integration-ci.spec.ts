/** Two operators of one framework: with different namespaces, both work; with overlapping ones, only one does. */
import { randomUUID } from 'node:crypto';
import { LEASES, PODS, type KubeObject, type Resource } from '@muster/job-api';
import type { ClusterClient } from '@muster/kube';
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
  readonly framework?: string;
  /** Default: no Lease expires during the test. */
  readonly times?: { leaseDurationMs: number; renewDeadlineMs: number; retryPeriodMs: number };
  readonly as?: ClusterClient;
  readonly registry?: Registry;
  readonly complaints?: string[];
}

const LONG = { leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 2000 };

async function operate(placed: Placed): Promise<JobOperator> {
  const { resource, namespaces, leaseNamespace, id, framework, times = LONG, registry = new Registry() } = placed;
  const quiet = () => undefined;
  const complain = (message: string) => void placed.complaints?.push(message);
  const operator = createJobOperator({
    adapters: [{ ...plainAdapter({ workers: 1 }), resource, ...(framework !== undefined && { framework }) }],
    client: placed.as ?? client,
    registry,
    logger: { debug: quiet, info: quiet, warn: complain, error: complain },
    namespaces,
    concurrency: 1,
    settings: { serviceMode: 'PerJob', clusterDomain: 'cluster.local' },
    leaderElection: {
      enabled: true,
      namespace: leaseNamespace,
      ...(id !== undefined && { id }),
      ...times,
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

it('both work with different namespaces, each with its own Lease', async () => {
  const resource = await installPlainJobs(cluster);
  const [one, other] = [await cluster.namespace(), await cluster.namespace()];
  for (const namespace of [one, other]) {
    await becomeReady(await operate({ resource, namespaces: [namespace], leaseNamespace: one }));
  }
  await getsItsPod(resource, one);
  await getsItsPod(resource, other);
});

it('with one Lease for both, the follower is not ready and reports what to do, until it acquires the Lease', async () => {
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
    `which watches namespace ${one}, but this operator watches namespace ${other}`,
  );
  await leader.stop();
  await becomeReady(follower);
  await getsItsPod(resource, other);
});

const SHORT = { leaseDurationMs: 12_000, renewDeadlineMs: 8000, retryPeriodMs: 1000 };
const ofOthers = ([problem, ...more]: string[]) =>
  more.length === 0 && problem?.startsWith('another operator runs the same jobs: ') === true;

async function leads(registry: Registry): Promise<boolean> {
  return /^muster_operator_leads\{.*\} 1$/m.test(await registry.metrics());
}

it('an operator whose namespaces belong to another one is inactive and names that one, until it has stopped', async () => {
  const resource = await installPlainJobs(cluster);
  const [one, other, jobs] = [await cluster.namespace(), await cluster.namespace(), await cluster.namespace()];
  const registries = [new Registry(), new Registry(), new Registry()] as const;
  const first = await operate({ resource, namespaces: [], leaseNamespace: one, registry: registries[0] });
  await becomeReady(first);
  await getsItsPod(resource, jobs);

  const second = await operate({ resource, namespaces: [], leaseNamespace: other, registry: registries[1] });
  const narrow = await operate({ resource, namespaces: [other], leaseNamespace: other, registry: registries[2] });
  await become(second, ofOthers);
  await become(narrow, ofOthers);
  expect(second.problems()[0]).toContain(`with the Lease muster-plain in namespace ${one}, watches all namespaces, `);
  expect(narrow.problems()[0]).toContain(`and this operator watches namespace ${other}`);
  expect(await Promise.all(registries.map(leads))).toEqual([true, false, false]);
  expect((await client.list(LEASES, { namespace: other })).items).toEqual([]);

  await first.stop();
  await eventually(async () => (await leads(registries[1])) !== (await leads(registries[2])), {
    withinMs: WITHIN_MS,
    describe: () => [second.problems(), narrow.problems()],
  });
});

it('only one of several operators that start at the same time leads', async () => {
  const resource = await installPlainJobs(cluster);
  const registries = [new Registry(), new Registry(), new Registry()];
  const operators = await Promise.all(
    registries.map(async (registry) =>
      operate({ resource, namespaces: [], leaseNamespace: await cluster.namespace(), times: SHORT, registry }),
    ),
  );
  const states = async () =>
    await Promise.all(
      operators.map(async (operator, at) => {
        if (await leads(registries[at]!)) return 'leads';
        return ofOthers(operator.problems()) ? 'defers' : 'waits';
      }),
    );
  let most = 0;
  await eventually(
    async () => {
      const now = (await states()).toSorted();
      most = Math.max(most, now.filter((state) => state === 'leads').length);
      return now.join() === 'defers,defers,leads';
    },
    { withinMs: WITHIN_MS, describe: states },
  );
  expect(most).toBe(1);
});

it('an operator with the older Lease takes over from one that has led in the meantime, after that one has released its Lease', async () => {
  const resource = await installPlainJobs(cluster);
  // For Leases of the same second, the names decide.
  const [one = '', other = ''] = [await cluster.namespace(), await cluster.namespace()].toSorted();
  const registries = [new Registry(), new Registry()] as const;
  const old = { resource, namespaces: [], leaseNamespace: one, times: SHORT, registry: registries[0] };
  const before = await operate({ ...old, registry: new Registry() });
  await becomeReady(before);
  await eventually(
    async () => (await client.get(LEASES, { namespace: one, name: 'muster-plain' })).spec?.holderIdentity,
    {
      describe: () => before.problems(),
    },
  );
  await before.stop();

  const standIn = await operate({ ...old, leaseNamespace: other, registry: registries[1] });
  await eventually(() => leads(registries[1]), { withinMs: WITHIN_MS, describe: () => standIn.problems() });
  const again = await operate(old);
  await eventually(
    async () => {
      const leaders = await Promise.all(registries.map(leads));
      expect(leaders).not.toEqual([true, true]);
      return leaders[0];
    },
    { withinMs: WITHIN_MS, describe: () => [again.problems(), standIn.problems()] },
  );
  await become(standIn, ofOthers);
});

it('detects an operator of an earlier release, whose Lease has no label, and leads once that Lease has expired', async () => {
  const resource = await installPlainJobs(cluster);
  const [one, other] = [await cluster.namespace(), await cluster.namespace()];
  const lease = (namespace: string) => ({
    metadata: { namespace, name: 'muster-earlier', annotations: { 'muster.dev/namespaces': '*' } },
    spec: { holderIdentity: 'another', leaseDurationSeconds: 12 },
  });
  await client.create(LEASES, lease(other));
  const operator = await operate({ resource, namespaces: [], leaseNamespace: one, times: SHORT, framework: 'earlier' });
  await become(operator, ofOthers);
  expect(operator.problems()[0]).toContain(`another, with the Lease muster-earlier in namespace ${other}`);
  // Its Lease is not renewed.
  await becomeReady(operator);
});

it('leads despite an operator with a younger Lease that does not stop, and reports that both act', async () => {
  const resource = await installPlainJobs(cluster);
  const [one, other] = [await cluster.namespace(), await cluster.namespace()];
  const name = 'muster-stubborn';
  const times = { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 500 };
  const { metadata: own } = await client.create(LEASES, { metadata: { namespace: one, name }, spec: {} });
  const key = { namespace: other, name };
  await eventually(
    async () => {
      await client.delete(LEASES, key).catch(() => undefined);
      const annotations = { 'muster.dev/namespaces': '*' };
      const { metadata } = await client.create(LEASES, { metadata: { ...key, annotations }, spec: {} });
      return String(metadata?.creationTimestamp) > String(own?.creationTimestamp);
    },
    { withinMs: WITHIN_MS, describe: () => own },
  );
  const renew = () =>
    client.patch(LEASES, key, {
      spec: {
        holderIdentity: 'stubborn',
        leaseDurationSeconds: 3,
        renewTime: `${new Date().toISOString().slice(0, -1)}000Z`,
      },
    });
  await renew();
  const renewals = setInterval(() => void renew().catch(() => undefined), 500);
  onTestFinished(() => clearInterval(renewals));

  const complaints: string[] = [];
  const operator = await operate({
    resource,
    namespaces: [],
    leaseNamespace: one,
    framework: 'stubborn',
    times,
    complaints,
  });
  await become(operator, ofOthers);
  // On a busy machine there are complaints about late answers as well.
  await eventually(() => complaints.some((complaint) => complaint.includes('both act. Stop one of them')), {
    withinMs: WITHIN_MS,
    describe: () => ({ problems: operator.problems(), complaints }),
  });
  await becomeReady(operator);
});

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true } as const;
const ROLES: Resource<KubeObject & { rules: object[] }> = { ...RBAC, kind: 'Role', plural: 'roles' };
const ROLE_BINDINGS: Resource<KubeObject & { roleRef: object; subjects: object[] }> = {
  ...RBAC,
  kind: 'RoleBinding',
  plural: 'rolebindings',
};

it('without permission to list Leases in all namespaces it works, reports it, and finds those in its own namespace', async () => {
  const resource = await installPlainJobs(cluster);
  const [namespace, user] = [await cluster.namespace(), `operator-${randomUUID()}`];
  const metadata = { namespace, name: 'operator' };
  await client.create(ROLES, { metadata, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
  const subjects = [{ apiGroup: RBAC.group, kind: 'User', name: user }];
  await client.create(ROLE_BINDINGS, {
    metadata,
    roleRef: { apiGroup: RBAC.group, kind: 'Role', name: 'operator' },
    subjects,
  });
  const complaints: string[] = [];
  const own = { resource, namespaces: [namespace], leaseNamespace: namespace, as: cluster.as(user), complaints };
  const first = await operate(own);
  await becomeReady(first);
  await getsItsPod(resource, namespace);
  expect(complaints).toEqual([expect.stringContaining('grant list of leases (coordination.k8s.io) in all namespaces')]);
  await become(await operate({ ...own, id: 'another' }), ofOthers);
});
