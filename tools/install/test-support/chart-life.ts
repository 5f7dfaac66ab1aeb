/**
 * The life of a chart on a real node, from installation to removal, while jobs of its framework train: the steps of users, in their order.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureBinaries, runCommand, terminalProgress, type Cluster } from '@muster/cluster';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  PODS,
  podTemplatesOf,
  type FrameworkName,
  type KubeObject,
  type Pod,
  type Resource,
} from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { eventually, NAMESPACES } from '@muster/testing';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { chartFolder, operatorValues } from '../src/install-operators.ts';
import { earlierChart } from './earlier-chart.ts';

const WORKSPACE = join(import.meta.dirname, '../../..');
/** The limit of each wait: on two shared cores a framework alone takes half a minute to load. */
const LIMIT_MS = 400_000;
const TIMEOUT = `${LIMIT_MS / 1000}s`;
/** A training that takes longer than the replacement of an operator. */
const LONG = { EPOCHS: '60', EPOCH_SECONDS: '1' };

export interface FrameworkCase {
  readonly framework: FrameworkName;
  readonly resource: Resource;
  /** A manifest of `examples/<framework>`. */
  readonly example: string;
  /** Passes the options of `LONG` to the training if variables cannot. */
  readonly lengthen?: (manifest: KubeObject) => void;
  /** The number of pods while it trains. */
  readonly pods: number;
  /** Additional values for the earlier chart, in the form of `--set-json`. */
  readonly valuesBefore?: readonly string[];
}

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false } as const;
const CLUSTER_ROLES: Resource = { ...RBAC, kind: 'ClusterRole', plural: 'clusterroles' };
const CLUSTER_ROLE_BINDINGS: Resource = { ...RBAC, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' };

interface Status {
  readonly state?: string;
  readonly jobDeploymentStatus?: string;
}

/** A framework's chart and a namespace for its jobs, on one cluster. */
export class ChartLife {
  readonly client: ClusterClient;
  readonly jobs: string;
  readonly release: string;
  readonly #cluster: Cluster;
  readonly #framework: FrameworkCase;
  readonly #values: readonly string[];
  readonly #helm: string;

  private constructor(
    cluster: Cluster,
    framework: FrameworkCase,
    made: { readonly client: ClusterClient; readonly values: readonly string[]; readonly helm: string },
  ) {
    this.client = made.client;
    this.#values = made.values;
    this.#helm = made.helm;
    this.#cluster = cluster;
    this.#framework = framework;
    this.jobs = `team-${framework.framework}`;
    this.release = framework.framework;
  }

  /** Imports the operator's image, and creates both namespaces; the operator's accepts only restricted pods. */
  static async begin(cluster: Cluster, framework: FrameworkCase, operators: string): Promise<ChartLife> {
    const progress = terminalProgress();
    const [helm = ''] = await ensureBinaries(['helm'], progress);
    const client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), {
      userAgent: 'muster-test/0',
    });
    const values = await operatorValues(framework.framework, { cluster, progress });
    const life = new ChartLife(cluster, framework, { client, values, helm });
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await client.apply(NAMESPACES, { metadata: { name: operators, labels } }, { force: true });
    await client.apply(NAMESPACES, { metadata: { name: life.jobs } }, { force: true });
    return life;
  }

  helm(verb: string, operators: string, ...args: readonly string[]): Promise<{ stdout: string }> {
    const where = ['--kubeconfig', this.#cluster.kubeconfig, '--namespace', operators];
    return runCommand(this.#helm, [verb, this.release, ...args, ...where]);
  }

  /** Installs or upgrades. @param chart a folder or an archive; default: the chart of this checkout */
  async deploy(
    operators: string,
    options: { readonly chart?: string; readonly replicas?: number; readonly values?: readonly string[] } = {},
  ): Promise<void> {
    const { chart = chartFolder(this.#framework.framework), replicas = 1, values = [] } = options;
    const set = [...this.#values, `replicaCount=${replicas}`, ...values].flatMap((value) => ['--set-json', value]);
    await this.helm('upgrade', operators, chart, '--install', '--wait', '--timeout', TIMEOUT, ...set);
  }

  /** Creates the example as `name`, with a minute of training; resolves when all of its pods run. */
  async train(name: string): Promise<readonly Pod[]> {
    const { framework, resource, example, lengthen, pods } = this.#framework;
    const manifest = parse(
      await readFile(join(WORKSPACE, 'examples', framework, `${example}.yaml`), 'utf8'),
    ) as KubeObject;
    const env = Object.entries(LONG).map(([variable, value]) => ({ name: variable, value }));
    for (const { spec } of podTemplatesOf(manifest)) {
      if (spec) spec.containers = spec.containers.map((each) => ({ ...each, env: [...(each.env ?? []), ...env] }));
    }
    lengthen?.(manifest);
    await this.client.create(resource, { ...manifest, metadata: { ...manifest.metadata, name, namespace: this.jobs } });
    return this.#until(async () => {
      const running = (await this.pods()).filter(({ status }) => status?.phase === 'Running');
      return running.length >= pods && running;
    });
  }

  async pods(): Promise<Pod[]> {
    return (await this.client.list(PODS, { namespace: this.jobs })).items;
  }

  /** Checks that the job was not affected: no pod was recreated or restarted, and it succeeds. */
  async toEndUndisturbed(name: string, before: readonly Pod[]): Promise<void> {
    const { resource } = this.#framework;
    await this.#until(async () => {
      const { status = {} } = await this.client.get<KubeObject & { status?: Status }>(resource, {
        namespace: this.jobs,
        name,
      });
      const ended = status.jobDeploymentStatus ?? status.state ?? '';
      expect(ended).not.toBe('Failed');
      return ['Complete', 'Succeeded'].includes(ended);
    });
    const uids = ({ metadata }: Pod) => metadata?.uid;
    const now = (await this.pods()).filter((pod) => before.some((other) => uids(other) === uids(pod)));
    const restarts = now.flatMap(
      ({ status }) => status?.containerStatuses?.map(({ restartCount }) => restartCount) ?? [],
    );
    expect(restarts.every((count) => count === 0)).toBe(true);
    const names = ({ metadata }: Pod) => metadata?.name;
    const replaced = (await this.pods()).filter((pod) =>
      before.some((other) => names(other) === names(pod) && uids(other) !== uids(pod)),
    );
    expect(replaced.map(names)).toEqual([]);
  }

  /** Whether the job has not ended yet. */
  async trains(name: string): Promise<boolean> {
    const { resource } = this.#framework;
    const { status = {} } = await this.client.get<KubeObject & { status?: Status }>(resource, {
      namespace: this.jobs,
      name,
    });
    return (status.jobDeploymentStatus ?? status.state) === 'Running';
  }

  /** Resolves when exactly this number of pods runs. */
  operatorPods(operators: string, count: number): Promise<readonly Pod[]> {
    const labelSelector = `app.kubernetes.io/instance=${this.release},app.kubernetes.io/name=muster-${this.release}`;
    return this.#until(async () => {
      const { items } = await this.client.list(PODS, { namespace: operators, labelSelector });
      return items.length === count && items;
    });
  }

  /**
   * Installs the earlier chart, starts a job, upgrades to the chart of this checkout, waits for the job's end, and uninstalls: the job's
   * pods are not affected, and CRDs and jobs are kept.
   */
  async live(operators: string): Promise<void> {
    const { framework, resource } = this.#framework;
    const job = 'through-an-upgrade';
    const takeBack = await this.#grantRights(operators);
    await this.deploy(operators, { chart: earlierChart(framework), values: this.#framework.valuesBefore ?? [] });
    const [before] = await this.operatorPods(operators, 1);
    const pods = await this.train(job);

    await this.deploy(operators, { replicas: 2 });
    await takeBack();
    expect(await this.trains(job), 'the training ended before the upgrade').toBe(true);
    const after = await this.operatorPods(operators, 2);
    expect(after.map(({ metadata }) => metadata?.uid)).not.toContain(before?.metadata?.uid);
    await this.helm('test', operators);
    await this.toEndUndisturbed(job, pods);

    await this.helm('uninstall', operators, '--wait');
    const { items: crds } = await this.client.list(CUSTOM_RESOURCE_DEFINITIONS);
    expect(crds.map(({ metadata }) => metadata?.name)).toContain(`${resource.plural}.${resource.group}`);
    const { metadata } = await this.client.get(resource, { namespace: this.jobs, name: job });
    expect(metadata?.deletionTimestamp).toBeUndefined();
  }

  /** The image is that of this checkout also with the earlier chart, which may lack rights that it uses. */
  async #grantRights(operators: string): Promise<() => Promise<void>> {
    const name = `rights-of-${this.release}`;
    const file = join(chartFolder(this.#framework.framework), 'files/permissions.yaml');
    const { jobs: rules } = parse(await readFile(file, 'utf8')) as { jobs: object[] };
    const group = 'rbac.authorization.k8s.io';
    const subjects = [{ apiGroup: group, kind: 'Group', name: `system:serviceaccounts:${operators}` }];
    const roleRef = { apiGroup: group, kind: 'ClusterRole', name };
    await this.client.apply(CLUSTER_ROLES, { metadata: { name }, ...{ rules } }, { force: true });
    await this.client.apply(CLUSTER_ROLE_BINDINGS, { metadata: { name }, ...{ subjects, roleRef } }, { force: true });
    return async () => {
      await this.client.delete(CLUSTER_ROLE_BINDINGS, { name });
      await this.client.delete(CLUSTER_ROLES, { name });
    };
  }

  /** Kills each of the operator's pods, in sequence; returns when all are running again. */
  async loseEachOperatorPod(operators: string, replicas: number): Promise<void> {
    for (const { metadata } of await this.operatorPods(operators, replicas)) {
      const { name = '', uid } = metadata ?? {};
      await this.client.delete(PODS, { namespace: operators, name }, { gracePeriodSeconds: 0 });
      await this.#until(async () => {
        const pods = await this.operatorPods(operators, replicas);
        const areReady = pods.every(({ status }) =>
          status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
        );
        return areReady && pods.every((pod) => pod.metadata?.uid !== uid);
      });
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  #until<T>(condition: () => Promise<T | false>): Promise<T> {
    return eventually(condition, {
      withinMs: LIMIT_MS,
      describe: async () => ({
        jobs: await this.client
          .list(this.#framework.resource, { namespace: this.jobs })
          .then(({ items }) => items.map(({ metadata, ...rest }) => ({ name: metadata?.name, ...rest }))),
        pods: (await this.pods()).map(({ metadata, status }) => [
          metadata?.name,
          status?.phase,
          status?.conditions?.find(({ status: is }) => is === 'False')?.message,
        ]),
      }),
    });
  }
}
