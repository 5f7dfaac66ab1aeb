/**
 * The same Volcano Jobs on two clusters of simulated nodes, both with Volcano's scheduler: in one Volcano's controllers and webhooks run
 * them, in the other Muster's operators.
 */
import { mpiPlugin } from '@muster/adapter-mpi';
import { pytorchPlugin } from '@muster/adapter-pytorch';
import { rayPlugin } from '@muster/adapter-ray';
import { tensorflowPlugin } from '@muster/adapter-tensorflow';
import {
  clusterDown,
  clusterUp,
  SIMULATE_EXIT_CODE_ANNOTATION,
  SIMULATE_LABEL,
  terminalProgress,
} from '@muster/cluster';
import {
  createJobOperator,
  gangSchedulerNamed,
  type FrameworkAdapter,
  type JobOperator,
} from '@muster/common-job-controller';
import { PODS, VOLCANO_COMMANDS, VOLCANO_JOBS, type Pod, type VolcanoJob } from '@muster/job-api';
import { createKubeClient, isKubeError, loadCluster, type ClusterClient } from '@muster/kube';
import { installVolcanoJobs, startVolcano, startVolcanoControllers, type RunningProgram } from '@muster/schedulers';
import { eventually, loneOperatorOptions, started, TravelClock } from '@muster/testing';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { Registry } from 'prom-client';

const NAMESPACE = 'default';
const WITHIN_MS = 120_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const PLUGINS = [tensorflowPlugin, pytorchPlugin, mpiPlugin, rayPlugin];

const COUNTERS = ['pending', 'running', 'succeeded', 'failed', 'terminating'] as const;

/** What a Job shows of itself, as scripts read it. */
export interface ShownState {
  readonly phase: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly retryCount: number;
}

export class VolcanoSide {
  readonly name: 'volcano' | 'muster';
  readonly client: ClusterClient;
  #stop: () => Promise<void>;
  #log: () => string;

  constructor(name: VolcanoSide['name'], client: ClusterClient, log: () => string, stop: () => Promise<void>) {
    this.name = name;
    this.client = client;
    this.#log = log;
    this.#stop = stop;
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  async create(name: string, spec: VolcanoJob['spec']): Promise<void> {
    const manifest = { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name, namespace: NAMESPACE } };
    await this.client.create(VOLCANO_JOBS, { ...manifest, spec: { schedulerName: 'volcano', ...spec } });
  }

  job(name: string): Promise<VolcanoJob> {
    return this.client.get(VOLCANO_JOBS, { namespace: NAMESPACE, name });
  }

  async change(name: string, patch: object): Promise<void> {
    await this.client.patch(VOLCANO_JOBS, { namespace: NAMESPACE, name }, patch);
  }

  /** In the order of their names. */
  async pods(job: string): Promise<Pod[]> {
    const { items } = await this.client.list(PODS, { namespace: NAMESPACE });
    const own = items.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.name === job));
    return own.toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
  }

  async podNames(job: string): Promise<string[]> {
    return (await this.pods(job)).map(({ metadata }) => metadata?.name ?? '');
  }

  /** Has a running pod end: with 0, or with that exit code. */
  async end(pod: string, exitCode: number): Promise<void> {
    await this.client.patch(
      PODS,
      { namespace: NAMESPACE, name: pod },
      {
        metadata: {
          labels: { [SIMULATE_LABEL]: exitCode === 0 ? 'succeed' : 'fail' },
          annotations: { [SIMULATE_EXIT_CODE_ANNOTATION]: String(exitCode) },
        },
      },
    );
  }

  /** As `vcctl` asks. Resolves when the command has been taken. */
  async command(name: string, action: string): Promise<void> {
    const { metadata } = await this.job(name);
    const owner = { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', name, uid: metadata?.uid ?? '' };
    const target = { ...owner, controller: true, blockOwnerDeletion: true };
    const generateName = `${name}-${action.toLowerCase()}-`;
    const object = { metadata: { generateName, namespace: NAMESPACE, ownerReferences: [target] }, target, action };
    await this.client.create(VOLCANO_COMMANDS, object);
    const left = async () => (await this.client.list(VOLCANO_COMMANDS, { namespace: NAMESPACE })).items.length;
    await this.until(async () => (await left()) === 0, name);
  }

  /** Both say some of it late: taken when the counts are those of the pods. */
  async settled(name: string, phase: string): Promise<ShownState> {
    return this.until(async () => {
      const { status } = await this.job(name);
      const { state, retryCount = 0, ...shown } = (status ?? {}) as ShownStatus;
      if (state?.phase !== phase) return undefined;
      const counts = Object.fromEntries(COUNTERS.map((counter) => [counter, shown[counter] ?? 0]));
      const sum = Object.values(counts).reduce((total, count) => total + count, 0);
      return sum === (await this.pods(name)).length && { phase, counts, retryCount };
    }, name);
  }

  /** Waits until `check` passes; says how the Job is when it does not. */
  until<V>(check: () => V | Promise<V>, name: string) {
    const describe = async () => ({
      side: this.name,
      pods: (await this.pods(name)).map(({ metadata, status }) => [metadata?.name, status?.phase]),
      status: (await this.job(name).catch(() => undefined))?.status,
      log: this.#log(),
    });
    return eventually(check, { withinMs: WITHIN_MS, describe });
  }

  async isGone(name: string): Promise<boolean> {
    const isGone = await this.job(name).then(
      () => false,
      (error: unknown) => isKubeError(error, 'NotFound'),
    );
    return isGone && (await this.pods(name)).length === 0;
  }

  async remove(name: string): Promise<void> {
    await this.client
      .delete(VOLCANO_JOBS, { namespace: NAMESPACE, name }, { propagationPolicy: 'Background' })
      .catch((error: unknown) => {
        if (!isKubeError(error, 'NotFound')) throw error;
      });
    await this.until(() => this.isGone(name), name);
  }
}

type ShownStatus = Partial<Record<(typeof COUNTERS)[number], number>> & {
  readonly state?: { readonly phase?: string };
  readonly retryCount?: number;
};

/** Volcano itself. */
export async function volcanoSide(): Promise<VolcanoSide> {
  const name = `volcano-${process.pid}`;
  const cluster = await clusterUp({ name, nodes: 2, progress: terminalProgress() });
  const client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), {
    userAgent: 'muster-test/0',
  });
  const scheduler = await startVolcano(cluster, client);
  const controllers = await startVolcanoControllers(cluster);
  return side('volcano', name, client, [scheduler, controllers]);
}

/** The operators of all frameworks that Volcano has, under Volcano's scheduler. */
export async function musterSide(): Promise<VolcanoSide> {
  const name = `volcano-muster-${process.pid}`;
  const cluster = await clusterUp({ name, nodes: 2, progress: terminalProgress() });
  const client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), {
    userAgent: 'muster-test/0',
  });
  const scheduler = await startVolcano(cluster, client);
  await installVolcanoJobs(cluster);
  const operators: JobOperator[] = [];
  for (const plugin of PLUGINS) {
    // Jobs are new for a moment, which nobody here waits for.
    const clock = new TravelClock();
    clock.advance(5000);
    const options = loneOperatorOptions({
      client,
      namespaces: [NAMESPACE],
      serviceMode: 'PerJob',
      logger: silent,
      clock,
    });
    const adapter = volcanoJobAdapter(plugin) as unknown as FrameworkAdapter;
    const settings = { ...options.settings, gang: gangSchedulerNamed('volcano') };
    const registry = new Registry();
    const operator = createJobOperator({ ...options, settings, adapters: [adapter], registry });
    await started(operator, registry);
    operators.push(operator);
  }
  return side('muster', name, client, [scheduler], async () => {
    for (const operator of operators) await operator.stop();
  });
}

function side(
  which: VolcanoSide['name'],
  cluster: string,
  client: ClusterClient,
  programs: readonly RunningProgram[],
  before: () => Promise<void> = async () => {},
): VolcanoSide {
  const log = () => programs.map((each) => each.log()).join('\n');
  return new VolcanoSide(which, client, log, async () => {
    await before();
    await Promise.all(programs.map((each) => each.stop()));
    await client.close();
    await clusterDown({ name: cluster });
  });
}
