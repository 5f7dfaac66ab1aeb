/**
 * The same Volcano Jobs on two clusters of simulated nodes with Volcano's scheduler. One runs Volcano's controllers and webhooks, the other
 * Muster's operators.
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
  type Cluster,
} from '@muster/cluster';
import { createJobOperator, gangSchedulerNamed, type FrameworkAdapter } from '@muster/common-job-controller';
import { PODS, VOLCANO_COMMANDS, VOLCANO_JOBS, type Pod, type VolcanoJob } from '@muster/job-api';
import { createKubeClient, isKubeError, loadCluster, type ClusterClient } from '@muster/kube';
import { installVolcanoJobs, startVolcano, startVolcanoControllers, type RunningProgram } from '@muster/schedulers';
import { eventually, loneOperatorOptions, started, TravelClock } from '@muster/testing';
import { volcanoJobAdapter, type FrameworkPlugin } from '@muster/volcano-job';
import { Registry } from 'prom-client';

const NAMESPACE = 'default';
const WITHIN_MS = 120_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const PLUGINS = [tensorflowPlugin, pytorchPlugin, mpiPlugin, rayPlugin];

const COUNTERS = ['pending', 'running', 'succeeded', 'failed', 'terminating'] as const;

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

  /** Changes a task's replicas and the Job's minAvailable. */
  async scale(name: string, task: string, replicas: number, minAvailable: number): Promise<void> {
    const { spec } = await this.job(name);
    const tasks = spec.tasks.map((each) => (each.name === task ? { ...each, replicas } : each));
    await this.client.patch(VOLCANO_JOBS, { namespace: NAMESPACE, name }, { spec: { tasks, minAvailable } });
  }

  /** Ordered by name. */
  async pods(job: string): Promise<Pod[]> {
    const { items } = await this.client.list(PODS, { namespace: NAMESPACE });
    const own = items.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.name === job));
    return own.toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
  }

  async podNames(job: string): Promise<string[]> {
    return (await this.pods(job)).map(({ metadata }) => metadata?.name ?? '');
  }

  /** Ends a running pod with 0, or with that exit code. */
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

  /** Creates a Command as `vcctl` does. Resolves when it has been processed. */
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

  /** The Job in that phase, when its counters match its pods and no pod is starting or terminating. */
  async settled(name: string, phase: string): Promise<Readonly<Record<string, number>>> {
    return this.until(async () => {
      const { state, ...shown } = await this.#shown(name);
      if (state?.phase !== phase) return undefined;
      const counts = Object.fromEntries(COUNTERS.map((counter) => [counter, shown[counter] ?? 0]));
      const sum = Object.values(counts).reduce((total, count) => total + count, 0);
      const isOnTheWay = counts['pending'] !== 0 || counts['terminating'] !== 0;
      return !isOnTheWay && sum === (await this.pods(name)).length && counts;
    }, name);
  }

  /** The remaining pods of a Job in that final phase, when no pod runs. */
  async over(name: string, phase: string): Promise<string[]> {
    return this.until(async () => {
      const { state } = await this.#shown(name);
      const pods = await this.pods(name);
      const haveEnded = pods.every(({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed');
      return state?.phase === phase && haveEnded && pods.map(({ metadata }) => metadata?.name ?? '');
    }, name);
  }

  async retries(name: string): Promise<number> {
    return (await this.#shown(name)).retryCount ?? 0;
  }

  async #shown(name: string): Promise<ShownStatus> {
    return (await this.job(name)).status ?? {};
  }

  /** Waits until `check` passes. The error has the state of the Job. */
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
export function volcanoSide(): Promise<VolcanoSide> {
  return side('volcano', async (cluster) => {
    const controllers = await startVolcanoControllers(cluster);
    return { log: () => controllers.log(), stop: () => controllers.stop() };
  });
}

/** Muster's operators of all frameworks that Volcano supports, with Volcano's scheduler. */
export function musterSide(): Promise<VolcanoSide> {
  return side('muster', async (cluster, client) => {
    await installVolcanoJobs(cluster);
    const operators = PLUGINS.map((plugin) => operator(client, plugin));
    for (const each of operators) await started(each.operator, each.registry);
    return {
      log: () => '',
      async stop() {
        for (const each of operators) await each.operator.stop();
      },
    };
  });
}

function operator(client: ClusterClient, plugin: FrameworkPlugin) {
  // Skips the time during which operators treat Jobs as new.
  const clock = new TravelClock();
  clock.advance(5000);
  const start = { client, namespaces: [NAMESPACE], serviceMode: 'PerJob', logger: silent, clock } as const;
  const options = loneOperatorOptions(start);
  const settings = { ...options.settings, gang: gangSchedulerNamed('volcano') };
  const adapter = volcanoJobAdapter(plugin) as unknown as FrameworkAdapter;
  const registry = new Registry();
  return { registry, operator: createJobOperator({ ...options, settings, adapters: [adapter], registry }) };
}

type Runner = Pick<RunningProgram, 'log' | 'stop'>;

/** @param runner what runs Jobs, beside Volcano's scheduler */
async function side(
  which: VolcanoSide['name'],
  runner: (cluster: Cluster, client: ClusterClient) => Promise<Runner>,
): Promise<VolcanoSide> {
  const name = `${which}-side-${process.pid}`;
  const cluster = await clusterUp({ name, nodes: 2, progress: terminalProgress() });
  const access = await loadCluster({ kubeconfig: cluster.kubeconfig });
  const client = createKubeClient(access, { userAgent: 'muster-test/0' });
  const running: Runner[] = [];
  const stop = async () => {
    for (const each of running.toReversed()) await each.stop();
    await client.close();
    await clusterDown({ name });
  };
  try {
    running.push(await startVolcano(cluster, client));
    running.push(await runner(cluster, client));
  } catch (error) {
    await stop();
    throw error;
  }
  return new VolcanoSide(which, client, () => running.map((each) => each.log()).join('\n'), stop);
}
