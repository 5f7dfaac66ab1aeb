/** A cluster of simulated nodes with an operator of this checkout, jobs, and the dashboards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterDown, clusterUp, type Progress } from '@muster/cluster';
import { OperatorProcess } from '@muster/install';
import { crdFor, CUSTOM_RESOURCE_DEFINITIONS, FRAMEWORKS, type KubeObject, type Resource } from '@muster/job-api';
import { createKubeClient, hasResource, type KubeClient, loadCluster } from '@muster/kube';
import { ensurePrometheus } from '@muster/prometheus';
import { dashboardFiles } from '../dashboard-files.ts';
import { DashboardsError } from '../dashboards-error.ts';
import { showDashboards } from '../show-dashboards.ts';
import { makeFirstJobs, type TestNamespaces } from './picture-jobs.ts';

export const PICTURE_FRAMEWORK = 'pytorch-elastic';
const CLUSTER = 'pictures';
const SERVED_LIMIT_MS = 60_000;

export const PICTURE_NAMESPACES: TestNamespaces = { vision: 'vision', speech: 'speech' };

const NAMESPACES: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

export interface TestOperator {
  /** URL of the page. */
  readonly url: string;
  readonly prometheusUrl: string;
  readonly client: KubeClient;
}

/** Calls `work`, and stops everything afterwards, also if `work` fails. */
export async function withTestOperator(
  progress: Progress,
  signal: AbortSignal,
  work: (operator: TestOperator) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => void (await clusterDown({ name: CLUSTER, progress })));
  const { kubeconfig } = await clusterUp({ name: CLUSTER, node: 'simulated', nodes: 3, progress, signal });
  const client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-pictures' });
  stack.defer(() => client.close());
  await prepare(client, signal);
  const logFolder = await mkdtemp(join(tmpdir(), 'muster-pictures-'));
  stack.defer(() => rm(logFolder, { recursive: true }));
  const namespaces = [PICTURE_NAMESPACES.vision, PICTURE_NAMESPACES.speech];
  const operator = new OperatorProcess({ framework: PICTURE_FRAMEWORK, kubeconfig, namespaces, flags: [], logFolder });
  stack.defer(() => operator.stop());
  await progress.step(`Starting the operator of ${PICTURE_FRAMEWORK}`, () => operator.ready(signal));
  const { url: address } = operator;
  if (address === undefined) throw new DashboardsError(`The operator does not listen: see ${operator.log}.`);
  const shown = await showDashboards({
    dashboards: await dashboardFiles(),
    port: 0,
    source: { kind: 'addresses', addresses: [address] },
    scrapeInterval: '2s',
    prometheusProgram: async () => (await ensurePrometheus(progress, signal)).prometheus,
    progress,
    signal,
  });
  stack.defer(() => shown.stop());
  await work({ url: shown.url, prometheusUrl: shown.prometheusUrl, client });
}

/** Creates the CRDs, the namespaces and the first jobs before the operator starts. */
async function prepare(client: KubeClient, signal: AbortSignal): Promise<void> {
  for (const definition of FRAMEWORKS[PICTURE_FRAMEWORK]) {
    const { group, version, plural } = definition.resource;
    await client.apply(CUSTOM_RESOURCE_DEFINITIONS, crdFor(definition), { force: true });
    const endMs = performance.now() + SERVED_LIMIT_MS;
    while (!(await hasResource(client, group, version, plural))) {
      signal.throwIfAborted();
      if (performance.now() > endMs) throw new DashboardsError(`The API server does not serve ${plural}.${group}.`);
      await sleep(100);
    }
  }
  for (const name of [PICTURE_NAMESPACES.vision, PICTURE_NAMESPACES.speech])
    await client.create(NAMESPACES, { metadata: { name } });
  await makeFirstJobs(client, PICTURE_NAMESPACES, PICTURE_FRAMEWORK);
}
