/**
 * The API server accepts all rendered objects in a server-side dry run with strict field validation: every scope with every gang
 * scheduler, and each of both with every monitor and all other switches.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureBinaries, moduleFolder, runCommand, terminalProgress } from '@muster/cluster';
import { FRAMEWORKS, type CustomResourceDefinition } from '@muster/job-api';
import { installCrd, NAMESPACES, SERVICE_ACCOUNTS, testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { helm, HELM_TIMEOUT_MS, IMAGE, renderedText, type Values } from '../test-support/helm.ts';

const cluster = await testCluster();

const SCOPES = ['cluster', 'namespaces', 'own'];
const GANG_SCHEDULERS = ['', 'volcano', 'scheduler-plugins', 'kubernetes', 'yunikorn', 'kai-scheduler'];
const MONITORS = [undefined, 'serviceMonitor', 'podMonitor'];

/** Rejects pods that violate the Pod Security Standard restricted, and warns about Deployments of such pods. */
const RESTRICTED = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
};

/** CRDs of monitors and rules. */
const PROMETHEUS_OPERATOR = { module: 'github.com/prometheus-operator/prometheus-operator', version: '0.85.0' };

async function monitoringCrds(): Promise<CustomResourceDefinition[]> {
  const folder = join(await moduleFolder(PROMETHEUS_OPERATOR), 'example/prometheus-operator-crd');
  const files = ['servicemonitors', 'podmonitors', 'prometheusrules'].map((name) => `monitoring.coreos.com_${name}.yaml`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.map((text) => parse(text) as CustomResourceDefinition);
}

/** Covers every pair of scope, gang scheduler and monitor. */
function combinations(watched: readonly string[]): Values[] {
  return SCOPES.flatMap((scope, row) =>
    GANG_SCHEDULERS.map((scheduler, column) => {
      const index = (row + column) % MONITORS.length;
      const monitor = MONITORS[index];
      return {
        image: IMAGE,
        watch: { scope, namespaces: scope === 'namespaces' ? watched : [] },
        gangScheduling: { scheduler },
        metrics: monitor === undefined ? {} : { [monitor]: { enabled: true, interval: '30s', labels: { release: 'p' } } },
        replicaCount: 2,
        podDisruptionBudget: { enabled: true, ...(index === 0 ? { minAvailable: '50%' } : {}) },
        recording: { enabled: true, existingClaim: index === 0 ? 'runs' : '' },
        networkPolicy: { enabled: true, apiServerCIDRs: ['10.0.0.0/8'] },
        operator: { forceDeletePodsOnLostNodes: index === 1 },
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
        alerts: { enabled: true, labels: { release: 'p' } },
        // Identical in all combinations, and large.
        crds: { install: row === 0 && column === 0 },
        dashboards: { enabled: row === 0 && column === 0 },
      };
    }),
  );
}

describe('the API server', () => {
  let kubectl: string;
  let namespace: string;
  let watched: string[];

  beforeAll(async () => {
    await helm(['version']);
    [kubectl = ''] = await ensureBinaries(['kubectl'], terminalProgress());
    for (const crd of await monitoringCrds()) await installCrd(cluster.client, crd);
    namespace = await cluster.namespace();
    await cluster.client.apply(NAMESPACES, { metadata: { name: namespace, labels: RESTRICTED } }, { force: true });
    watched = [await cluster.namespace(), await cluster.namespace()];
  }, HELM_TIMEOUT_MS);

  it.each(Object.keys(FRAMEWORKS))('accepts all objects of the chart %s in shadow mode', async (framework) => {
    const text = await renderedText(framework, { image: IMAGE, shadow: { enabled: true } }, { release: 'shadow', namespace });
    await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { name: `shadow-${framework}-ready`, namespace } });
    const dryRun = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict', '-f', '-'];
    const { stdout } = await runCommand(kubectl, ['--kubeconfig', cluster.kubeconfig, ...dryRun], { input: text });
    expect(stdout).toMatch(/^deployment\.apps\//m);
    expect(stdout).not.toMatch(/^customresourcedefinition/m);
  });

  it.each(Object.keys(FRAMEWORKS))('accepts all objects of the chart %s in every combination of switches', async (framework) => {
    const all = combinations(watched);
    // A pod without an existing ServiceAccount is rejected, and a dry run creates none.
    for (const index of all.keys()) {
      await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { name: `r${index}-${framework}-ready`, namespace } });
    }
    const texts = await Promise.all(
      all.map((values, index) => renderedText(framework, values, { release: `r${index}`, namespace })),
    );
    const dryRun = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict', '-f', '-'];
    const { stdout, stderr } = await runCommand(kubectl, ['--kubeconfig', cluster.kubeconfig, ...dryRun], {
      input: texts.join('\n'),
    });
    expect(stderr).not.toContain('would violate PodSecurity');
    const count = (what: string) => stdout.split('\n').filter((line) => line.startsWith(what)).length;
    expect(count('deployment.apps/')).toBe(all.length);
    expect(count('servicemonitor.monitoring.coreos.com/')).toBe(all.length / 3);
    expect(count('podmonitor.monitoring.coreos.com/')).toBe(all.length / 3);
    expect(count('networkpolicy.networking.k8s.io/')).toBe(all.length);
    expect(count('prometheusrule.monitoring.coreos.com/')).toBe(all.length);
    expect(count('configmap/')).toBe(4);
    expect(count('customresourcedefinition.')).toBe(FRAMEWORKS[framework as keyof typeof FRAMEWORKS].length);
  });
});
