/** The subcommands of `muster cluster`. Results go to standard output, progress and errors to standard error; a failure exits 1. */
import { type Command, InvalidArgumentError } from 'commander';
import { KUBERNETES_VERSION } from './binaries/versions.ts';
import type { Cluster } from './cluster.ts';
import { clusterDown } from './cluster-down.ts';
import { ClusterError } from './cluster-error.ts';
import { checkClusterName, checkNodeKind, DEFAULT_CLUSTER_NAME, NODE_KINDS } from './cluster-name.ts';
import { listClusterNames } from './cluster-state.ts';
import { type ClusterStatus, clusterStatus, listClusters } from './cluster-status.ts';
import { clusterUp, formatNodes } from './cluster-up.ts';
import { type InstallOperators, installStep } from './install-step.ts';
import { InterruptedError, interruptSignal } from './interrupt-signal.ts';
import { linkPrograms } from './link-programs.ts';
import { terminalProgress } from './progress.ts';

const NAME_OPTION = ['--name <name>', 'name of the cluster', DEFAULT_CLUSTER_NAME] as const;

export interface ClusterCommandsOptions {
  /** Implements `up --install`. */
  readonly install: InstallOperators;
  /** Programs of this machine, by their names on the PATH that `up` prints, beside kubectl. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** Adds `cluster up|down|status|kubeconfig` to a program. */
export function registerClusterCommands(program: Command, options: ClusterCommandsOptions): void {
  const cluster = program.command('cluster').description('Manage local Kubernetes clusters: start, inspect, remove');
  cluster
    .command('up')
    .description('Start a cluster; a running one is kept unchanged')
    .option(...NAME_OPTION)
    .option(
      '--node <kind>',
      `kind of node: ${NODE_KINDS.join(' or ')}; a real node runs containers and needs Linux and root`,
      'simulated',
    )
    .option(
      '--nodes <count>',
      'number of nodes (default: 10 simulated ones, or 1 real one; 2 real ones at most)',
      parseCount,
    )
    .option('--kubernetes-version <x.y.z>', `release of Kubernetes (default: ${KUBERNETES_VERSION})`)
    .option(
      '--install <frameworks>',
      'install the charts of these operators, for instance tensorflow,mpi; needs a real node',
    )
    .addHelpText(
      'after',
      `
Examples:
  eval "$(npx muster cluster up)"
  eval "$(npx muster cluster up --node real --install pytorch-elastic)"
  npx muster cluster up --name old --kubernetes-version 1.31.3`,
    )
    .action(reportErrors((given: UpOptions) => up(given, options)));
  cluster
    .command('down')
    .description('Stop a cluster and remove its files from this machine, except built programs')
    .option(...NAME_OPTION)
    .option('--all', 'all clusters')
    .action(reportErrors(down));
  cluster
    .command('status')
    .description('Show clusters and their components; with --name, exit 1 unless that cluster is running')
    .option('--name <name>', 'only this cluster')
    .action(reportErrors(status));
  cluster
    .command('kubeconfig')
    .description('Print the path of the kubeconfig: export KUBECONFIG=$(npx muster cluster kubeconfig)')
    .option(...NAME_OPTION)
    .action(reportErrors(kubeconfig));
}

interface UpOptions {
  name: string;
  node: string;
  nodes?: number;
  kubernetesVersion?: string;
  install?: string;
}

async function up(
  { name, node: kind, install: wanted = '', ...rest }: UpOptions,
  { install, programs = {} }: ClusterCommandsOptions,
): Promise<void> {
  using interrupt = interruptSignal();
  const node = checkNodeKind(kind);
  const frameworks = wanted.split(',').filter((framework) => framework !== '');
  const { signal } = interrupt;
  const progress = terminalProgress();
  if (frameworks.length > 0 && node !== 'real')
    throw new ClusterError('Simulated nodes cannot run operators: add --node real, or leave out --install.');
  const cluster = await clusterUp({ name, node, ...rest, progress, signal });
  linkPrograms(cluster, programs);
  if (frameworks.length > 0) await installStep(frameworks, install, { cluster, progress, signal });
  print(usage(cluster));
}

async function down(options: { name: string; all?: boolean }): Promise<void> {
  const names = options.all === true ? listClusterNames() : [options.name];
  const progress = terminalProgress();
  for (const name of names) {
    if (!(await clusterDown({ name, progress }))) progress.note(`There is no cluster "${name}".`);
  }
  if (names.length === 0) progress.note('There is no cluster.');
}

async function status(options: { name?: string }): Promise<void> {
  if (options.name === undefined) {
    const clusters = await listClusters();
    print(
      clusters.length === 0
        ? 'No cluster is up: start one with "muster cluster up".'
        : clusters.map(describe).join('\n\n'),
    );
    return;
  }
  const one = await clusterStatus({ name: checkClusterName(options.name) });
  print(describe(one));
  if (one.state !== 'running') process.exitCode = 1;
}

async function kubeconfig(options: { name: string }): Promise<void> {
  const { cluster } = await clusterStatus({ name: checkClusterName(options.name) });
  if (cluster === undefined)
    throw new ClusterError(
      `Cluster "${options.name}" is not up: start it with "muster cluster up --name ${options.name}".`,
    );
  print(cluster.kubeconfig);
}

function usage(cluster: Cluster): string {
  return [`export KUBECONFIG=${cluster.kubeconfig}`, `export PATH=${cluster.binDir}:$PATH`].join('\n');
}

/** A cluster as a few lines of text. */
function describe({ name, state, reason, cluster, components }: ClusterStatus): string {
  if (cluster === undefined) return `${name}: ${state}${reason === undefined ? '' : `. ${reason}`}`;
  const nodes = formatNodes(cluster);
  const width = Math.max(...components.map((component) => component.name.length));
  return [
    `${name}: ${state}, Kubernetes ${cluster.kubernetesVersion}, ${nodes}${reason === undefined ? '' : `. ${reason}`}`,
    `  server      ${cluster.server}`,
    `  kubeconfig  ${cluster.kubeconfig}`,
    ...components.map(
      (one) => `  ${one.name.padEnd(width)}  ${one.running ? `pid ${one.pid}` : `ended, see ${one.log}`}`,
    ),
  ].join('\n');
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count)) throw new InvalidArgumentError('Expected a whole number.');
  return count;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints an error that the user can fix as one sentence; any other error is a defect and keeps its stack trace. */
function reportErrors<Options>(action: (options: Options) => Promise<void>): (options: Options) => Promise<void> {
  return async (options) => {
    try {
      await action(options);
    } catch (error) {
      if (!(error instanceof ClusterError) && !(error instanceof InterruptedError)) throw error;
      process.stderr.write(`muster: ${error.message}\n`);
      process.exitCode = error instanceof InterruptedError ? error.exitCode : 1;
    }
  };
}
