/** Makes a message without secrets of an error of client-node's `KubeConfig`. */
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import { CredentialError } from './credential-error.ts';
import type { ExecPlugin } from './exec-plugin.ts';

export function credentialFailure(cause: unknown, cluster: Cluster | null, user: User): CredentialError {
  const { code, syscall, path, message } = cause as NodeJS.ErrnoException;
  if (path !== undefined && syscall?.startsWith('spawn') !== true) {
    const what = fileTitle(path, cluster, user);
    return new CredentialError(
      `The ${what} "${path}" cannot be read (${code}): correct the kubeconfig or restore the file.`,
      { cause },
    );
  }
  if (user.exec) return pluginFailure(cause as Error, user.exec as ExecPlugin);
  return new CredentialError(
    `The OIDC provider of the kubeconfig did not renew the token (${message}): log in again.`,
    {
      cause,
    },
  );
}

function fileTitle(path: string, cluster: Cluster | null, user: User): string {
  if (path === cluster?.caFile) return 'certificate-authority';
  if (path === user.certFile) return 'client-certificate';
  return path === user.keyFile ? 'client-key' : 'token file';
}

function pluginFailure(cause: Error, { command, installHint }: ExecPlugin): CredentialError {
  if ('syscall' in cause) {
    const hint = installHint ?? 'install it, or correct `exec.command` in the kubeconfig.';
    return new CredentialError(`Credential plugin "${command}" did not start (${cause.message}): ${hint}`, { cause });
  }
  // The parser's message quotes the plugin's output, which is a secret. So it is not kept as the cause either.
  if (cause instanceof SyntaxError || cause instanceof TypeError) {
    return new CredentialError(
      `Credential plugin "${command}" printed no ExecCredential with a token or a certificate: check its version.`,
    );
  }
  // The library's message is the plugin's standard error, without its exit status.
  const output = cause.message.trim() === '' ? '' : `: ${cause.message.trim().slice(-500)}`;
  return new CredentialError(`Credential plugin "${command}" failed${output}. Run it by hand to log in.`);
}
