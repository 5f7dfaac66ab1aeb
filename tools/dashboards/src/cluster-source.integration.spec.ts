/**
 * Scrapes operators in a cluster through its API server. Simulated nodes run nothing, so the pod has the address of this machine, on which
 * the operator runs as a process.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentProgress } from '@muster/cluster';
import { OperatorProcess } from '@muster/install';
import { crdFor, FRAMEWORKS, PODS } from '@muster/job-api';
import { ensurePrometheus } from '@muster/prometheus';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricValue } from '../test-support/metric-value.ts';
import { dashboardFiles } from './dashboard-files.ts';
import { showDashboards, type ShowDashboardsOptions } from './show-dashboards.ts';

const cluster = await testCluster();

/** An API server does not proxy to 127.0.0.1. */
const ownAddress = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe('the operators of a cluster', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let namespace: string;
  let operator: OperatorProcess;

  beforeAll(async () => {
    for (const definition of FRAMEWORKS['pytorch-elastic']) await installCrd(cluster.client, crdFor(definition));
    namespace = await cluster.namespace();
    const folder = await mkdtemp(join(tmpdir(), 'muster-dashboards-'));
    stops.push(() => rm(folder, { recursive: true }));
    const { kubeconfig } = cluster;
    operator = new OperatorProcess({
      framework: 'pytorch-elastic',
      kubeconfig,
      namespaces: [namespace],
      flags: [],
      logFolder: folder,
    });
    stops.push(() => operator.stop());
    await operator.ready(AbortSignal.timeout(170_000));
  });
  afterAll(async () => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  });

  const options = async (kubeconfig: string): Promise<ShowDashboardsOptions> => ({
    dashboards: await dashboardFiles(),
    port: 0,
    source: { kind: 'cluster', access: { kubeconfig }, namespace },
    scrapeInterval: '5s',
    prometheusProgram: async () => (await ensurePrometheus(silentProgress)).prometheus,
    progress: silentProgress,
    signal: AbortSignal.timeout(120_000),
  });

  it.skipIf(ownAddress === undefined)('are discovered after the start, and have the labels of their pods', async () => {
    const shown = await showDashboards(await options(cluster.kubeconfig));
    try {
      await makePod('pytorch-elastic-0', Number(operator.url?.port));
      const own = `namespace="${namespace}",pod="pytorch-elastic-0",job="pytorch-elastic",container="operator"`;
      const build = `muster_build_info{${own},framework="pytorch-elastic"}`;
      expect(await eventually(() => metricValue(shown.prometheusUrl, build), { withinMs: 60_000 })).toBe(1);
    } finally {
      await shown.stop();
    }
  });

  it('are the only targets reachable with the credentials', async () => {
    const shown = await showDashboards(await options(cluster.kubeconfig));
    try {
      const { data } = (await (await fetch(`${shown.prometheusUrl}/api/v1/status/config`)).json()) as {
        data: { yaml: string };
      };
      const [gateway = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(data.yaml) ?? [];
      expect((await fetch(`${gateway}/targets`)).status).toBe(200);
      for (const path of ['/', '/api/v1/secrets', '/scrape/kube-system/etcd', '/scrape/../api/v1/secrets']) {
        expect((await fetch(`${gateway}${path}`)).status).toBe(404);
      }
    } finally {
      await shown.stop();
    }
  });

  it('are not found without a cluster, and the error has advice', async () => {
    await expect(showDashboards(await options('/nowhere/kubeconfig'))).rejects.toThrow(
      /There is no kubeconfig "\/nowhere\/kubeconfig".*--target/s,
    );
  });

  async function makePod(name: string, port: number): Promise<void> {
    const labels = {
      'app.kubernetes.io/name': 'muster-pytorch-elastic',
      'app.kubernetes.io/instance': 'pytorch-elastic',
      'app.kubernetes.io/part-of': 'muster',
      'app.kubernetes.io/component': 'operator',
    };
    await cluster.client.create(PODS, {
      metadata: { name, namespace, labels },
      spec: {
        // Prevents other writers of its status: no scheduler handles it.
        schedulerName: 'none',
        containers: [{ name: 'operator', image: 'none', ports: [{ name: 'http', containerPort: port }] }],
      },
    });
    const address = { podIP: ownAddress, podIPs: [{ ip: ownAddress }] };
    await cluster.client.patchStatus(PODS, { namespace, name }, { status: { phase: 'Running', ...address } });
  }
});
