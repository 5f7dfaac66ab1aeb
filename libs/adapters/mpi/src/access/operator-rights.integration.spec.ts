/** The MPI operator with exactly its declared rights, and jobs of all three generations. */
import { randomUUID } from 'node:crypto';
import { createJobOperator, operatorPermissions } from '@muster/common-job-controller';
import { crdFor, LABELS, MPI_JOBS, mpiJobDefinition, PODS, type KubeObject, type Resource } from '@muster/job-api';
import { eventually, installCrd, loneOperatorOptions, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { mpiAdapter } from '../mpi-adapter.ts';

const cluster = await testCluster();
const { client } = cluster;

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true } as const;
const ROLES: Resource<KubeObject & { rules: object[] }> = { ...RBAC, kind: 'Role', plural: 'roles' };
const ROLE_BINDINGS: Resource<KubeObject & { roleRef: object; subjects: object[] }> = {
  ...RBAC,
  kind: 'RoleBinding',
  plural: 'rolebindings',
};

const adapter = mpiAdapter({ launcherComputes: false });
const template = { spec: { containers: [{ name: 'mpi', image: 'registry.example/mpi:1' }] } };
const roles = { mpiReplicaSpecs: { Launcher: { template }, Worker: { replicas: 2, template } } };
const SPECS = { v2beta1: roles, v1: roles, v1alpha1: { replicas: 2, template } } as const;

beforeAll(() => installCrd(client, crdFor(mpiJobDefinition)));

async function grantAll(user: string, namespace: string): Promise<void> {
  await client.create(ROLES, {
    metadata: { name: 'operator', namespace },
    rules: operatorPermissions([adapter], undefined).map(({ group, resource, verbs }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs,
    })),
  });
  await client.create(ROLE_BINDINGS, {
    metadata: { name: 'operator', namespace },
    roleRef: { apiGroup: RBAC.group, kind: 'Role', name: 'operator' },
    subjects: [{ apiGroup: RBAC.group, kind: 'User', name: user }],
  });
}

it('runs, suspends and resumes jobs of each generation', async () => {
  const [namespace, user] = [await cluster.namespace(), `operator-${randomUUID()}`];
  await grantAll(user, namespace);
  const troubled: string[] = [];
  const note = (message: string, fields?: object) => void troubled.push(`${message} ${JSON.stringify(fields)}`);
  const logger = { debug: () => undefined, info: () => undefined, warn: note, error: note };
  const registry = new Registry();
  const options = loneOperatorOptions({
    client: cluster.as(user),
    namespaces: [namespace],
    serviceMode: 'PerJob',
    clock: new TravelClock(),
    logger,
  });
  const operator = await started(createJobOperator({ ...options, adapters: [adapter], registry }), registry);
  onTestFinished(() => operator.stop());

  let seen: object = {};
  const until = (what: string, holds: () => Promise<boolean>) =>
    eventually(holds, { withinMs: 120_000, describe: () => ({ what, seen, troubled }) });
  const launcherRuns = async (job: string) => {
    const { items } = await client.list(PODS, { namespace, labelSelector: `${LABELS.jobName}=${job}` });
    seen = Object.fromEntries(items.map(({ metadata, status }) => [metadata?.name ?? '', status?.phase]));
    return items.some(({ metadata, status }) => metadata?.name?.includes('-launcher') && status?.phase === 'Running');
  };
  for (const [version, spec] of Object.entries(SPECS)) {
    const name = `of-${version}`;
    const resource: Resource = { ...MPI_JOBS, version };
    await client.create(resource, { metadata: { name, namespace }, ...{ spec } });
    await until(`the launcher of ${name} runs`, () => launcherRuns(name));
    const suspend = (is: boolean) =>
      client.patch(MPI_JOBS, { namespace, name }, { spec: { runPolicy: { suspend: is } } });
    await suspend(true);
    await until(`${name} has no pods`, async () => !(await launcherRuns(name)) && Object.keys(seen).length === 0);
    await suspend(false);
    await until(`the launcher of ${name} runs again`, () => launcherRuns(name));
  }
  expect(troubled).toEqual([]);
});

it('requires only to create, read and replace Secrets of known names', () => {
  const secrets = operatorPermissions([adapter], undefined).filter(({ resource }) => resource === 'secrets');
  expect(secrets).toEqual([{ group: '', resource: 'secrets', verbs: ['create', 'get', 'update'] }]);
});
