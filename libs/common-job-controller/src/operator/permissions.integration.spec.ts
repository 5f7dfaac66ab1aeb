import { randomUUID } from 'node:crypto';
import {
  HORIZONTAL_POD_AUTOSCALERS,
  LABELS,
  LEASES,
  PODS,
  SERVICES,
  type KubeObject,
  type Pod,
  type Resource,
} from '@muster/job-api';
import { isKubeError, type Logger } from '@muster/kube';
import { eventually, testCluster } from '@muster/testing';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { installPlainJobs } from '../../test-support/plain-crd.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { operatorPermissions, leasePermissions, otherLeasePermissions } from './permissions.ts';
import { createJobOperator } from './job-operator.ts';
import type { Permission } from '../model/permission.ts';

const WITHIN_MS = 60_000;
const cluster = await testCluster();
const { client } = cluster;

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
type Role = KubeObject & { rules: object[] };
type Binding = KubeObject & { roleRef: object; subjects: object[] };

async function grant(user: string, namespace: string | undefined, permissions: readonly Permission[]): Promise<void> {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const scoped = { ...RBAC, namespaced: namespace !== undefined };
  const roles: Resource<Role> = { ...scoped, kind, plural: `${kind.toLowerCase()}s` };
  const bindings: Resource<Binding> = { ...scoped, kind: `${kind}Binding`, plural: `${kind.toLowerCase()}bindings` };
  const metadata = { name: user, ...(namespace && { namespace }) };
  await client.create(roles, {
    metadata,
    rules: permissions.map(({ group, resource, verbs }) => ({ apiGroups: [group], resources: [resource], verbs })),
  });
  await client.create(bindings, {
    metadata,
    roleRef: { apiGroup: RBAC.group, kind, name: user },
    subjects: [{ apiGroup: RBAC.group, kind: 'User', name: user }],
  });
  if (namespace !== undefined) return;
  for (const each of [roles, bindings] as Resource[]) onTestFinished(() => client.delete(each, { name: user }));
}

async function operate(adapter: FrameworkAdapter, namespace: string, user: string): Promise<string[]> {
  const complaints: string[] = [];
  const note = (message: string, fields?: object) => void complaints.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: () => undefined, info: () => undefined, warn: note, error: note };
  const operator = createJobOperator({
    adapters: [adapter],
    client: cluster.as(user),
    registry: new Registry(),
    logger,
    namespaces: [namespace],
    concurrency: 1,
    settings: { serviceMode: 'PerJob', clusterDomain: 'cluster.local' },
    leaderElection: {
      enabled: true,
      namespace,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
    },
    shutdownTimeoutMs: 10_000,
    onLeadershipLost: () => note('leadership is lost'),
  });
  onTestFinished(() => operator.stop());
  await operator.start();
  await eventually(() => operator.problems().length === 0, {
    withinMs: WITHIN_MS,
    describe: () => ({ problems: operator.problems(), complaints }),
  });
  return complaints;
}

const container = { name: 'main', image: 'registry.example/main:1' };

it('an operator with exactly its listed permissions adopts, restarts, finishes and deletes', async () => {
  const [namespace, user] = [await cluster.namespace(), `operator-${randomUUID()}`];
  const resource = await installPlainJobs(cluster);
  const autoscaler = () => ({ minReplicas: 1, maxReplicas: 4, metrics: [] });
  const adapter = {
    ...plainAdapter({ roles: [{ name: 'Worker', replicas: 1 }] }),
    resource,
    autoscaling: { autoscaler },
  };
  await grant(user, namespace, [...operatorPermissions([adapter], undefined), ...leasePermissions()]);
  await grant(user, undefined, otherLeasePermissions());

  const key = { namespace, name: 'job-worker-0' };
  const labels = {
    ...adapter.labels.ofJob('job'),
    [LABELS.replicaType]: 'worker',
    [LABELS.replicaIndex]: '0',
  };
  const spec = { schedulerName: 'no-scheduler', containers: [container] };
  const { metadata: orphan } = await client.create(PODS, { metadata: { ...key, labels }, spec });
  const complaints = await operate(adapter, namespace, user);
  const job = { metadata: { name: 'job', namespace }, spec: { runPolicy: { ttlSecondsAfterFinished: 0 } } };
  await client.create<JobManifest>(resource, job);

  const until = <T>(what: string, condition: () => Promise<T>) =>
    eventually(condition, { withinMs: WITHIN_MS, describe: () => ({ what, complaints }) });
  const podOf = async (holds: (pod: Pod) => boolean) =>
    until('the pod is as it should be', async () => {
      const pod = (await client.list(PODS, { namespace })).items.find(({ metadata }) => metadata?.name === key.name);
      return pod !== undefined && holds(pod) && pod;
    });
  const report = (phase: string, exitCode: number) =>
    client.patchStatus(PODS, key, {
      status: {
        phase,
        containerStatuses: [
          { ...container, imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode } } },
        ],
      },
    });
  await podOf(({ metadata }) => metadata?.ownerReferences?.[0]?.kind === resource.kind);
  await until('the Service and the autoscaler are there', async () => {
    const [services, autoscalers] = [SERVICES, HORIZONTAL_POD_AUTOSCALERS].map((each: Resource) =>
      client.list(each, { namespace }),
    );
    return (await services)?.items.length === 1 && (await autoscalers)?.items.length === 1;
  });
  await report('Failed', 137);
  await podOf(({ metadata }) => metadata?.uid !== orphan?.uid);
  await report('Succeeded', 0);
  await until('the job is gone', async () => {
    try {
      await client.get(resource, { namespace, name: 'job' });
      return false;
    } catch (error) {
      return isKubeError(error, 'NotFound');
    }
  });
  const { spec: lease } = await client.get(LEASES, { namespace, name: `muster-${adapter.framework}-${namespace}` });
  expect(lease?.holderIdentity).toBeTruthy();
  expect(complaints).toEqual([]);
});
