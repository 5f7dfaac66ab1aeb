/**
 * What every command that asks a cluster has in common: the options of kubectl that say which, a client, Ctrl-C, and how it ends
 * when something goes wrong.
 */
import { basename } from 'node:path';
import { InterruptedError, interruptSignal } from '@muster/cluster';
import { createKubeClient, CredentialError, isKubeError, loadCluster, type ClusterClient } from '@muster/kube';
import type { Command } from 'commander';
import { CommandError, EXIT_CODES } from './exit-codes.ts';

export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

export interface Session {
  readonly client: ClusterClient;
  /** Where jobs are looked for: the one that was asked for, or the context's. */
  readonly namespace: string;
  /** Aborts at Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** What is said when the user interrupts it. */
  interruptNotice: string;
  /** A command of this program for the user to type, which asks the same cluster: `wait mnist`. */
  hint(command: string): string;
}

export function withClusterOptions(command: Command): Command {
  return command
    .option('-n, --namespace <name>', "where the job is; the context's namespace unless set")
    .option('--kubeconfig <file>', 'the cluster; $KUBECONFIG or ~/.kube/config unless set')
    .option('--context <name>', "context of the kubeconfig; the file's current one unless set");
}

/** Runs `work` with a client; whatever it throws becomes a message and an exit code. */
export async function inSession(options: ClusterOptions, work: (session: Session) => Promise<void>): Promise<void> {
  using interrupt = interruptSignal();
  const session: { interruptNotice: string; client?: ClusterClient } = { interruptNotice: 'Interrupted.' };
  try {
    const { kubeconfig, context } = options;
    const access = await loadCluster({ ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
    const client = createKubeClient(access, { userAgent: 'muster-cli' });
    session.client = client;
    const namespace = options.namespace ?? access.namespace;
    const hint = (command: string) => `${programName()} ${command}${flags(options)}`;
    await work(Object.assign(session, { client, namespace, signal: interrupt.signal, hint }));
  } catch (error) {
    process.exitCode = report(error, session.interruptNotice);
  } finally {
    await session.client?.close();
  }
}

function report(error: unknown, interruptNotice: string): number {
  if (error instanceof InterruptedError) {
    process.stderr.write(`\n${interruptNotice}\n`);
    return error.exitCode;
  }
  if (error instanceof CommandError) {
    process.stderr.write(`error: ${error.message}\n`);
    return error.exitCode;
  }
  if (!(error instanceof CredentialError) && !isKubeError(error)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  return EXIT_CODES.error.code;
}

/** As the user has called it: kubectl calls the same program by another name. */
function programName(): string {
  return basename(process.argv[1] ?? '').startsWith('kubectl') ? 'kubectl muster' : 'muster';
}

function flags({ namespace, context, kubeconfig }: ClusterOptions): string {
  const given = { '-n': namespace, '--context': context, '--kubeconfig': kubeconfig };
  const words = Object.entries(given).map(([flag, value]) => (value === undefined ? '' : ` ${flag} ${value}`));
  return words.join('');
}
