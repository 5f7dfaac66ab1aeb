/** Programs of other projects beside a cluster's own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { BINARIES, ensureBinaries, moduleFolder, runCommand, terminalProgress, waitUntil } from '@muster/cluster';
import type { BinaryName, Cluster } from '@muster/cluster';
import type { KubeObject } from '@muster/job-api';
import { parseAllDocuments } from 'yaml';

export interface RunningProgram {
  /** The end of its output. */
  log(): string;
  /** Whether it has ended by itself. */
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** How much of a program's output is kept. */
const LINES = 40;

/** Builds it if it is missing. */
export async function startProgram(
  name: BinaryName,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<RunningProgram> {
  const [file = ''] = await ensureBinaries([name], terminalProgress());
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => (lines = [...lines, String(text)].slice(-LINES)));
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    log: () => lines.join(''),
    hasEnded,
    async stop() {
      if (hasEnded()) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export type Kubectl = (...args: string[]) => Promise<{ readonly stdout: string }>;

/** The cluster's kubectl, as its administrator. */
export function kubectlOf({ binDir, kubeconfig }: Cluster): Kubectl {
  return (...args) => runCommand(join(binDir, 'kubectl'), [`--kubeconfig=${kubeconfig}`, ...args]);
}

export type PublishedObject = KubeObject & { readonly kind: string };

/** The objects of a kustomization that a program's project publishes: a folder of its module. */
export async function publishedObjects(
  cluster: Cluster,
  program: BinaryName,
  folder: string,
): Promise<PublishedObject[]> {
  const { stdout } = await kubectlOf(cluster)('kustomize', join(await moduleFolder(BINARIES[program]), folder));
  return parseAllDocuments(stdout).map((document) => document.toJS() as PublishedObject);
}

/** CRDs that a program's project publishes: files of its module, without `.yaml`. */
export async function installCrdsOf(
  cluster: Cluster,
  program: BinaryName,
  folder: string,
  names: readonly string[],
): Promise<void> {
  const source = await moduleFolder(BINARIES[program]);
  const kubectl = kubectlOf(cluster);
  const files = names.map((name) => `--filename=${join(source, folder, `${name}.yaml`)}`);
  await kubectl('apply', '--server-side', ...files);
  await established(kubectl, files);
}

/**
 * Waits until the API server serves the CRDs. kubectl ends with an error if one has no conditions yet.
 *
 * @param which names or files, as arguments of kubectl
 */
export async function established(kubectl: Kubectl, which: readonly string[]): Promise<void> {
  const unmet = () =>
    kubectl('wait', '--for=condition=Established', '--timeout=10s', ...which).then(() => undefined, String);
  await waitUntil(unmet, { what: 'the CRDs to be established', limitMs: 60_000 });
}
