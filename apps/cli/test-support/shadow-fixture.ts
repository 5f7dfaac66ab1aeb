/**
 * A cluster in which an upstream operator runs jobs on simulated nodes under its own CRDs, while Muster's operators compare. They have the
 * rights of their charts in shadow mode.
 */
import { join } from 'node:path';
import { clusterDown, clusterUp, terminalProgress, type Cluster } from '@muster/cluster';
import { createShadowOperator, type KindReport, type ShadowOperator } from '@muster/shadow';
import type { FrameworkName } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { UpstreamOperator, type UpstreamName } from '@muster/schedulers';
import { eventually, NAMESPACES } from '@muster/testing';
import { auditEvents, makeOperatorAccounts, OPERATORS_NAMESPACE, type AuditEvent } from '@muster/verify';
import { Registry } from 'prom-client';
import { adaptersOf } from './framework-adapters.ts';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const WITHIN_MS = 900_000;
const SLOW_MS = 60_000;

export class ShadowFixture {
  readonly cluster: Cluster;
  readonly client: ClusterClient;
  readonly upstream: UpstreamOperator;
  readonly #operators: ShadowOperator[] = [];
  readonly #clients: ClusterClient[] = [];

  static async up(name: string, operator: UpstreamName, frameworks: readonly FrameworkName[]): Promise<ShadowFixture> {
    const cluster = await clusterUp({
      ...{ name, node: 'simulated', nodes: 8, auditedNamespace: OPERATORS_NAMESPACE },
      progress: terminalProgress(),
    });
    try {
      const client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), {
        userAgent: 'muster-test/0',
      });
      const upstream = await UpstreamOperator.up(cluster, operator);
      const fixture = new ShadowFixture(cluster, client, upstream);
      await fixture.#compare(frameworks);
      return fixture;
    } catch (error) {
      await clusterDown({ name });
      throw error;
    }
  }

  private constructor(cluster: Cluster, client: ClusterClient, upstream: UpstreamOperator) {
    this.cluster = cluster;
    this.client = client;
    this.upstream = upstream;
  }

  async #compare(frameworks: readonly FrameworkName[]): Promise<void> {
    const values = { 'shadow.enabled': true };
    const accounts = await makeOperatorAccounts(this.cluster, terminalProgress(), { values });
    for (const framework of frameworks) {
      const kubeconfig = join(accounts, `${framework}.kubeconfig`);
      const client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-test/0' });
      const operator = createShadowOperator({
        ...{ client, registry: new Registry(), logger: silent, namespaces: [], concurrency: 4 },
        adapters: adaptersOf(framework),
        settings: { serviceMode: 'PerJob', clusterDomain: 'cluster.local' },
        shutdownTimeoutMs: 60_000,
        onFailed: () => {
          throw new Error(`the operator of ${framework} has ended`);
        },
      });
      await operator.start();
      await eventually(() => operator.problems().length === 0, {
        withinMs: WITHIN_MS,
        describe: () => operator.problems(),
      });
      this.#operators.push(operator);
      this.#clients.push(client);
    }
  }

  async down(): Promise<void> {
    await this.stop();
    for (const client of [...this.#clients, this.client]) await client.close();
    await this.upstream.stop();
    await clusterDown({ name: this.cluster.name });
  }

  async namespace(name: string): Promise<string> {
    await this.client.create(NAMESPACES, { metadata: { name } });
    return name;
  }

  reports(namespace: string): KindReport[] {
    return this.#operators.flatMap((operator) => operator.shadowReport?.(namespace).kinds ?? []);
  }

  /**
   * Waits until this many jobs of the namespace are compared, and nothing of any has changed since. A difference that the upstream operator is
   * about to remove is given time: it creates 20 objects a second.
   */
  async compared(namespace: string, jobs: number): Promise<KindReport[]> {
    const counts = () => this.reports(namespace).map((each) => ({ kind: each.kind, ...each.jobs }));
    const isDone = () => {
      const all = counts();
      const seen = all.reduce((sum, each) => sum + each.same + each.documented + each.unknown, 0);
      return seen >= jobs && all.every(({ waiting }) => waiting === 0);
    };
    await eventually(isDone, { withinMs: WITHIN_MS, describe: () => ({ jobs, counts: counts() }) });
    const isKnown = () => isDone() && counts().every(({ unknown }) => unknown === 0);
    await eventually(isKnown, { withinMs: SLOW_MS }).catch(() => {});
    return this.reports(namespace);
  }

  async stop(): Promise<void> {
    for (const operator of this.#operators.splice(0)) await operator.stop();
  }

  /** All requests of the operators' accounts. Stops the operators, because a watch is logged when it ends. */
  async requests(): Promise<AuditEvent[]> {
    await this.stop();
    return auditEvents(this.cluster.auditLog ?? '');
  }
}
