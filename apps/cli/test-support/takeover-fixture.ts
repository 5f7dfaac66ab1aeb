/**
 * A cluster in which jobs move between an upstream operator and Muster: one runs at a time. Muster's operators have the rights of their
 * charts. CRDs are replaced with the commands of the migration pages.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterDown, clusterUp, runCommand, terminalProgress, type Cluster } from '@muster/cluster';
import { createJobOperator } from '@muster/common-job-controller';
import { PODS, SERVICES, type FrameworkName, type KubeObject, type Pod, type Resource } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { kubectlOf, UpstreamOperator, type UpstreamName } from '@muster/schedulers';
import { eventually, loneOperatorOptions, started, TravelClock } from '@muster/testing';
import { makeOperatorAccounts } from '@muster/verify';
import { Registry } from 'prom-client';
import { muster } from './command-line.ts';
import { adaptersOf } from './framework-adapters.ts';
import type { MovedKind, MovedObject } from './moved-kinds.ts';

export const NAMESPACE = 'default';
/** Ray starts within minutes on a busy machine. */
const WITHIN_MS = 600_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What must not change when another operator takes over a job. */
export interface JobState {
  /** UID and container restarts of each pod, by name. */
  readonly pods: Readonly<Record<string, string>>;
  /** UID of each Service, by name. */
  readonly services: Readonly<Record<string, string>>;
  readonly status: MovedStatus;
}

interface MovedStatus {
  readonly startTime?: string;
  readonly restartCount?: number;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime?: string;
  }[];
  readonly replicaStatuses?: Readonly<Record<string, { readonly active?: number }>>;
}

interface MusterOperator {
  readonly framework: FrameworkName;
  readonly registry: Registry;
  stop(): Promise<void>;
}

const key = (name: string) => ({ namespace: NAMESPACE, name });

export class TakeoverFixture {
  readonly cluster: Cluster;
  readonly client: ClusterClient;
  readonly upstream: UpstreamOperator;
  readonly #accounts: string;
  #operators: MusterOperator[] = [];

  static async up(name: string, operator: UpstreamName, node: 'simulated' | 'real'): Promise<TakeoverFixture> {
    const cluster = await clusterUp({
      name,
      node,
      ...(node === 'simulated' && { nodes: 2 }),
      progress: terminalProgress(),
    });
    let upstream: UpstreamOperator | undefined;
    try {
      const access = await loadCluster({ kubeconfig: cluster.kubeconfig });
      const client = createKubeClient(access, { userAgent: 'muster-test/0' });
      upstream = await UpstreamOperator.up(cluster, operator);
      const accounts = await makeOperatorAccounts(cluster, terminalProgress());
      return new TakeoverFixture(cluster, client, upstream, accounts);
    } catch (error) {
      await upstream?.stop();
      await clusterDown({ name });
      throw error;
    }
  }

  private constructor(cluster: Cluster, client: ClusterClient, upstream: UpstreamOperator, accounts: string) {
    this.cluster = cluster;
    this.client = client;
    this.upstream = upstream;
    this.#accounts = accounts;
  }

  async down(): Promise<void> {
    await this.stopMuster();
    await this.upstream.stop();
    await this.client.close();
    await clusterDown({ name: this.cluster.name });
  }

  /** Replaces the CRDs of these frameworks, and starts their operators. */
  async startMuster(frameworks: readonly FrameworkName[]): Promise<void> {
    for (const framework of frameworks) await this.#replaceCrds(framework);
    for (const framework of frameworks) this.#operators.push(await this.#started(framework));
  }

  /** Stops Muster, applies the CRDs of the upstream operator and starts it, as the migration pages say. */
  async goBack(kinds: readonly MovedObject[]): Promise<void> {
    await this.stopMuster();
    for (const { storedVersion } of kinds) {
      if (storedVersion !== undefined) await this.shell(commandsOfStorage(storedVersion));
    }
    await this.upstream.installCrds();
    await this.upstream.start();
  }

  async stopMuster(): Promise<void> {
    for (const operator of this.#operators.splice(0)) await operator.stop();
  }

  async #replaceCrds(framework: FrameworkName): Promise<void> {
    const { code, out, err } = await muster(['crds', framework]).ended;
    if (code !== 0) throw new Error(`muster crds ${framework}: ${err}`);
    const file = join(this.cluster.stateDir, `${framework}-crds.yaml`);
    writeFileSync(file, out);
    await this.kubectl('apply', '--server-side', '--force-conflicts', '-f', file);
    await this.kubectl('wait', '--for=condition=Established', '--timeout=60s', '-f', file);
  }

  async #started(framework: FrameworkName): Promise<MusterOperator> {
    const kubeconfig = join(this.#accounts, `${framework}.kubeconfig`);
    const client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-test/0' });
    const base = { client, namespaces: [NAMESPACE], serviceMode: 'PerJob', logger: silent } as const;
    const options = loneOperatorOptions({ ...base, clock: new TravelClock() });
    const registry = new Registry();
    const operator = await started(
      createJobOperator({ ...options, adapters: adaptersOf(framework), registry }),
      registry,
    );
    return {
      framework,
      registry,
      async stop() {
        await operator.stop();
        await client.close();
      },
    };
  }

  kubectl(...args: string[]): Promise<{ readonly stdout: string }> {
    return kubectlOf(this.cluster)(...args);
  }

  /** Runs a command that a page or `muster preflight` prints. */
  async shell(command: string): Promise<void> {
    const env = { ...process.env, KUBECONFIG: this.cluster.kubeconfig };
    const path = `${this.cluster.binDir}:${process.env['PATH']}`;
    await runCommand('sh', ['-euc', command], { env: { ...env, PATH: path } });
  }

  /** The commands that preflight prints for a framework. */
  async preflight(framework: FrameworkName): Promise<string[]> {
    const { out } = await muster(['preflight', framework, '--kubeconfig', this.cluster.kubeconfig]).ended;
    return out.split('\n').flatMap((line) => /^ {2}(\S.*)$/.exec(line)?.[1] ?? []);
  }

  async create({ resource, spec }: MovedObject, name: string, more: object = {}): Promise<void> {
    await this.client.create(resource, { metadata: key(name), spec: { ...spec, ...more } });
  }

  async statusOf({ resource }: MovedObject, name: string): Promise<MovedStatus> {
    return (await this.client.get(resource, key(name))).status ?? {};
  }

  /** All pods of the job that are not being deleted. */
  async podsOf(name: string): Promise<Pod[]> {
    return (await this.#named(PODS, name)).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  }

  async state(kind: MovedObject, name: string): Promise<JobState> {
    const restarts = ({ status }: Pod) => (status?.containerStatuses ?? []).map(({ restartCount }) => restartCount);
    const podEntry = (pod: Pod): [string, string] => [
      pod.metadata?.name ?? '',
      `${pod.metadata?.uid} ${restarts(pod).join()}`,
    ];
    const pods = (await this.podsOf(name)).map(podEntry);
    const services = (await this.#named(SERVICES, name)).map(({ metadata }): [string, string] => [
      metadata?.name ?? '',
      metadata?.uid ?? '',
    ]);
    return {
      pods: Object.fromEntries(pods),
      services: Object.fromEntries(services),
      status: await this.statusOf(kind, name),
    };
  }

  async #named<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T[]> {
    const { items } = await this.client.list(resource, { namespace: NAMESPACE });
    return items.filter(({ metadata }) => metadata?.name === name || metadata?.name?.startsWith(`${name}-`));
  }

  /** Waits until all pods of the job run, and its status says so. */
  async toRun(kind: MovedKind, name: string): Promise<void> {
    await this.until(kind, name, async () => {
      const pods = await this.podsOf(name);
      const all = pods.length === kind.pods && pods.every(isReady);
      return all && isRunning(kind, await this.statusOf(kind, name));
    });
  }

  async until(kind: MovedObject, name: string, check: () => Promise<boolean>): Promise<void> {
    const describe = async () => ({
      kind: kind.resource.kind,
      status: await this.statusOf(kind, name).catch(String),
      pods: (await this.#named(PODS, name)).map(({ metadata, status }) => [
        ...[metadata?.name, metadata?.uid, metadata?.deletionTimestamp, status?.phase],
        status?.conditions?.map(({ type, status: is, message }) => `${type}=${is} ${message ?? ''}`),
      ]),
      events: await this.#events(name),
      upstream: this.upstream.log().slice(-3000),
    });
    await eventually(check, { withinMs: WITHIN_MS, describe });
  }

  async #events(name: string): Promise<string[]> {
    const { stdout } = await this.kubectl(
      'get',
      'events',
      '-n',
      NAMESPACE,
      '-o',
      'jsonpath={range .items[*]}{.involvedObject.kind} {.involvedObject.name} {.reason} {.message}{"\\n"}{end}',
    );
    return stdout
      .split('\n')
      .filter((line) => line.includes(name))
      .slice(-30);
  }

  /** The counter of jobs of that kind in Muster's operators. */
  async counted(metric: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { registry, framework } of this.#operators) {
      const values = (await registry.getSingleMetric(metric)?.get())?.values ?? [];
      counts[framework] = values.reduce((sum, { value }) => sum + value, 0);
    }
    return counts;
  }
}

/** The commands of the page about MPIJobs that change the version in which objects are stored. */
function commandsOfStorage(version: 'v1' | 'v2beta1'): string {
  const page = readFileSync(new URL('../../../docs/administrators/mpi-migration.md', import.meta.url), 'utf8');
  const [, commands = ''] = /## Going back[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? [];
  const [change = '', ...others] = commands.split(/^(?= *kubectl )/m).filter((command) => command.trim() !== '');
  if (!change.includes('/storage') || others.length !== 2) throw new Error(`unexpected commands: ${commands}`);
  if (version === 'v1') return commands;
  return others.join('').replaceAll('mpijobs.v1.', 'mpijobs.v2beta1.').replaceAll('"v1"', '"v2beta1"');
}

function isReady({ status }: Pod): boolean {
  return (
    status?.phase === 'Running' &&
    status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
  );
}

function isRunning({ runs }: MovedKind, status: MovedStatus): boolean {
  if (runs !== undefined) return runs(status);
  return status.conditions?.some(({ type, status: is }) => type === 'Running' && is === 'True') === true;
}
