/** Runs the manifests of `examples/` on a real node. Call it at the top of a spec file: it cleans up at the end. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  crdFor,
  FRAMEWORKS,
  LABELS,
  PODS,
  type FrameworkName,
  type JobStatus,
  type KubeObject,
  type Pod,
  type Resource,
} from '@muster/job-api';
import type { ClusterClient } from '@muster/kube';
import { afterAll, beforeAll, expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { eventually } from './eventually.ts';
import { installCrd } from './install-crd.ts';
import { passRecordEnv } from './recorded-runs.ts';
import { testCluster, type TestCluster } from './test-cluster.ts';

const ROOT = new URL('../../../', import.meta.url);
/** For each wait: importing a framework takes half a minute on two busy cores, and Ray, which gives a node 30 s to start, several tries. */
const LIMIT_MS = 600_000;

export const TRAINING_TIMEOUT_MS = 4 * LIMIT_MS;

type Job = KubeObject & { status?: JobStatus };

/** The last line of the example programs: `done loss 2.1 -> 0.1 workers 3`. */
export interface TrainingResult {
  readonly first: number;
  readonly last: number;
  readonly workers: number;
  /** All replicas reported the same parameters. */
  readonly agree: boolean;
}

export class TrainingFixture {
  readonly client: ClusterClient;
  readonly kubeconfig: string;
  namespace = '';
  readonly #cluster: TestCluster;
  readonly #framework: FrameworkName;
  readonly #container: string;
  #operator: ChildProcess | undefined;
  #output = '';

  constructor(cluster: TestCluster, framework: FrameworkName, container: string) {
    this.client = cluster.client;
    this.kubeconfig = cluster.kubeconfig;
    this.#cluster = cluster;
    this.#framework = framework;
    this.#container = container;
  }

  async start(flags: readonly string[]): Promise<void> {
    for (const definition of FRAMEWORKS[this.#framework]) await installCrd(this.client, crdFor(definition));
    this.namespace = await this.#cluster.namespace();
    const where = ['--port', '0', '--namespace', this.namespace, '--leader-election-id', this.namespace];
    this.#operator = spawn('muster', ['operator', this.#framework, ...where, ...flags], {
      cwd: ROOT,
      env: {
        ...process.env,
        KUBECONFIG: this.#cluster.operatorKubeconfig(this.#framework),
        ...passRecordEnv(),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#operator.stdout, this.#operator.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    }
  }

  async stop(): Promise<void> {
    if (this.#operator === undefined) return;
    const exited = once(this.#operator, 'exit');
    this.#operator.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    expect(code, `the operator's last lines: ${this.operatorLog}`).toBe(0);
  }

  get cluster(): TestCluster {
    return this.#cluster;
  }

  get operatorLog(): string {
    return this.#output.slice(-3000);
  }

  /** The manifest with this name, in the fixture's namespace: the last in the file. */
  async example<T extends KubeObject>(name: string): Promise<T & { metadata: { name: string } }> {
    return (await this.examples(name)).at(-1) as T & { metadata: { name: string } };
  }

  /** All manifests of the file with this name, in the fixture's namespace. */
  async examples(name: string): Promise<KubeObject[]> {
    const text = await readFile(new URL(`examples/${this.#framework}/${name}.yaml`, ROOT), 'utf8');
    return parseAllDocuments(text)
      .map((document) => document.toJS() as KubeObject)
      .map((manifest) => ({ ...manifest, metadata: { ...manifest.metadata, namespace: this.namespace } }));
  }

  async toSucceed<T extends Job>(resource: Resource<T>, name: string): Promise<T> {
    return this.toEnd(resource, name, 'Succeeded');
  }

  async toEnd<T extends Job>(resource: Resource<T>, name: string, state: 'Succeeded' | 'Failed'): Promise<T> {
    const ended = await this.jobToBe(resource, name, ({ status }) => status?.completionTime !== undefined);
    const { status } = ended;
    expect(status?.state, `${JSON.stringify(status)}\n${this.operatorLog}`).toBe(state);
    return ended;
  }

  async jobToBe<T extends Job>(resource: Resource<T>, name: string, holds: (job: T) => boolean): Promise<T> {
    return this.objectToBe(resource, name, holds, () => this.#pods(name));
  }

  /** Returns the object once `holds`. @param around further state to report upon a failure */
  async objectToBe<T extends KubeObject & { status?: unknown }>(
    resource: Resource<T>,
    name: string,
    holds: (object: T) => boolean,
    around: () => Promise<unknown>,
  ): Promise<T> {
    let seen: T | undefined;
    const { namespace } = this;
    return eventually(
      async () => {
        seen = await this.client.get(resource, { namespace, name });
        return holds(seen) && seen;
      },
      {
        withinMs: LIMIT_MS,
        describe: async () => ({ status: seen?.status, pods: await around(), operator: this.operatorLog }),
      },
    );
  }

  /** Waits until exactly these pods have succeeded: the kubelet reports that after the program's end. */
  async podsToHaveEndedWell(job: string, names: readonly string[]): Promise<void> {
    const wanted = Object.fromEntries([...names].sort().map((name) => [name, 'Succeeded']));
    let seen: Record<string, string> = {};
    await eventually(
      async () => {
        seen = await this.#pods(job);
        return JSON.stringify(seen) === JSON.stringify(wanted);
      },
      { withinMs: LIMIT_MS, describe: () => ({ expected: wanted, seen }) },
    );
  }

  async #pods(job: string): Promise<Record<string, string>> {
    const { namespace } = this;
    const { items } = await this.client.list(PODS, { namespace, labelSelector: `${LABELS.jobName}=${job}` });
    const phase = ({ status }: Pod) => status?.phase ?? '';
    return Object.fromEntries(items.map((pod) => [pod.metadata?.name ?? '', phase(pod)] as const).sort());
  }

  /** Not by kubectl, which uses too much CPU when polled. */
  logOf(pod: string, container = this.#container): Promise<string> {
    return this.client.text(`/api/v1/namespaces/${this.namespace}/pods/${pod}/log?container=${container}`);
  }

  /** Waits for a pod of the job with these labels, and returns the newest. */
  async podOf(job: string, labels: Readonly<Record<string, string>>): Promise<Pod & { metadata: { name: string } }> {
    const { namespace } = this;
    const labelSelector = Object.entries({ ...labels, [LABELS.jobName]: job })
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
    return eventually(
      async () => {
        const { items } = await this.client.list(PODS, { namespace, labelSelector });
        const createdAt = ({ metadata }: Pod) => metadata?.creationTimestamp ?? '';
        const [newest] = items.sort((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1));
        return newest as (Pod & { metadata: { name: string } }) | undefined;
      },
      { withinMs: LIMIT_MS, describe: async () => ({ labelSelector, pods: await this.#pods(job) }) },
    );
  }

  async logged(pod: string, line: RegExp): Promise<void> {
    let log = '';
    await eventually(async () => line.test((log = await this.logOf(pod))), {
      withinMs: LIMIT_MS,
      describe: () => ({ wanted: line.source, log: log.slice(-2000), operator: this.operatorLog }),
    });
  }

  async resultOf(pod: string): Promise<TrainingResult> {
    return trainingResult(await this.logOf(pod));
  }
}

export function trainingResult(log: string): TrainingResult {
  const [, first, last, workers] = /^done loss ([\d.]+) -> ([\d.]+) workers (\d+)$/m.exec(log) ?? [];
  expect(first, `no result in the log:\n${log}`).toBeDefined();
  return {
    first: Number(first),
    last: Number(last),
    workers: Number(workers),
    agree: /^workers agree$/m.test(log),
  };
}

export async function trainingFixture(
  framework: FrameworkName,
  container: string,
  flags: readonly string[] = [],
): Promise<TrainingFixture> {
  const fixture = new TrainingFixture(await testCluster(), framework, container);
  beforeAll(() => fixture.start(flags));
  afterAll(() => fixture.stop());
  return fixture;
}
