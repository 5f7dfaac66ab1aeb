/**
 * Credentials from a program, as kubeconfig's `exec` names it (client.authentication.k8s.io/v1): how every cloud's
 * login works. What the program prints on its standard output is never shown: it is a secret.
 */
import { spawn } from 'node:child_process';
import { CredentialError } from './credential-error.ts';

/** As it stands in a kubeconfig. */
export interface ExecPlugin {
  apiVersion?: string;
  command?: string;
  args?: string[] | null;
  env?: { name: string; value: string }[] | null;
  installHint?: string;
  interactiveMode?: 'Never' | 'IfAvailable' | 'Always';
  provideClusterInfo?: boolean;
}

export interface ExecCredential {
  token?: string;
  clientCertificateData?: string;
  clientKeyData?: string;
  expirationTimestamp?: string;
}

/** Long enough for a token from a cloud, short enough that a program that waits for ever is noticed. */
const UNATTENDED_LIMIT_MS = 60_000;

/** @param cluster what the plugin may know of the cluster, in kubeconfig's words */
export async function runExecPlugin(plugin: ExecPlugin, cluster: object): Promise<ExecCredential> {
  const { command, args, env, provideClusterInfo, interactiveMode = 'IfAvailable' } = plugin;
  if (command === undefined)
    throw new CredentialError('The kubeconfig user has an `exec` without a `command`: add one.');
  const apiVersion = plugin.apiVersion ?? 'client.authentication.k8s.io/v1';
  const interactive = interactiveMode !== 'Never' && process.stdin.isTTY;
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive, ...(provideClusterInfo === true ? { cluster } : {}) },
  };
  const { code, stdout, stderr } = await run(plugin, command, args ?? [], interactive, {
    ...process.env,
    ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify(info),
  });
  if (code !== 0) {
    const reason = stderr.trim() === '' ? '' : ` and said: ${stderr.trim().slice(-500)}`;
    throw new CredentialError(
      `Credential plugin "${command}" ended with ${code ?? 'a signal'}${reason}. Run it by hand to log in.`,
    );
  }
  return parseCredential(command, stdout);
}

function run(plugin: ExecPlugin, command: string, args: string[], interactive: boolean, env: NodeJS.ProcessEnv) {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number | null; stdout: string; stderr: string }>();
  const child = spawn(command, args, {
    env,
    // Whoever logs in by hand has to see what the program asks.
    stdio: interactive ? ['inherit', 'pipe', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    ...(interactive ? {} : { timeout: UNATTENDED_LIMIT_MS }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.on('error', (cause) => {
    const hint = plugin.installHint ?? 'install it, or correct `exec.command` in the kubeconfig.';
    reject(new CredentialError(`Credential plugin "${command}" did not start (${cause.message}): ${hint}`, { cause }));
  });
  child.on('close', (code) => resolve({ code, stdout, stderr }));
  return promise;
}

function parseCredential(command: string, stdout: string): ExecCredential {
  let status: ExecCredential | undefined;
  try {
    status = (JSON.parse(stdout) as { status?: ExecCredential }).status;
  } catch (error) {
    // The parser's message would quote the secret.
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (status?.token === undefined && status?.clientCertificateData === undefined) {
    throw new CredentialError(
      `Credential plugin "${command}" printed no ExecCredential with a token or a certificate: check its version.`,
    );
  }
  return status;
}
