/** Unlabelled pod groups and autoscalers that Kubeflow's operator, or an earlier Muster, created for jobs. */
import {
  HORIZONTAL_POD_AUTOSCALERS,
  LABELS,
  VOLCANO_POD_GROUPS,
  type KubeObject,
  type OwnerReference,
  type Resource,
} from '@muster/job-api';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { Registry } from 'prom-client';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { installPlainJobs } from '../../test-support/plain-crd.ts';
import { podGroupCrd } from '../../test-support/pod-group-crd.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { VOLCANO } from '../gang/volcano.ts';
import { jobInformers } from '../operator/job-informers.ts';
import { createJobOperator } from '../operator/job-operator.ts';
import { ownerReference } from '../model/ownership.ts';

const WITHIN_MS = 60_000;
const KINDS: readonly Resource[] = [VOLCANO_POD_GROUPS, HORIZONTAL_POD_AUTOSCALERS];
const cluster = await testCluster();
const { client } = cluster;
const noop = () => undefined;
const logger = { debug: noop, info: noop, warn: noop, error: noop };

beforeAll(() => installCrd(client, podGroupCrd(VOLCANO_POD_GROUPS)));

function adapterFor(resource: Resource<JobManifest>): FrameworkAdapter {
  const autoscaler = () => ({ minReplicas: 1, maxReplicas: 4, metrics: [] });
  return { ...plainAdapter({ workers: 1 }), resource, autoscaling: { autoscaler } };
}

async function operate(adapter: FrameworkAdapter, namespace: string): Promise<void> {
  const operator = createJobOperator({
    adapters: [adapter],
    client,
    registry: new Registry(),
    logger,
    namespaces: [namespace],
    concurrency: 1,
    settings: { serviceMode: 'PerJob', clusterDomain: 'cluster.local', gang: VOLCANO },
    leaderElection: {
      enabled: false,
      namespace,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
    },
    shutdownTimeoutMs: 10_000,
    onLeadershipLost: () => expect.fail('leadership is lost'),
  });
  onTestFinished(() => operator.stop());
  await operator.start();
}

async function createJob(resource: Resource<JobManifest>, namespace: string, suspend: boolean) {
  return client.create(resource, { metadata: { name: 'job', namespace }, spec: { runPolicy: { suspend } } });
}

async function createUnlabelled(namespace: string, name: string, owner?: OwnerReference): Promise<void> {
  const metadata = { name, namespace, ...(owner && { ownerReferences: [owner] }) };
  await client.create(VOLCANO_POD_GROUPS, { metadata, spec: { minMember: 7 } });
  const scaleTargetRef = { apiVersion: 'example.com/v1', kind: 'Example', name };
  await client.create(HORIZONTAL_POD_AUTOSCALERS, { metadata, spec: { scaleTargetRef, maxReplicas: 9 } });
}

async function stored(namespace: string): Promise<string[]> {
  const lists = await Promise.all(KINDS.map((resource) => client.list(resource, { namespace })));
  return KINDS.flatMap(({ kind }, at) =>
    (lists[at]?.items ?? []).map(({ metadata }) => `${kind} ${metadata?.name} (${metadata?.labels?.[LABELS.jobName]})`),
  );
}

async function becomes(namespace: string, expected: string[]): Promise<void> {
  let found: string[] = [];
  const reached = async () => JSON.stringify((found = await stored(namespace))) === JSON.stringify(expected);
  await eventually(reached, { withinMs: WITHIN_MS, describe: () => ({ found, expected }) });
}

const OTHERS = ['PodGroup other (undefined)', 'HorizontalPodAutoscaler other (undefined)'];

it('deletes those of a job that was suspended while no operator ran, and no others', async () => {
  const namespace = await cluster.namespace();
  const resource = await installPlainJobs(cluster);
  const { metadata } = await createJob(resource, namespace, true);
  await createUnlabelled(namespace, 'job', ownerOf(resource, metadata));
  await createUnlabelled(namespace, 'other', { ...ownerOf(resource, metadata), kind: 'OtherJob', uid: 'other' });
  await operate(adapterFor(resource), namespace);
  await becomes(namespace, OTHERS);
});

it('keeps and patches those of a running job, and deletes them when it is suspended', async () => {
  const namespace = await cluster.namespace();
  const resource = await installPlainJobs(cluster);
  const { metadata } = await createJob(resource, namespace, false);
  await createUnlabelled(namespace, 'job', ownerOf(resource, metadata));
  const uids = async () =>
    Promise.all(KINDS.map(async (kind) => (await client.get(kind, { namespace, name: 'job' })).metadata?.uid));
  const before = await uids();
  await operate(adapterFor(resource), namespace);
  await becomes(namespace, ['PodGroup job (job)', 'HorizontalPodAutoscaler job (job)']);
  await eventually(
    async () => {
      const { spec } = await client.get(VOLCANO_POD_GROUPS, { namespace, name: 'job' });
      const autoscaler = await client.get(HORIZONTAL_POD_AUTOSCALERS, { namespace, name: 'job' });
      return spec?.minMember === 1 && autoscaler.spec?.maxReplicas === 4;
    },
    { withinMs: WITHIN_MS },
  );
  expect(await uids()).toEqual(before);
  await client.patch(resource, { namespace, name: 'job' }, { spec: { runPolicy: { suspend: true } } });
  await becomes(namespace, []);
});

it('caches only objects with the labels of its jobs', async () => {
  const namespace = await cluster.namespace();
  const adapter = adapterFor(await installPlainJobs(cluster));
  await createUnlabelled(namespace, 'other');
  for (const resource of KINDS) {
    const labels = adapter.labels.ofJob('job');
    const patch = { metadata: { labels } };
    await createUnlabelled(namespace, `own-${resource.kind.toLowerCase()}`);
    await client.patch(resource, { namespace, name: `own-${resource.kind.toLowerCase()}` }, patch);
  }
  const settings = { gang: VOLCANO };
  const { all } = jobInformers({ client, registry: new Registry(), logger, namespaces: [namespace], settings }, [
    adapter,
  ]);
  const owned = all.filter(({ resource }) => KINDS.includes(resource));
  for (const informer of owned) {
    informer.start();
    onTestFinished(() => informer.stop());
    await informer.waitForSync();
  }
  const cached = owned.flatMap((informer) => informer.list().map(({ metadata }) => metadata?.name)).toSorted();
  expect(cached).toEqual(['own-horizontalpodautoscaler', 'own-podgroup']);
});

function ownerOf(resource: Resource<JobManifest>, metadata: KubeObject['metadata']): OwnerReference {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  return ownerReference({ resource, metadata: { name, namespace, uid } });
}
