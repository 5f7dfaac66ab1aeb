/**
 * The operators whose jobs Muster takes over: Kubeflow's and KubeRay, with the objects that these projects publish. The programs run on this
 * machine as the cluster's administrator. Their Deployments are created for `muster preflight` only: simulated nodes run no program.
 */
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { waitUntil, type BinaryName, type Cluster } from '@muster/cluster';
import { stringify } from 'yaml';
import { loopbackCertificate } from './certificate.ts';
import {
  established,
  kubectlOf,
  publishedObjects,
  startProgram,
  type PublishedObject,
  type RunningProgram,
} from './program.ts';

interface Source {
  readonly program: BinaryName;
  /** The kustomization in its module. */
  readonly folder: string;
  readonly flags: (ports: Ports) => readonly string[];
  /** The port on which it reports that it is ready, if it has no flag for it. */
  readonly fixedProbePort?: number;
  readonly probePath: string;
}

/** Several may run on this machine, each for its own cluster. */
interface Ports {
  readonly probe: number;
  readonly webhook: number;
}

/** Of the examples, with `getent`. */
const LOCAL_IMAGE = 'muster.local/torch-examples:2.6';
const CONFIGURATION = 'ValidatingWebhookConfiguration';
/** Objects that only `install` creates: with them the API server would call a webhook that it cannot reach. */
const LATER = new Set(['Deployment', 'Service']);
/** The path is fixed in the program. In a cluster, a Secret is mounted here. */
const TRAINING_OPERATOR_CERTIFICATES = '/tmp/k8s-webhook-server/serving-certs';

export const UPSTREAM_OPERATORS = {
  'training-operator': {
    program: 'training-operator',
    folder: 'manifests/overlays/standalone',
    flags: ({ probe, webhook }) => [
      ...['--metrics-bind-address=0', `--health-probe-bind-address=127.0.0.1:${probe}`],
      `--webhook-server-port=${webhook}`,
    ],
    probePath: '/readyz',
  },
  'mpi-operator': {
    program: 'mpi-operator',
    folder: 'manifests/overlays/standalone',
    flags: () => ['--lock-namespace=default'],
    fixedProbePort: 8080,
    probePath: '/healthz',
  },
  kuberay: {
    program: 'kuberay-operator',
    folder: 'config/default',
    flags: ({ probe }) => [
      ...['--metrics-addr=0', `--health-probe-bind-address=127.0.0.1:${probe}`, '--enable-leader-election=false'],
      // It reaches dashboards from outside of the cluster.
      ...['--use-kubernetes-proxy', '--feature-gates=RayCronJob=true'],
    ],
    probePath: '/readyz',
  },
} as const satisfies Record<string, Source>;

export type UpstreamName = keyof typeof UPSTREAM_OPERATORS;

export class UpstreamOperator {
  readonly #cluster: Cluster;
  readonly #source: Source;
  readonly #objects: readonly PublishedObject[];
  #running: RunningProgram | undefined;

  private constructor(cluster: Cluster, source: Source, objects: readonly PublishedObject[]) {
    this.#cluster = cluster;
    this.#source = source;
    this.#objects = objects;
  }

  /** Installs its CRDs and what the program needs, and starts it. Builds it if it is missing. */
  static async up(cluster: Cluster, name: UpstreamName): Promise<UpstreamOperator> {
    const source: Source = UPSTREAM_OPERATORS[name];
    const operator = new UpstreamOperator(
      cluster,
      source,
      await publishedObjects(cluster, source.program, source.folder),
    );
    await operator.installCrds();
    await operator.start();
    return operator;
  }

  log(): string {
    return this.#running?.log() ?? 'it does not run';
  }

  /** The objects that the project publishes, as it publishes them. */
  install(): Promise<void> {
    return this.#apply('published', this.#objects);
  }

  /** Deletes what only `install` created. */
  async uninstall(): Promise<void> {
    for (const { kind, metadata = {} } of this.#objects.filter((object) => LATER.has(object.kind))) {
      const where = metadata.namespace === undefined ? [] : [`--namespace=${metadata.namespace}`];
      await kubectlOf(this.#cluster)('delete', kind, metadata.name ?? '', '--ignore-not-found', ...where);
    }
  }

  /** Applies its CRDs over those that exist. */
  async installCrds(): Promise<void> {
    const crds = this.#objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    await this.#apply('crds', crds);
    const names = crds.map(({ metadata }) => `crd/${metadata?.name}`);
    await established(kubectlOf(this.#cluster), names);
  }

  /** Resolves when it reports that it is ready. */
  async start(): Promise<void> {
    const { program, flags, fixedProbePort, probePath } = this.#source;
    const ports = { probe: fixedProbePort ?? (await freePort()), webhook: await freePort() };
    const needed = this.#objects.filter(({ kind }) => !LATER.has(kind) && kind !== 'CustomResourceDefinition');
    await this.#apply('needed', needed.map(ignoringFailures));
    const others = program === 'training-operator' ? await this.#filesOfTrainingOperator() : [];
    const probe = () => fetch(`http://127.0.0.1:${ports.probe}${probePath}`).catch(() => undefined);
    if ((await probe()) !== undefined) throw new Error(`another program listens on port ${ports.probe}: stop it`);
    const running = await startProgram(program, [...flags(ports), ...others], { KUBECONFIG: this.#cluster.kubeconfig });
    this.#running = running;
    const unready = async () => {
      if (running.hasEnded()) return undefined;
      const answer = await probe();
      return answer?.ok === true ? undefined : `its output: ${running.log()}`;
    };
    await waitUntil(unready, { what: `${program} to be ready`, limitMs: 180_000 }).catch(async (error: unknown) => {
      await running.stop();
      throw error;
    });
    if (running.hasEnded()) throw new Error(`${program} has ended: ${running.log()}`);
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
  }

  /** Its files, and the flags for them. */
  async #filesOfTrainingOperator(): Promise<string[]> {
    const folder = join(this.#cluster.stateDir, 'training-operator');
    const { keyFile, certificateFile } = await loopbackCertificate(folder, 'training-operator');
    mkdirSync(TRAINING_OPERATOR_CERTIFICATES, { recursive: true });
    copyFileSync(keyFile, join(TRAINING_OPERATOR_CERTIFICATES, 'tls.key'));
    copyFileSync(certificateFile, join(TRAINING_OPERATOR_CERTIFICATES, 'tls.crt'));
    // No image of a registry can be pulled.
    const template = join(folder, 'init-container.yaml');
    const command = ['sh', '-c', 'until getent hosts {{.MasterAddr}}; do sleep 1; done'];
    const container = { name: 'init-pytorch', image: LOCAL_IMAGE, imagePullPolicy: 'IfNotPresent', command };
    writeFileSync(template, stringify([container], { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' }));
    return [`--pytorch-init-container-template-file=${template}`];
  }

  async #apply(name: string, objects: readonly PublishedObject[]): Promise<void> {
    if (objects.length === 0) return;
    const kubectl = kubectlOf(this.#cluster);
    const namespaces = new Set(objects.flatMap(({ metadata }) => metadata?.namespace ?? []));
    const all = [...namespaces].map((namespace) => ({ kind: 'Namespace', ...named(namespace) }));
    const file = join(this.#cluster.stateDir, `${this.#source.program}-${name}.yaml`);
    writeFileSync(file, [...all, ...objects].map((object) => stringify(object)).join('---\n'));
    await kubectl('apply', '--server-side', '--force-conflicts', `--filename=${file}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function named(name: string): object {
  return { apiVersion: 'v1', metadata: { name } };
}

/** The API server does not reach the webhooks of a program on this machine. */
function ignoringFailures(object: PublishedObject): PublishedObject {
  if (object.kind !== CONFIGURATION) return object;
  const { webhooks = [] } = object as { readonly webhooks?: readonly object[] };
  return {
    ...object,
    webhooks: webhooks.map((webhook) => ({ ...webhook, failurePolicy: 'Ignore' })),
  } as PublishedObject;
}
