/**
 * What all commands that use a cluster have in common: kubectl's options for the cluster, a client, Ctrl-C, and the handling
 * of errors.
 */
import { basename } from 'node:path';
import { InterruptedError, interruptSignal } from '@muster/cluster';
import {
  createKubeClient,
  CredentialError,
  isKubeError,
  loadCluster,
  type ClusterClient,
  type ClusterAccess,
  type LoadClusterOptions,
} from '@muster/kube';
import type { Command } from 'commander';
import { CommandError, EXIT_CODES } from './exit-codes.ts';
import { isAccessDenied } from './jobs/refusal.ts';
import { fail, note } from './terminal/output.ts';

export interface AccessOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly asUid?: string;
}

export interface ClusterOptions extends AccessOptions {
  readonly namespace?: string;
}

export interface Session {
  readonly client: ClusterClient;
  readonly access: ClusterAccess;
  /** The namespace of the jobs: the one given by -n, or the context's. */
  readonly namespace: string;
  /** Aborts at Ctrl-C and SIGTERM, and when the command has ended. */
  readonly signal: AbortSignal;
  /** Printed when the user interrupts the command. */
  interruptNotice: string;
  /** Called with warnings of the API server. Default: they are not printed. */
  onWarning: (warning: string) => void;
  /**
   * A command of this program that the user can type, with the flags for the same cluster: `wait mnist`.
   *
   * @param namespace of the job in the command
   */
  hint(command: string, namespace: string): string;
  /** The same for a complete kubectl command. */
  kubectlHint(command: string): string;
}

export function withClusterOptions(command: Command): Command {
  return withAccessOptions(
    command.option('-n, --namespace <name>', "namespace of the job (default: the context's namespace)"),
  );
}

/** Options for the cluster and the user. */
export function withAccessOptions(command: Command): Command {
  const append = (value: string, before: readonly string[] = []) => [...before, value];
  return command
    .option('--kubeconfig <file>', 'kubeconfig file (default: $KUBECONFIG or ~/.kube/config)')
    .option('--context <name>', "context of the kubeconfig (default: the file's current context)")
    .option('--as <user>', 'user to impersonate')
    .option('--as-group <group>', 'with --as: group to impersonate; can be repeated', append)
    .option('--as-uid <uid>', 'with --as: UID to impersonate');
}

export function accessOf({
  kubeconfig,
  context,
  as: user,
  asGroup: groups,
  asUid: uid,
}: AccessOptions): LoadClusterOptions {
  return {
    ...(kubeconfig && { kubeconfig }),
    ...(context && { context }),
    impersonate: { ...(user && { user }), ...(groups && { groups }), ...(uid && { uid }) },
  };
}

/** How long an interrupted command may take to restore the terminal. */
const GRACE_MS = 300;

/** Runs `work` with a client, and turns what it throws into a message and an exit code. */
export async function inSession(options: ClusterOptions, work: (session: Session) => Promise<void>): Promise<void> {
  using interrupt = interruptSignal();
  const ended = new AbortController();
  const session: { interruptNotice: string; onWarning: (warning: string) => void; client?: ClusterClient } = {
    interruptNotice: 'Interrupted.',
    onWarning: () => {},
  };
  const begin = async () => {
    const access = await loadCluster(accessOf(options));
    const onWarning = (warning: string) => session.onWarning(warning);
    const client = createKubeClient(access, { userAgent: 'muster-cli', onWarning });
    session.client = client;
    const hints = hintsOf(options, access.namespace);
    const signal = AbortSignal.any([interrupt.signal, ended.signal]);
    const namespace = options.namespace ?? access.namespace;
    await work(Object.assign(session, { client, access, signal, namespace, ...hints }));
  };
  try {
    // Requests and plugins that ignore the signal must not delay Ctrl-C.
    await Promise.race([begin(), rejectedAfter(interrupt.signal, GRACE_MS)]);
    interrupt.signal.throwIfAborted();
  } catch (error) {
    process.exitCode = report(error, session.interruptNotice);
    if (error instanceof InterruptedError) process.exit();
  } finally {
    ended.abort();
    await session.client?.close();
  }
}

function rejectedAfter(signal: AbortSignal, ms: number): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason as Error), ms), { once: true });
  });
}

function report(error: unknown, interruptNotice: string): number {
  if (error instanceof InterruptedError) {
    note(`\n${interruptNotice}`);
    return error.exitCode;
  }
  if (error instanceof CommandError) {
    fail(error.message);
    return error.exitCode;
  }
  if (!(error instanceof CredentialError) && !isKubeError(error)) throw error;
  fail(error.message);
  return isAccessDenied(error) ? EXIT_CODES.forbidden.code : EXIT_CODES.error.code;
}

/** What the user typed: kubectl starts the same program under another name, and in a clone it is not on the PATH. */
function programName({ npm_lifecycle_event: starter, npm_lifecycle_script: started = '' } = process.env): string {
  if (basename(process.argv[1] ?? '').startsWith('kubectl')) return 'kubectl muster';
  return starter === 'npx' && /^["']?muster\b/.test(started) ? 'npx muster' : 'muster';
}

/** @param inContext the namespace of commands without -n */
export function hintsOf(options: ClusterOptions, inContext: string): Pick<Session, 'hint' | 'kubectlHint'> {
  const access = accessFlags(options);
  return {
    hint(command, namespace) {
      // Also for the namespace of the context: the hint may be used in another context.
      const isNamed = options.namespace !== undefined || namespace !== inContext || namespace !== 'default';
      return `${programName()} ${command}${isNamed ? ` -n ${shellWord(namespace)}` : ''}${access}`;
    },
    kubectlHint: (command) => `${command}${access}`,
  };
}

function accessFlags({ context, kubeconfig, as, asGroup = [], asUid }: AccessOptions): string {
  const given: (readonly [string, string | undefined])[] = [
    ['--context', context],
    ['--kubeconfig', kubeconfig],
    ['--as', as],
    ...asGroup.map((group) => ['--as-group', group] as const),
    ['--as-uid', asUid],
  ];
  return given.map(([flag, value]) => (value === undefined ? '' : ` ${flag} ${shellWord(value)}`)).join('');
}

function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
