/**
 * What every command that asks a cluster has in common: the options of kubectl that say which, a client, Ctrl-C, and how it ends
 * when something goes wrong.
 */
import { basename } from 'node:path';
import { InterruptedError, interruptSignal } from '@muster/cluster';
import {
  createKubeClient,
  CredentialError,
  isKubeError,
  loadCluster,
  type ClusterClient,
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
  /** Where jobs are looked for: the one that was asked for, or the context's. */
  readonly namespace: string;
  /** Aborts at Ctrl-C and SIGTERM, and when the command has ended. */
  readonly signal: AbortSignal;
  /** What is said when the user interrupts it. */
  interruptNotice: string;
  /** Takes what the API server warns of. Default: it is not printed. */
  onWarning: (warning: string) => void;
  /**
   * A command of this program for the user to type, which asks the same cluster: `wait mnist`.
   *
   * @param namespace of the job that it names
   */
  hint(command: string, namespace: string): string;
  /** The same for a whole command of kubectl. */
  kubectlHint(command: string): string;
}

export function withClusterOptions(command: Command): Command {
  return withAccessOptions(
    command.option('-n, --namespace <name>', "where the job is; the context's namespace unless set"),
  );
}

/** Which cluster, and as who. */
export function withAccessOptions(command: Command): Command {
  const append = (value: string, before: readonly string[] = []) => [...before, value];
  return command
    .option('--kubeconfig <file>', 'the cluster; $KUBECONFIG or ~/.kube/config unless set')
    .option('--context <name>', "context of the kubeconfig; the file's current one unless set")
    .option('--as <user>', 'make the requests as this user')
    .option('--as-group <group>', 'with --as: as a member of this group; may be given several times', append)
    .option('--as-uid <uid>', 'with --as: with this UID');
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

/** How long a command that is interrupted may take to leave the terminal as it was. */
const GRACE_MS = 300;

/** Runs `work` with a client; whatever it throws becomes a message and an exit code. */
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
    await work(Object.assign(session, { client, signal, namespace: options.namespace ?? access.namespace, ...hints }));
  };
  try {
    // Requests and plugins that do not look at the signal must not hold up Ctrl-C.
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

/** As the user has called it: kubectl calls the same program by another name. */
function programName(): string {
  return basename(process.argv[1] ?? '').startsWith('kubectl') ? 'kubectl muster' : 'muster';
}

/** @param inContext the namespace that commands have which name none */
export function hintsOf(options: ClusterOptions, inContext: string): Pick<Session, 'hint' | 'kubectlHint'> {
  const access = accessFlags(options);
  return {
    hint(command, namespace) {
      // Also if it is the namespace of the context: the hint may be used in another context.
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
