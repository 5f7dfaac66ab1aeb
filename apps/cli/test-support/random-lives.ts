/** Jobs of every kind of the training operator with random policies, and what happens to them. The same seed gives the same jobs and events. */
import type { SeededRandom } from '@muster/common-job-controller/testing';
import { SIMULATE_EXIT_CODE_ANNOTATION, SIMULATE_LABEL } from '@muster/cluster';
import type { JobManifest } from '@muster/common-job-controller';
import {
  JAX_JOBS,
  PADDLE_JOBS,
  PODS,
  PYTORCH_JOBS,
  TF_JOBS,
  XGBOOST_JOBS,
  type Pod,
  type Resource,
} from '@muster/job-api';
import { isKubeError, type ClusterClient } from '@muster/kube';
import { eventually } from '@muster/testing';

interface RandomKind {
  readonly resource: Resource<JobManifest>;
  readonly field: string;
  readonly container: string;
  /** Each with its smallest and largest number. */
  readonly roles: Readonly<Record<string, readonly [number, number]>>;
}

const KINDS: readonly [RandomKind, ...RandomKind[]] = [
  {
    ...{ resource: PYTORCH_JOBS, field: 'pytorchReplicaSpecs', container: 'pytorch' },
    roles: { Master: [1, 1], Worker: [0, 3] },
  },
  {
    ...{ resource: TF_JOBS, field: 'tfReplicaSpecs', container: 'tensorflow' },
    roles: { Chief: [0, 1], PS: [0, 1], Worker: [1, 3] },
  },
  {
    ...{ resource: XGBOOST_JOBS, field: 'xgbReplicaSpecs', container: 'xgboost' },
    roles: { Master: [1, 1], Worker: [0, 3] },
  },
  { ...{ resource: JAX_JOBS, field: 'jaxReplicaSpecs', container: 'jax' }, roles: { Worker: [1, 3] } },
  { ...{ resource: PADDLE_JOBS, field: 'paddleReplicaSpecs', container: 'paddle' }, roles: { Worker: [1, 3] } },
];

type Step =
  | { readonly does: 'fail'; readonly exitCode: number }
  | { readonly does: 'succeed' | 'delete' | 'evict' | 'restart in place' | 'suspend and resume' };

export interface RandomLife {
  readonly resource: Resource<JobManifest>;
  readonly name: string;
  readonly spec: object;
  /** Which pod, as a fraction of the running ones. */
  readonly steps: readonly (Step & { readonly pod: number })[];
  /** Whether all pods succeed in the end. */
  readonly succeeds: boolean;
}

const EXIT_CODES = [1, 3, 127, 130, 137, 143] as const;

export function randomLife(random: SeededRandom, name: string): RandomLife {
  const { resource, field, container, roles } = random.pick(KINDS);
  const restartPolicy = random.pick(['Always', 'OnFailure', 'Never', 'ExitCode', 'ExitCode']);
  const template = { spec: { containers: [{ name: container, image: 'registry.example/train:1' }] } };
  const specs = Object.entries(roles).flatMap(([role, [least, most]]) => {
    const replicas = random.whole(least, most);
    return replicas === 0 ? [] : [[role, { replicas, restartPolicy, template }] as const];
  });
  const cleanPodPolicy = random.pick([undefined, 'None', 'Running', 'All']);
  const backoffLimit = random.isOneIn(3) ? random.whole(1, 3) : undefined;
  const step = (): Step => {
    const does = random.pick(['fail', 'fail', 'succeed', 'delete', 'evict', 'restart in place', 'suspend and resume']);
    return does === 'fail' ? { does, exitCode: random.pick(EXIT_CODES) } : ({ does } as Step);
  };
  return {
    ...{ resource, name },
    spec: {
      runPolicy: { ...(cleanPodPolicy && { cleanPodPolicy }), ...(backoffLimit !== undefined && { backoffLimit }) },
      [field]: Object.fromEntries(specs),
    },
    steps: Array.from({ length: random.whole(0, 3) }, () => ({ ...step(), pod: random.fraction() })),
    succeeds: random.isOneIn(2),
  };
}

const WITHIN_MS = 300_000;

/** Plays the life of a job that exists. Each step waits until the pods run. */
export class LifePlayer {
  readonly #client: ClusterClient;
  readonly #namespace: string;

  constructor(client: ClusterClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async play({ resource, name, spec, steps, succeeds }: RandomLife): Promise<void> {
    const key = { namespace: this.#namespace, name };
    await this.#client.create(resource, { metadata: key, spec });
    for (const step of steps) {
      const pods = await this.#runningPods(resource, name);
      const pod = pods[Math.floor(step.pod * pods.length)];
      if (pod === undefined) return;
      await this.#perform(resource, key, pod, step);
    }
    const pods = succeeds ? await this.#runningPods(resource, name) : [];
    for (const pod of pods) await this.#perform(resource, key, pod, { does: 'succeed' });
  }

  /** All that run, once no pod is about to start; none if the job has ended. */
  async #runningPods(resource: Resource<JobManifest>, name: string): Promise<Pod[]> {
    const labelSelector = `training.kubeflow.org/job-name=${name}`;
    let running: Pod[] = [];
    const check = async () => {
      const { items } = await this.#client.list(PODS, { namespace: this.#namespace, labelSelector });
      running = items.filter(isReady);
      const { status } = await this.#client.get(resource, { namespace: this.#namespace, name });
      const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
      const is = (type: string) => conditions.some((each) => each.type === type && each.status === 'True');
      if (is('Succeeded') || is('Failed')) running = [];
      return (
        is('Succeeded') || is('Failed') || (running.length > 0 && items.every((pod) => isReady(pod) || isOver(pod)))
      );
    };
    await eventually(check, { withinMs: WITHIN_MS, describe: () => ({ name, running: running.length }) });
    return running;
  }

  async #perform(resource: Resource<JobManifest>, job: { namespace: string; name: string }, pod: Pod, step: Step) {
    const key = { namespace: this.#namespace, name: pod.metadata?.name ?? '' };
    switch (step.does) {
      case 'suspend and resume':
        for (const suspend of [true, false]) {
          await this.#client.patch(resource, job, { spec: { runPolicy: { suspend } } });
        }
        return;
      case 'delete':
        return this.#gone(this.#client.delete(PODS, key));
      case 'evict': {
        const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }];
        return this.#gone(
          this.#client.patchStatus(PODS, key, { status: { phase: 'Failed', reason: 'Evicted', conditions } }),
        );
      }
      case 'restart in place': {
        const { containerStatuses = [] } = pod.status ?? {};
        const restarted = containerStatuses.map((each) => ({ ...each, restartCount: each.restartCount + 1 }));
        return this.#gone(this.#client.patchStatus(PODS, key, { status: { containerStatuses: restarted } }));
      }
      default: {
        const isFailure = step.does === 'fail';
        const labels = { [SIMULATE_LABEL]: isFailure ? 'fail' : 'succeed' };
        const annotations = isFailure ? { [SIMULATE_EXIT_CODE_ANNOTATION]: String(step.exitCode) } : {};
        await this.#gone(this.#client.patch(PODS, key, { metadata: { labels, annotations } }));
        await this.#ended(key, pod.metadata?.uid);
      }
    }
  }

  async #ended(key: { namespace: string; name: string }, uid: string | undefined): Promise<void> {
    const check = async () => {
      try {
        const pod = await this.#client.get(PODS, key);
        return pod.metadata?.uid !== uid || isOver(pod);
      } catch (error) {
        if (isKubeError(error, 'NotFound')) return true;
        throw error;
      }
    };
    await eventually(check, { withinMs: WITHIN_MS, describe: () => key });
  }

  /** The operator may have deleted the pod. */
  async #gone(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
    });
  }
}

function isReady({ metadata, status }: Pod): boolean {
  const isTrue = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  return metadata?.deletionTimestamp === undefined && status?.phase === 'Running' && isTrue;
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
