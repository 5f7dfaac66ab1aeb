/** Runs the manifests of `examples/ray` on a real node, and calls Ray's dashboard. */
import {
  PODS,
  RAY_CLUSTERS,
  RAY_JOBS,
  RAY_SERVICES,
  SECRETS,
  SERVICES,
  type KubeObject,
  type Pod,
  type RayCluster,
  type RayJob,
  type RayJobStatus,
  type RayService,
  type Resource,
} from '@muster/job-api';
import {
  eventually,
  TRAINING_TIMEOUT_MS,
  trainingResult,
  trainingFixture,
  type TrainingFixture,
} from '@muster/testing';
import { expect } from 'vitest';

/** Resources in the examples. */
const RESOURCES: readonly Resource[] = [RAY_CLUSTERS, RAY_JOBS, RAY_SERVICES, PODS, SERVICES, SECRETS];

/** The limit of each wait; a test has several. */
const LIMIT_MS = TRAINING_TIMEOUT_MS / 4;

type Named<T> = T & { metadata: { name: string } };

/** A submitted job, as reported by Ray. */
export interface SubmittedJob {
  readonly status: 'PENDING' | 'RUNNING' | 'STOPPED' | 'SUCCEEDED' | 'FAILED';
  readonly message?: string;
}

export class RayFixture {
  readonly #fixture: TrainingFixture;

  constructor(fixture: TrainingFixture) {
    this.#fixture = fixture;
  }

  /** The fixture of all frameworks. */
  get training(): TrainingFixture {
    return this.#fixture;
  }

  get client(): TrainingFixture['client'] {
    return this.#fixture.client;
  }

  get namespace(): string {
    return this.#fixture.namespace;
  }

  async example<T extends RayCluster | RayJob | RayService>(name: string): Promise<Named<T>> {
    return this.#fixture.example<T>(name);
  }

  /** Creates the objects in the example file of that name. `last` replaces the last object. */
  async create(name: string, last?: KubeObject): Promise<void> {
    const manifests = await this.#fixture.examples(name);
    for (const manifest of [...manifests.slice(0, -1), last ?? manifests.at(-1)]) {
      const resource = RESOURCES.find(({ kind }) => kind === manifest?.kind);
      if (manifest === undefined || resource === undefined)
        throw new Error(`examples/ray/${name}.yaml has ${manifest?.kind}`);
      await this.client.create(resource, manifest);
    }
  }

  async clusterToBe(name: string, holds: (cluster: RayCluster) => boolean): Promise<RayCluster> {
    return this.#fixture.objectToBe(RAY_CLUSTERS, name, holds, () => this.podStates(name));
  }

  async clusterToBeReady(name: string): Promise<RayCluster> {
    return this.clusterToBe(name, ({ status }) => status?.state === 'ready');
  }

  async jobToBe(name: string, holds: (job: RayJob) => boolean): Promise<RayJob> {
    return this.#fixture.objectToBe(RAY_JOBS, name, holds, () => this.podStates());
  }

  async serviceToBe(name: string, holds: (service: RayService) => boolean): Promise<RayService> {
    return this.#fixture.objectToBe(RAY_SERVICES, name, holds, () => this.podStates());
  }

  /** Waits until the job has ended. */
  async jobToEnd(name: string): Promise<RayJob> {
    return this.jobToBe(name, ({ status }) => ['Complete', 'Failed'].includes(status?.jobDeploymentStatus ?? ''));
  }

  /** The cluster's pods that are not terminating, sorted by name. */
  async pods(cluster: string, labels: Readonly<Record<string, string>> = {}): Promise<Named<Pod>[]> {
    const labelSelector = Object.entries({ 'ray.io/cluster': cluster, ...labels })
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
    const { items } = await this.client.list(PODS, { namespace: this.namespace, labelSelector });
    const names = ({ metadata }: Pod) => metadata?.name ?? '';
    return items
      .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
      .sort((a, b) => names(a).localeCompare(names(b))) as Named<Pod>[];
  }

  async podNames(cluster: string, labels: Readonly<Record<string, string>> = {}): Promise<string[]> {
    return (await this.pods(cluster, labels)).map(({ metadata }) => metadata.name);
  }

  /** Deletes a pod almost without a grace period, like the loss of its node: Ray has no time to move its work. */
  async lose(pod: string): Promise<void> {
    await this.client.delete(PODS, { namespace: this.namespace, name: pod }, { gracePeriodSeconds: 1 });
  }

  async podStates(cluster?: string): Promise<Record<string, string>> {
    const { items } = await this.client.list(PODS, {
      namespace: this.namespace,
      ...(cluster !== undefined && { labelSelector: `ray.io/cluster=${cluster}` }),
    });
    return Object.fromEntries(items.map(({ metadata, status }) => [metadata?.name ?? '', status?.phase ?? '']));
  }

  async workersToBe(cluster: string, names: readonly string[]): Promise<void> {
    let seen: string[] = [];
    await eventually(
      async () => {
        seen = await this.podNames(cluster, { 'ray.io/node-type': 'worker' });
        return JSON.stringify(seen) === JSON.stringify(names);
      },
      { withinMs: LIMIT_MS, describe: () => ({ expected: names, seen }) },
    );
  }

  /** The pods of the Job that submits the RayJob. */
  async submitterPods(job: string): Promise<Named<Pod>[]> {
    const labelSelector = `batch.kubernetes.io/job-name=${job}`;
    return (await this.client.list(PODS, { namespace: this.namespace, labelSelector })).items as Named<Pod>[];
  }

  /** Runs the example of a RayJob to its end. */
  async runJob(example: string): Promise<{ name: string; cluster: string; status: RayJobStatus }> {
    const { metadata } = await this.example<RayJob>(example);
    await this.create(example);
    const { status = {} } = await this.jobToEnd(metadata.name);
    return { name: metadata.name, cluster: status.rayClusterName ?? '', status };
  }

  /** Waits until the RayJob trains, then deletes its cluster's head. Returns the pod's name. */
  async loseHeadWhileTraining(job: string): Promise<string> {
    const { status } = await this.jobToBe(job, ({ status: seen }) => seen?.jobStatus === 'RUNNING');
    const { rayClusterName: cluster = '', jobId = '' } = status ?? {};
    await this.prints(cluster, jobId, /^epoch 1\//m);
    const [head = ''] = await this.podNames(cluster, { 'ray.io/node-type': 'head' });
    await this.lose(head);
    return head;
  }

  logOf(pod: string, container: string): Promise<string> {
    return this.#fixture.logOf(pod, container);
  }

  /** Sends a request to the cluster's dashboard through the API server. */
  async request(
    cluster: string,
    path: string,
    { body, headers }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<{ code: number; text: string }> {
    const proxy = `/api/v1/namespaces/${this.namespace}/services/${cluster}-head-svc:dashboard/proxy`;
    return this.client.proxied({
      method: body === undefined ? 'GET' : 'POST',
      path: proxy + path,
      ...(body !== undefined && { body }),
      ...(headers !== undefined && { headers }),
    });
  }

  /** Submits a program to the cluster, as a user does: again while the agent of the head, which starts after the dashboard, is not there. */
  async submit(cluster: string, id: string, entrypoint: string): Promise<void> {
    let answer = { code: 0, text: '' };
    await eventually(
      async () => {
        answer = await this.request(cluster, '/api/jobs/', { body: { entrypoint, submission_id: id } });
        return !answer.text.includes('No available agent');
      },
      { withinMs: LIMIT_MS, describe: async () => Promise.resolve(answer) },
    );
    expect(answer, answer.text).toMatchObject({ code: 200 });
  }

  async submitted(cluster: string, id: string): Promise<SubmittedJob> {
    return JSON.parse((await this.request(cluster, `/api/jobs/${id}`)).text) as SubmittedJob;
  }

  /** The program's output. */
  async printed(cluster: string, id: string): Promise<string> {
    return (JSON.parse((await this.request(cluster, `/api/jobs/${id}/logs`)).text) as { logs: string }).logs;
  }

  /** Waits until the program has printed such a line. */
  async prints(cluster: string, id: string, line: RegExp): Promise<void> {
    let printed = '';
    await eventually(async () => line.test((printed = await this.printed(cluster, id))), {
      withinMs: LIMIT_MS,
      describe: async () => ({
        expected: line.source,
        printed: printed.slice(-2000),
        pods: await this.podStates(cluster),
      }),
    });
  }

  async submittedToSucceed(cluster: string, id: string): Promise<void> {
    let job: SubmittedJob | undefined;
    await eventually(
      async () => {
        job = await this.submitted(cluster, id);
        return ['STOPPED', 'SUCCEEDED', 'FAILED'].includes(job.status);
      },
      { withinMs: LIMIT_MS, describe: async () => ({ job, pods: await this.podStates(cluster) }) },
    );
    expect(job?.status, `${job?.message}`).toBe('SUCCEEDED');
  }
}

/** Fails unless the program trained on that many nodes, with the result of a single process. */
export function expectTraining(log: string, nodes: number): void {
  const { first, last, workers } = trainingResult(log);
  expect(workers).toBe(nodes);
  expect(last).toBeLessThan(first / 100);
  expect(log).toMatch(/^same as alone$/m);
}

/** Call it at the top of a spec file: it stops the operator after the file's last test. @param flags of the operator */
export async function rayFixture(flags: readonly string[] = []): Promise<RayFixture> {
  return new RayFixture(await trainingFixture('ray', 'ray-head', flags));
}
