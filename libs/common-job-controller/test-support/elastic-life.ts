/**
 * The life of an elastic job with every event that makes an operator write: failure, growth, shrinking, clean-up. Its
 * pod events do not depend on the operator.
 */
import { LABELS, PODS, PYTORCH_JOBS, SERVICES, type Pod, type PyTorchJob, type Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import { eventually, type ProxiedWrite } from '@muster/testing';

const NAME = 'life';
const WORKER = (index: number) => `${NAME}-worker-${index}`;

export interface Life {
  state: string | undefined;
  conditions: string[];
  ready: string | undefined;
  restartCount: number | undefined;
  left: string[];
  podsCreated: Record<string, number>;
  servicesCreated: Record<string, number>;
}

/** Expected whatever happens to the operator and its requests. */
export const LIFE: Life = {
  state: 'Succeeded',
  conditions: ['Created=True', 'Running=False', 'Succeeded=True'],
  ready: '1/1',
  restartCount: 1,
  left: [],
  podsCreated: { [WORKER(0)]: 1, [WORKER(1)]: 2, [WORKER(2)]: 1 },
  servicesCreated: { [NAME]: 1, [WORKER(0)]: 1 },
};

export interface LifeOptions {
  /** Bypasses the proxy, so that faults only affect the operator. */
  client: KubeClient;
  namespace: string;
  withinMs: number;
  /** The operator's state, for a step that times out. */
  describe: () => unknown;
}

export class ElasticLife {
  readonly #options: LifeOptions;
  readonly #key: { namespace: string; name: string };

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#key = { namespace: options.namespace, name: NAME };
  }

  async live(): Promise<void> {
    await this.create();
    await this.failWorker();
    await this.grow();
    await this.shrink();
    await this.succeed();
  }

  async create(): Promise<void> {
    await this.#options.client.create(PYTORCH_JOBS, manifest(this.#options.namespace));
    await this.ready(2);
  }

  async failWorker(): Promise<void> {
    const before = await this.failWorkerNow();
    await this.workerReplaced(before);
  }

  /** By a signal, after which the restart policy restarts it. Returns the pod's UID. */
  async failWorkerNow(): Promise<string> {
    const { metadata } = await this.#endPod(1, 143);
    return metadata?.uid ?? '';
  }

  async workerReplaced(before: string): Promise<void> {
    const { client } = this.#options;
    await this.#until(`${WORKER(1)} is recreated`, async () => {
      const { metadata } = await client.get(PODS, { ...this.#key, name: WORKER(1) });
      return metadata?.uid !== before;
    });
    await this.ready(2);
  }

  async grow(): Promise<void> {
    await this.#scale(3);
    await this.ready(3);
  }

  async shrink(): Promise<void> {
    await this.#scale(1);
    await this.ready(1);
    await this.#until('surplus workers are gone', async () => (await this.#children(PODS)).length === 1);
  }

  async succeed(): Promise<void> {
    await this.#endPod(0, 0);
    await this.ended();
  }

  async ended(): Promise<void> {
    await this.#until('the job has ended and is cleaned up', async () => {
      const { status } = await this.#job();
      return status?.completionTime !== undefined && (await this.#left()).length === 0;
    });
  }

  async ready(workers: number): Promise<void> {
    await this.#until(`${workers} workers run`, async () => {
      const { status } = await this.#job();
      return status?.ready === `${workers}/${workers}` && status.state === 'Running';
    });
  }

  async result(writes: readonly ProxiedWrite[]): Promise<Life> {
    const { status } = await this.#job();
    return {
      state: status?.state,
      conditions: (status?.conditions ?? []).map(({ type, status: holds }) => `${type}=${holds}`),
      ready: status?.ready,
      restartCount: status?.restartCount,
      left: await this.#left(),
      podsCreated: created(writes, PODS.plural),
      servicesCreated: created(writes, SERVICES.plural),
    };
  }

  #job(): Promise<PyTorchJob> {
    return this.#options.client.get(PYTORCH_JOBS, this.#key);
  }

  async #children(resource: Resource): Promise<string[]> {
    const { client, namespace } = this.#options;
    const { items } = await client.list(resource, { namespace, labelSelector: `${LABELS.jobName}=${NAME}` });
    return items.map(({ metadata }) => metadata?.name ?? '').sort();
  }

  async #left(): Promise<string[]> {
    return [...(await this.#children(PODS)), ...(await this.#children(SERVICES))];
  }

  #scale(replicas: number): Promise<unknown> {
    return this.#options.client.patch(PYTORCH_JOBS, this.#key, { spec: { replicas } }, { subresource: 'scale' });
  }

  #endPod(index: number, exitCode: number): Promise<Pod> {
    const at = new Date().toISOString();
    const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: at, finishedAt: at };
    const container = {
      name: 'pytorch',
      image: 'registry.example/train:1',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated },
    };
    const status = {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      conditions: [{ type: 'Ready', status: 'False' as const, lastTransitionTime: at }],
      containerStatuses: [container],
    };
    return this.#options.client.patchStatus(PODS, { ...this.#key, name: WORKER(index) }, { status });
  }

  #until(what: string, condition: () => Promise<boolean>): Promise<unknown> {
    const { withinMs, describe } = this.#options;
    let seen: unknown;
    return eventually(
      async () => {
        const held = await condition();
        if (!held) seen = { status: (await this.#job()).status, left: await this.#left() };
        return held;
      },
      { withinMs, describe: () => ({ expected: what, seen, operator: describe() }) },
    );
  }
}

function manifest(namespace: string): PyTorchJob {
  const container = { name: 'pytorch', image: 'registry.example/train:1' };
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: NAME, namespace },
    spec: {
      runPolicy: { suspend: false, cleanPodPolicy: 'All' },
      elasticPolicy: { minReplicas: 1, maxReplicas: 3 },
      pytorchReplicaSpecs: {
        Worker: { replicas: 2, restartPolicy: 'ExitCode', template: { spec: { containers: [container] } } },
      },
    },
  };
}

function created(writes: readonly ProxiedWrite[], plural: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, path, code, name = '' } of writes) {
    if (method === 'POST' && code < 300 && path.endsWith(`/${plural}`)) counts[name] = (counts[name] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
