/** Installs operators from this checkout into a local cluster as users do: with an image and the chart. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle } from '@muster/bundle';
import { ClusterError, ensureBinaries, linkPrograms, runCommand, type Cluster, type Progress } from '@muster/cluster';
import { importImages, operatorImage, type BuiltImage, type ImageName } from '@muster/images';
import { FRAMEWORKS, isFrameworkName, type FrameworkName } from '@muster/job-api';
import { LOG_LINES, operatorProblem, type InstalledOperator } from './operator-trouble.ts';

const WORKSPACE = join(import.meta.dirname, '../../..');
/** Longer than a pod's start on a busy machine. */
const READY_LIMIT = '5m';

/**
 * Images that an operator adds to the pods of jobs, which must be imported into a node without a registry, and the values that name them.
 */
const COMPANIONS: Readonly<Partial<Record<FrameworkName, { readonly image: ImageName; readonly value: string }>>> = {
  mpi: { image: 'kubectl-delivery', value: 'kubectlDelivery' },
};

/** The namespace of the releases. */
export const OPERATORS_NAMESPACE = 'muster';

export interface InstallOptions {
  readonly cluster: Cluster;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
}

/**
 * Resolves when each framework's operator is ready, in the namespace `muster`, as a release with the framework's name. Existing releases
 * are upgraded. Throws a `ClusterError` for an unknown framework, and on simulated nodes, which cannot run containers.
 */
export async function installOperators(names: readonly string[], options: InstallOptions): Promise<void> {
  const { cluster, progress, signal } = options;
  const frameworks = names.map(known);
  const [helm = ''] = await ensureBinaries(['helm'], progress, signal);
  linkPrograms(cluster, { helm });
  for (const framework of frameworks) {
    const set = (await operatorValues(framework, options)).flatMap((value) => ['--set-json', value]);
    const release = ['upgrade', '--install', framework, chartFolder(framework)];
    const where = ['--kubeconfig', cluster.kubeconfig, '--namespace', OPERATORS_NAMESPACE, '--create-namespace'];
    // The cluster is the user's own test cluster: CRDs may have been applied before.
    const over = ['--take-ownership', '--force-conflicts'];
    const args = [...release, ...where, ...over, '--wait', '--timeout', READY_LIMIT, ...set];
    await progress.step(`Installing the chart of ${framework}`, () =>
      runCommand(helm, args, { signal }).catch((error: unknown) => {
        signal?.throwIfAborted();
        return notInstalled(framework, error, options);
      }),
    );
  }
}

/** Throws Helm's output, with the operator's state in the cluster, and commands that show more. */
async function notInstalled(framework: FrameworkName, error: unknown, options: InstallOptions): Promise<never> {
  const { cluster, signal } = options;
  const trouble = await readTrouble(framework, options).catch((reason: unknown) => {
    signal?.throwIfAborted();
    return [`The operator's pods could not be read: ${textOf(reason)}`];
  });
  const kubectl = `kubectl --kubeconfig ${cluster.kubeconfig} --namespace ${OPERATORS_NAMESPACE}`;
  const selector = `--selector ${selectorOf(framework)}`;
  const lines = [
    textOf(error),
    ...(trouble.length === 0 ? [] : ['Why the operator is not ready:', ...trouble.map((line) => `  ${line}`)]),
    'To see more, run:',
    `  ${kubectl} logs ${selector} --prefix`,
    `  ${kubectl} describe pods ${selector}`,
  ];
  throw new ClusterError(lines.join('\n'));
}

async function readTrouble(framework: FrameworkName, { cluster, progress, signal }: InstallOptions): Promise<string[]> {
  const [kubectl = ''] = await ensureBinaries(['kubectl'], progress, signal);
  const read = async (args: readonly string[]) => {
    const where = ['--kubeconfig', cluster.kubeconfig, '--namespace', OPERATORS_NAMESPACE];
    return (await runCommand(kubectl, [...where, ...args], { signal })).stdout;
  };
  const objects = async <T>(resource: string) => {
    const list = await read(['get', resource, '--selector', selectorOf(framework), '--output', 'json']);
    return (JSON.parse(list) as { items: T[] }).items;
  };
  const [deployment = {}] = await objects<InstalledOperator['deployment']>('deployments');
  const pods = await objects<InstalledOperator['pods'][number]>('pods');
  const logs = new Map<string, string>();
  for (const { metadata } of pods) {
    const name = metadata?.name ?? '';
    // A container that has not started has no log; its pod's status has the reason.
    logs.set(name, await read(['logs', name, '--tail', String(LOG_LINES)]).catch(() => ''));
  }
  return operatorProblem({ deployment, pods, logs });
}

function selectorOf(framework: FrameworkName): string {
  return `app.kubernetes.io/name=muster-${framework},app.kubernetes.io/instance=${framework}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The images of each framework's examples, so that they run on a cluster of `cluster up --install`. */
const EXAMPLE_IMAGES: Readonly<Partial<Record<FrameworkName, readonly ImageName[]>>> = {
  tensorflow: ['tensorflow-examples'],
  'pytorch-elastic': ['torch-examples'],
  mxnet: ['mxnet-examples'],
  paddle: ['paddle-examples'],
  jax: ['jax-examples'],
  xgboost: ['xgboost-examples'],
  mpi: ['openmpi-examples', 'mpich-examples'],
  ray: ['ray-examples', 'redis'],
};

/** Builds missing images of the frameworks' examples, and imports them into every node of the cluster. */
export async function importExampleImages(names: readonly string[], options: InstallOptions): Promise<void> {
  const { cluster, progress, signal } = options;
  const images = names.map(known).flatMap((framework) => EXAMPLE_IMAGES[framework] ?? []);
  await importIntoNodes(images, cluster, progress, signal);
}

/** The scheduler may place a pod on any node, and nodes do not pull. */
async function importIntoNodes(
  images: Parameters<typeof importImages>[0],
  { realNodes }: Pick<Cluster, 'realNodes'>,
  progress: Progress,
  signal?: AbortSignal,
): Promise<BuiltImage[]> {
  let built: BuiltImage[] = [];
  for (const { containerdSocket } of realNodes) {
    signal?.throwIfAborted();
    built = await importImages(images, { containerdSocket, progress });
  }
  return built;
}

export function chartFolder(framework: FrameworkName): string {
  return join(WORKSPACE, 'charts', framework);
}

/** Builds the operator's image and imports it into the cluster's node; returns the chart's values that select it. */
export async function operatorValues(
  framework: FrameworkName,
  { cluster, progress }: InstallOptions,
): Promise<string[]> {
  if (cluster.containerdSocket === undefined) {
    throw new ClusterError(
      'Simulated nodes run no containers, so they cannot run operators: start the cluster with --node real, or run "npx muster operator <framework>".',
    );
  }
  const { version } = JSON.parse(await readFile(join(WORKSPACE, 'package.json'), 'utf8')) as { version: string };
  await progress.step(`Bundling the operator of ${framework}`, () => bundle(framework));
  const definition = operatorImage({ framework, version, folder: join(WORKSPACE, 'dist', framework) });
  const companion = COMPANIONS[framework];
  const images = [definition, ...(companion === undefined ? [] : [companion.image])];
  const [image, further] = await importIntoNodes(images, cluster, progress);
  const [repository = '', tag = ''] = image?.references[0]?.split(':') ?? [];
  return [
    `image=${JSON.stringify({ repository, tag, pullPolicy: 'Never' })}`,
    // The new image has the same name with other content.
    `podAnnotations=${JSON.stringify({ 'muster.dev/image-digest': image?.manifest.digest })}`,
    ...(companion === undefined ? [] : [`${companion.value}.image=${JSON.stringify(further?.references[0])}`]),
  ];
}

function known(name: string): FrameworkName {
  if (isFrameworkName(name)) return name;
  throw new ClusterError(`Unknown framework "${name}": choose from ${Object.keys(FRAMEWORKS).join(', ')}.`);
}
