/**
 * Finds the cluster to talk to, in the order of controller-runtime: a named file, `$KUBECONFIG`, the ServiceAccount of
 * the pod, `~/.kube/config`.
 *
 * Read here and not with `@kubernetes/client-node`: its KubeConfig brings the whole generated API along (90 MB of
 * memory and half a second before an operator does anything), ignores `tokenFile`, `as-groups` and the information that
 * credential plugins are owed, and cannot be told to renew a token. Refused, rather than ignored: `proxy-url` and
 * `auth-provider`.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { ClusterAccess } from './cluster-access.ts';
import { CredentialError } from './credential-error.ts';
import { createClusterAccess, type KubeConfigCluster, type KubeConfigUser } from './credentials.ts';

const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface LoadClusterOptions {
  /** A kubeconfig file. */
  kubeconfig?: string;
  /** Default: the file's current context. */
  context?: string;
}

interface KubeConfigFile {
  clusters?: ({ name?: string; cluster?: KubeConfigCluster } | null)[] | null;
  users?: ({ name?: string; user?: KubeConfigUser | null } | null)[] | null;
  contexts?: ({ name?: string; context?: { cluster?: string; user?: string; namespace?: string } } | null)[] | null;
  'current-context'?: string;
}

/** Throws a `CredentialError` of one sentence that says what to do. */
export async function loadCluster(options: LoadClusterOptions = {}): Promise<ClusterAccess> {
  const files = kubeConfigFiles(options.kubeconfig, process.env);
  if (files === undefined) return loadInCluster(process.env);
  return fromFiles(files, options.context);
}

/** The API server as a pod sees it, with the pod's ServiceAccount. */
export async function loadInCluster(
  env: NodeJS.ProcessEnv,
  folder: string = SERVICE_ACCOUNT_FOLDER,
): Promise<ClusterAccess> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const namespace = await readFile(join(folder, 'namespace'), 'utf8').catch(() => 'default');
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return createClusterAccess(
    server,
    namespace.trim(),
    { server, 'certificate-authority': join(folder, 'ca.crt') },
    { tokenFile: join(folder, 'token') },
  );
}

/** Undefined: take the pod's ServiceAccount. */
function kubeConfigFiles(explicit: string | undefined, env: NodeJS.ProcessEnv): string[] | undefined {
  if (explicit !== undefined) return [existing(explicit)];
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length === 1) return [existing(listed[0]!)];
  // As kubectl does it: of several, those that exist.
  const found = listed.filter((file) => existsSync(file));
  if (found.length > 0) return found;
  if (listed.length > 0) return [existing(listed[0]!)];
  if (env.KUBERNETES_SERVICE_HOST !== undefined && existsSync(join(SERVICE_ACCOUNT_FOLDER, 'token'))) return undefined;
  const home = join(homedir(), '.kube', 'config');
  if (existsSync(home)) return [home];
  throw new CredentialError(
    `No cluster to talk to: this is no pod with a ServiceAccount, and there is no "${home}"; set KUBECONFIG to a kubeconfig file.`,
  );
}

function existing(file: string): string {
  if (existsSync(file)) return file;
  throw new CredentialError(
    `There is no kubeconfig "${file}": set KUBECONFIG, or --kubeconfig, to a file that exists.`,
  );
}

async function fromFiles(files: readonly string[], wanted: string | undefined): Promise<ClusterAccess> {
  const configs = await Promise.all(files.map(readConfig));
  const where = `Kubeconfig "${files.join(delimiter)}"`;
  const contexts = configs.flatMap((config) => config.contexts ?? []);
  const name = wanted ?? configs.map((config) => config['current-context']).find((current) => (current ?? '') !== '');
  const known = contexts.map((entry) => entry?.name).join(', ') || 'none';
  if (name === undefined) {
    throw new CredentialError(`${where} has no current context: choose one of its contexts (${known}) with --context.`);
  }
  const context = contexts.find((entry) => entry?.name === name)?.context;
  if (context === undefined) {
    throw new CredentialError(
      `${where} has no context "${name}": choose one of its contexts (${known}) with --context.`,
    );
  }
  const cluster = configs
    .flatMap((config) => config.clusters ?? [])
    .find((entry) => entry?.name === context.cluster)?.cluster;
  const server = cluster?.server;
  if (cluster === undefined || server === undefined) {
    throw new CredentialError(`${where} has no server for cluster "${context.cluster}" of context "${name}": add it.`);
  }
  const entry = configs.flatMap((config) => config.users ?? []).find((user) => user?.name === context.user);
  if (entry === undefined && (context.user ?? '') !== '') {
    throw new CredentialError(`${where} has no user "${context.user}", which context "${name}" names: add it.`);
  }
  const user = entry?.user ?? {};
  refuseUnsupported(where, cluster, user);
  return createClusterAccess(server.replace(/\/+$/, ''), context.namespace ?? 'default', cluster, user);
}

function refuseUnsupported(where: string, cluster: KubeConfigCluster, user: KubeConfigUser): void {
  if (user['auth-provider'] !== undefined && user.exec === undefined) {
    const provider = user['auth-provider'].name ?? 'auth-provider';
    throw new CredentialError(
      `${where} logs in with auth-provider "${provider}", which is not supported: configure an \`exec\` credential plugin instead.`,
    );
  }
  if (cluster['proxy-url'] !== undefined) {
    throw new CredentialError(
      `${where} has a proxy-url, which is not supported: connect directly or through a tunnel.`,
    );
  }
}

async function readConfig(file: string): Promise<KubeConfigFile> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new CredentialError(`Kubeconfig "${file}" cannot be read (${cause.code}): check its permissions.`, { cause });
  });
  // Only here, because a pod never gets here and 10 MB are much for nothing.
  const { parse } = await import('yaml');
  let config: KubeConfigFile | null;
  try {
    config = parse(text, { logLevel: 'error' }) as KubeConfigFile | null;
  } catch {
    // The parser's message would quote lines of the file, which holds secrets.
    throw new CredentialError(
      `Kubeconfig "${file}" is not YAML: write it anew, for example with "kubectl config view --raw".`,
    );
  }
  if (typeof config !== 'object' || config === null) {
    throw new CredentialError(`Kubeconfig "${file}" is empty: write one, or set KUBECONFIG to another file.`);
  }
  return withAbsolutePaths(config, dirname(resolve(file)));
}

/** File names in a kubeconfig are relative to it; so is a credential plugin that is named with a slash. */
function withAbsolutePaths(config: KubeConfigFile, folder: string): KubeConfigFile {
  const absolute = (file: string): string => (file === '' || isAbsolute(file) ? file : join(folder, file));
  for (const entry of config.clusters ?? []) {
    makeAbsolute(entry?.cluster, ['certificate-authority'], absolute);
  }
  for (const entry of config.users ?? []) {
    makeAbsolute(entry?.user, ['tokenFile', 'client-certificate', 'client-key'], absolute);
    const exec = entry?.user?.exec;
    if (exec?.command?.includes('/') === true) exec.command = absolute(exec.command);
  }
  return config;
}

function makeAbsolute<F extends string>(
  holder: { [K in F]?: string } | null | undefined,
  fields: readonly F[],
  absolute: (file: string) => string,
): void {
  for (const field of fields) {
    const file = holder?.[field];
    if (holder && file !== undefined) holder[field] = absolute(file);
  }
}
