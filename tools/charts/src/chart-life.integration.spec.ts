/**
 * Installation, upgrade and uninstallation of a chart with Helm on a real API server, and a second release in the same cluster. Its kind is in
 * a separate API group.
 */
import { randomUUID } from 'node:crypto';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  LEASES,
  PODS,
  SERVICES,
  type CustomResourceDefinition,
  type KubeObject,
  type Resource,
} from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { NAMESPACES, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChartCopy } from '../test-support/chart-copy.ts';
import { helm, HELM_TIMEOUT_MS } from '../test-support/helm.ts';

const cluster = await testCluster();

const GROUP = `life-${randomUUID().slice(0, 8)}.test`;
const JOBS: Resource = { group: GROUP, version: 'v1', kind: 'TFJob', plural: 'tfjobs', namespaced: true };
const DEPLOYMENTS: Resource<KubeObject & { spec: { strategy?: object } }> = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' },
  namespaced: true,
};
const CRD = { name: `tfjobs.${GROUP}` };

const IMAGE = ['--set', 'image.repository=registry.example/tensorflow-operator'];

describe('a chart', () => {
  const charts: ChartCopy[] = [];
  let older: ChartCopy;
  let chart: ChartCopy;
  let namespace: string;

  const onCluster = (...args: string[]) => helm([...args, '--kubeconfig', cluster.kubeconfig, '--namespace', namespace]);
  const crd = () => cluster.client.get<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS, CRD);
  const columnsOf = ({ spec }: CustomResourceDefinition) =>
    spec.versions[0]?.additionalPrinterColumns?.map(({ description }) => description);

  async function copy(): Promise<ChartCopy> {
    const made = await ChartCopy.of('tensorflow');
    charts.push(made);
    await made.moveTo(GROUP, 'kubeflow.org');
    return made;
  }

  beforeAll(async () => {
    await helm(['version']);
    chart = await copy();
    older = await copy();
    await older.replace(`files/crds/${GROUP}_tfjobs.yaml`, 'Number of ready pods and of all pods.', 'The earlier description.');
    namespace = await cluster.namespace();
    const enforced = { metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } };
    await cluster.client.apply(NAMESPACES, enforced, { force: true });
  }, HELM_TIMEOUT_MS);

  afterAll(async () => {
    await Promise.all(charts.map((each) => each.remove()));
    // Cluster-scoped, so other tests would see them.
    await cluster.client.delete(CUSTOM_RESOURCE_DEFINITIONS, CRD);
  });

  it('is installed, upgraded and uninstalled without deleting jobs', { timeout: HELM_TIMEOUT_MS }, async () => {
    const installed = await onCluster('install', 'tf', older.folder, ...IMAGE, '--wait', '--timeout', '3m');
    expect(installed).toContain(`kubectl delete crd tfjobs.${GROUP}`);
    expect(columnsOf(await crd())).toContain('The earlier description.');
    const job = await createJob(namespace);

    await onCluster('upgrade', 'tf', chart.folder, ...IMAGE, '--set', 'replicaCount=2', '--wait', '--timeout', '3m');
    expect(columnsOf(await crd())).toContain('Number of ready pods and of all pods.');
    expect((await cluster.client.get(JOBS, { namespace, name: 'train' })).metadata?.uid).toBe(job.metadata?.uid);

    await onCluster('uninstall', 'tf', '--wait', '--timeout', '3m');
    expect((await crd()).metadata?.uid).toBeDefined();
    expect((await cluster.client.get(JOBS, { namespace, name: 'train' })).metadata?.uid).toBe(job.metadata?.uid);

    // The same release adopts the CRDs that it left.
    await onCluster('install', 'tf', chart.folder, ...IMAGE, '--wait', '--timeout', '3m');
  });

  it('changes the update strategy by an upgrade, in both directions', { timeout: HELM_TIMEOUT_MS }, async () => {
    const upgrade = async (...more: string[]) => {
      await onCluster('upgrade', 'tf', chart.folder, ...IMAGE, ...more);
      return (await cluster.client.get(DEPLOYMENTS, { namespace, name: 'tf-tensorflow' })).spec.strategy;
    };
    const rolling = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } };
    expect(await upgrade('--set', 'updateStrategy.type=Recreate')).toEqual({ type: 'Recreate' });
    expect(await upgrade()).toEqual(rolling);
    expect(await upgrade('--set', 'leaderElection.enabled=false')).toEqual({ type: 'Recreate' });
    expect(await upgrade('--set', 'updateStrategy.rollingUpdate.maxSurge=1')).toMatchObject({ rollingUpdate: { maxSurge: 1 } });
    expect(await upgrade('--reset-then-reuse-values', '--set', 'updateStrategy.type=Recreate')).toEqual({ type: 'Recreate' });
    expect(await upgrade()).toEqual(rolling);
  });

  it('keeps CRDs and jobs in an upgrade with crds.install=false', { timeout: HELM_TIMEOUT_MS }, async () => {
    const { metadata } = await cluster.client.get(JOBS, { namespace, name: 'train' });
    await onCluster('upgrade', 'tf', chart.folder, ...IMAGE, '--set', 'crds.install=false');
    expect((await crd()).metadata?.deletionTimestamp).toBeUndefined();
    expect((await cluster.client.get(JOBS, { namespace, name: 'train' })).metadata?.uid).toBe(metadata?.uid);
    await onCluster('upgrade', 'tf', chart.folder, ...IMAGE);
  });

  it('is rejected beside a release that owns the CRDs, and can be installed without them', { timeout: HELM_TIMEOUT_MS }, async () => {
    const other = await cluster.namespace();
    const install = (...more: string[]) =>
      helm([
        ...['install', 'tf', chart.folder, ...IMAGE, '--set', 'watch.scope=own'],
        ...['--kubeconfig', cluster.kubeconfig, '--namespace', other, ...more],
      ]);
    await expect(install()).rejects.toThrow(/CustomResourceDefinition "tfjobs\..*cannot be imported into the current release/);
    await install('--set', 'crds.install=false', '--wait', '--timeout', '3m');

    const account = cluster.as(`system:serviceaccount:${other}:tf-tensorflow`);
    await expectRights(account, other, true);
    await expectRights(account, namespace, false);
    const everywhere = cluster.as(`system:serviceaccount:${namespace}:tf-tensorflow`);
    await expectRights(everywhere, other, true, 'but for the Lease');
  });

  it('adopts CRDs that were installed without Helm', { timeout: HELM_TIMEOUT_MS }, async () => {
    await onCluster('uninstall', 'tf', '--wait', '--timeout', '3m');
    const labels = { 'app.kubernetes.io/managed-by': null };
    const annotations = { 'meta.helm.sh/release-name': null, 'meta.helm.sh/release-namespace': null };
    await cluster.client.patch(CUSTOM_RESOURCE_DEFINITIONS, CRD, { metadata: { labels, annotations } });
    const install = ['install', 'tf', chart.folder, ...IMAGE, '--wait', '--timeout', '3m'];
    await expect(onCluster(...install)).rejects.toThrow('invalid ownership metadata');
    await onCluster(...install, '--take-ownership', '--force-conflicts');
    expect((await crd()).metadata?.annotations?.['meta.helm.sh/release-name']).toBe('tf');
  });
});

function createJob(namespace: string): Promise<KubeObject> {
  const template = { spec: { containers: [{ name: 'tensorflow', image: 'none' }] } };
  const spec = { tfReplicaSpecs: { Worker: { replicas: 1, template } } };
  const job = { apiVersion: `${GROUP}/v1`, kind: JOBS.kind, metadata: { name: 'train', namespace }, spec };
  return cluster.client.create(JOBS, job);
}

/** Tries what the operator's ServiceAccount can do in a namespace. */
async function expectRights(account: KubeClient, namespace: string, allowed: boolean, butForTheLease?: string) {
  const tried = async (request: Promise<unknown>) =>
    request.then(
      () => true,
      (error: unknown) => {
        if (isKubeError(error, 'Forbidden', 'NotFound')) return error.reason === 'NotFound';
        throw error;
      },
    );
  expect(await tried(account.list(JOBS, { namespace }))).toBe(allowed);
  expect(await tried(account.list(PODS, { namespace }))).toBe(allowed);
  expect(await tried(account.list(SERVICES, { namespace }))).toBe(allowed);
  expect(await tried(account.get(LEASES, { namespace, name: 'any' }))).toBe(allowed && butForTheLease === undefined);
  // To find other operators.
  expect(await tried(account.list(LEASES))).toBe(true);
  expect(await tried(account.list({ ...PODS, kind: 'Secret', plural: 'secrets' }, { namespace }))).toBe(false);
}
