/** A cluster of one simulated node of 8 GPUs, an operator with a gang scheduler, and jobs whose pods request GPUs. */
import { SIMULATED_NODE_LABEL } from '@muster/cluster';
import { createJobOperator, gangSchedulerNamed, type JobOperator } from '@muster/common-job-controller';
import {
  ANNOTATIONS,
  crdFor,
  EVENTS,
  NODES,
  PODS,
  PYTORCH_JOBS,
  pytorchJobDefinition,
  type Pod,
  type PyTorchJob,
} from '@muster/job-api';
import { isKubeError, type ClusterClient } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { pytorchAdapter } from '../src/pytorch-adapter.ts';

const WITHIN_MS = 120_000;
const GPU = 'nvidia.com/gpu';
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface GangJob {
  readonly name: string;
  /** Workers in addition to the master; an elastic job has no master. */
  readonly workers: number;
  /** GPUs per pod. Default: 1. */
  readonly gpus?: number;
  /** `minReplicas` of an elastic job. */
  readonly elasticMin?: number;
  readonly runPolicy?: Partial<PyTorchJob['spec']['runPolicy']>;
  readonly gangScheduler?: string;
  readonly schedulerName?: string;
  readonly priorityClassName?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface StageOptions {
  readonly namespace?: string;
  /** The schedulers' logs, for debugging. */
  readonly scheduler?: () => string;
}

export class GangFixture {
  readonly client: ClusterClient;
  readonly #namespace: string;
  #operator: JobOperator;
  #scheduler: () => string;

  /** @param gangSchedulers the operator's own, which may be empty, and those that jobs may name */
  constructor(
    client: ClusterClient,
    [own = '', ...others]: readonly string[],
    { namespace = 'default', scheduler = () => '' }: StageOptions = {},
  ) {
    this.client = client;
    this.#namespace = namespace;
    this.#scheduler = scheduler;
    const gangs = others.flatMap((name) => gangSchedulerNamed(name) ?? []);
    const base = { client, namespaces: [namespace], serviceMode: 'PerJob', logger: silent } as const;
    const options = loneOperatorOptions({ ...base, clock: new TravelClock() });
    this.#operator = createJobOperator({
      ...options,
      settings: { ...options.settings, gang: gangSchedulerNamed(own), gangs },
      adapters: [pytorchAdapter()],
      registry: new Registry(),
    });
  }

  async start(): Promise<void> {
    await installCrd(this.client, crdFor(pytorchJobDefinition));
    await this.#operator.start();
    const problems = () => this.#operator.problems();
    await eventually(() => problems().length === 0, { withinMs: WITHIN_MS, describe: problems });
  }

  stop(): Promise<void> {
    return this.#operator.stop();
  }

  async create({
    name,
    workers,
    gpus = 1,
    elasticMin,
    runPolicy = {},
    schedulerName,
    priorityClassName,
    ...rest
  }: GangJob) {
    const resources = { limits: { [GPU]: String(gpus) } };
    const spec = {
      ...(schedulerName !== undefined && { schedulerName }),
      ...(priorityClassName !== undefined && { priorityClassName }),
      containers: [{ name: 'pytorch', image: 'registry.example/train:1', resources }],
    };
    const role = (replicas: number) => ({ replicas, restartPolicy: 'ExitCode' as const, template: { spec } });
    const isElastic = elasticMin !== undefined;
    await this.client.create(PYTORCH_JOBS, {
      apiVersion: 'kubeflow.org/v1',
      kind: 'PyTorchJob',
      metadata: {
        name,
        namespace: this.#namespace,
        annotations: annotationsOf(rest),
      },
      spec: {
        runPolicy: { suspend: false, ...runPolicy },
        ...(isElastic && { elasticPolicy: { minReplicas: elasticMin, maxReplicas: workers } }),
        pytorchReplicaSpecs: { ...(!isElastic && { Master: role(1) }), Worker: role(workers) },
      },
    });
  }

  job(name: string): Promise<PyTorchJob> {
    return this.client.get(PYTORCH_JOBS, { namespace: this.#namespace, name });
  }

  async change(name: string, patch: object): Promise<void> {
    await this.client.patch(PYTORCH_JOBS, { namespace: this.#namespace, name }, patch);
  }

  async pods(name: string): Promise<Pod[]> {
    const { items } = await this.client.list(PODS, { namespace: this.#namespace });
    return items.filter(({ metadata }) => metadata?.ownerReferences?.some((owner) => owner.name === name));
  }

  /** The numbers of the job's pods with and without a node. */
  async placed(name: string): Promise<{ placed: number; waiting: number }> {
    const pods = await this.pods(name);
    const placed = pods.filter(({ spec }) => spec?.nodeName !== undefined).length;
    return { placed, waiting: pods.length - placed };
  }

  /** Ends all running pods of the job, successfully or not. */
  async end(name: string, how: 'succeed' | 'fail' = 'succeed', only = ''): Promise<void> {
    for (const { metadata } of await this.pods(name)) {
      if (!metadata?.name?.endsWith(only)) continue;
      const key = { namespace: this.#namespace, name: metadata.name };
      await this.client.patch(PODS, key, {
        metadata: { labels: { 'muster.dev/simulate': how }, annotations: { 'muster.dev/simulate-exit-code': '137' } },
      });
    }
  }

  /** Waits until `check` passes; a failure shows the state of these jobs. */
  until<V>(check: () => Promise<V>, ...names: readonly string[]): Promise<V> {
    let seen: unknown;
    const checked = async () => {
      const jobs = await Promise.all(
        names.map(async (name) => ({
          name,
          ...(await this.placed(name)),
          status: (await this.job(name)).status,
          events: await this.events(name),
        })),
      );
      seen = jobs;
      return check();
    };
    return eventually(checked, { withinMs: WITHIN_MS, describe: () => ({ seen, scheduler: this.#scheduler() }) });
  }

  /** The job's events, as `reason: note`. */
  async events(name: string): Promise<string[]> {
    const { items } = await this.client.list(EVENTS, { namespace: this.#namespace });
    return items.filter(({ regarding }) => regarding?.name === name).map(({ reason, note }) => `${reason}: ${note}`);
  }

  async addNode(name: string): Promise<void> {
    const room = { cpu: '64', memory: '512Gi', pods: '110', [GPU]: '8' };
    await this.client.create(NODES, {
      metadata: { name, labels: { [SIMULATED_NODE_LABEL]: 'true', 'kubernetes.io/hostname': name } },
      status: { allocatable: room, capacity: room },
    });
  }

  async removeNode(name: string): Promise<void> {
    await this.client.delete(NODES, { name });
  }

  async remove(name: string): Promise<void> {
    await this.client.delete(PYTORCH_JOBS, { namespace: this.#namespace, name }, { propagationPolicy: 'Background' });
    await eventually(
      async () => {
        const isGone = await this.job(name).then(
          () => false,
          (error: unknown) => isKubeError(error, 'NotFound'),
        );
        return isGone && (await this.pods(name)).length === 0;
      },
      { withinMs: WITHIN_MS, describe: () => `${name} and its pods are gone` },
    );
  }
}

function annotationsOf({ gangScheduler, annotations }: Pick<GangJob, 'gangScheduler' | 'annotations'>) {
  return { ...annotations, ...(gangScheduler !== undefined && { [ANNOTATIONS.gangScheduler]: gangScheduler }) };
}
