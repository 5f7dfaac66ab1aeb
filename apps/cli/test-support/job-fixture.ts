/**
 * A cluster for tests of the command line: an API server with simulated nodes, and PyTorch's operator for two of three namespaces. Call it at
 * the top of a spec file: it stops the operator after the file's last test.
 */
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { createJobOperator, type JobManifest } from '@muster/common-job-controller';
import { SIMULATE_AFTER_ANNOTATION, SIMULATE_EXIT_CODE_ANNOTATION, SIMULATE_LABEL } from '@muster/cluster';
import { crdFor, FRAMEWORKS, PYTORCH_JOBS, type Resource } from '@muster/job-api';
import type { ClusterClient } from '@muster/kube';
import { RunRecorder } from '@muster/recording';
import { installCrd, loneOperatorOptions, started, testCluster, TravelClock, type TestCluster } from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect } from 'vitest';
import { stringify } from 'yaml';
import { muster, type Ended, type Running } from './command-line.ts';

export const JOBS: Resource<JobManifest> = PYTORCH_JOBS;

/** For tests of several commands, where two cores are shared. */
export const TIMEOUT_MS = 400_000;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

class JobFixture {
  readonly client: ClusterClient;
  readonly #cluster: TestCluster;
  /** The default namespace of commands. */
  namespace = '';
  /** Another namespace of the operator. */
  second = '';
  /** A namespace without an operator. */
  others = '';
  #stop: (() => Promise<void>) | undefined;

  constructor(cluster: TestCluster) {
    this.client = cluster.client;
    this.#cluster = cluster;
  }

  /** @param recording folder of recorded runs. Default: none are recorded. */
  async start(recording?: string): Promise<void> {
    for (const crd of Object.values(FRAMEWORKS).flat()) await installCrd(this.client, crdFor(crd));
    this.namespace = await this.#cluster.namespace();
    this.second = await this.#cluster.namespace();
    this.others = await this.#cluster.namespace();
    const namespaces = [this.namespace, this.second];
    const clock = new TravelClock();
    const setting = { client: this.client, namespaces, clock, logger: silent };
    const options = loneOperatorOptions({ ...setting, serviceMode: 'PerJob' });
    const registry = new Registry();
    const recorder =
      recording === undefined
        ? undefined
        : new RunRecorder({
            settings: { folder: recording },
            name: 'pytorch',
            instance: 'test',
            clock,
            logger: silent,
            registry,
          });
    const operator = createJobOperator({ ...options, adapters: [pytorchAdapter()], registry, recorder });
    const running = await started(operator, registry);
    this.#stop = () => running.stop();
  }

  async stop(): Promise<void> {
    await this.#stop?.();
  }

  /** Starts a command. @param input on its standard input */
  begin(args: readonly string[], input = '', where = this.namespace): Running {
    return muster([...args, '-n', where, '--kubeconfig', this.#cluster.kubeconfig], input);
  }

  /** Runs a command to its end. */
  run(args: readonly string[], input = '', where = this.namespace): Promise<Ended> {
    return this.begin(args, input, where).ended;
  }

  async submit(manifest: JobManifest, where = this.namespace): Promise<void> {
    expect(await this.run(['submit', '-f', '-'], yaml(manifest), where)).toMatchObject({ code: 0 });
  }

  jobNamed(name: string): Promise<JobManifest> {
    return this.client.get(JOBS, { namespace: this.namespace, name });
  }
}

export async function jobFixture(recording?: string): Promise<JobFixture> {
  const fixture = new JobFixture(await testCluster());
  beforeAll(() => fixture.start(recording), TIMEOUT_MS);
  afterAll(() => fixture.stop());
  return fixture;
}

export interface JobShape {
  /** How its pods end. Default: not. */
  readonly end?: 'succeed' | 'fail';
  /** After how long they do. */
  readonly after?: string;
  readonly cpu?: string;
  /** Beside the roles. */
  readonly spec?: object;
  readonly workers?: number;
}

/** A PyTorchJob of workers alone. */
export function job(name: string, shape: JobShape = {}): JobManifest {
  const { end, after = '1s', cpu = '1m', spec = {}, workers = 2 } = shape;
  const container = { name: 'pytorch', image: 'registry.example/train:1', resources: { requests: { cpu } } };
  const metadata = {
    labels: end === undefined ? {} : { [SIMULATE_LABEL]: end },
    annotations: { [SIMULATE_AFTER_ANNOTATION]: after, [SIMULATE_EXIT_CODE_ANNOTATION]: '137' },
  };
  const template = { metadata, spec: { containers: [container] } };
  return {
    ...{ apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', metadata: { name } },
    spec: { pytorchReplicaSpecs: { Worker: { replicas: workers, restartPolicy: 'Never', template } }, ...spec },
  };
}

/** Documents of one file. */
export function yaml(...objects: readonly object[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}
