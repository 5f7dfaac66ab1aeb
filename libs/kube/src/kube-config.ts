/**
 * Finds the cluster in kubectl's order: a named file, `$KUBECONFIG`, `~/.kube/config`, the pod's ServiceAccount.
 * Operators use controller-runtime's order, with the ServiceAccount before `~/.kube/config`.
 *
 * client-node's `KubeConfig` reads the files. It is loaded late because loading is slow. `user-supplement.ts` adds what
 * it does not support.
 */
import { existsSync, promises } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import type { ClusterAccess } from './cluster-access.ts';
import { CredentialError } from './credential-error.ts';
import { createClusterAccess } from './credentials.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import { impersonating, type Impersonation } from './impersonation.ts';
import { loadInCluster, SERVICE_ACCOUNT } from './in-cluster.ts';
import { proxyFromEnv } from './proxy-from-env.ts';
import { parseProxyUrl } from './tunnel.ts';
import { readUserSupplements, type UserSupplement } from './user-supplement.ts';

export interface LoadClusterOptions {
  kubeconfig?: string;
  /** Default: the file's current context. With a context the pod's ServiceAccount is never used. */
  context?: string;
  /** The pod's ServiceAccount precedes `~/.kube/config`. Default: it follows. */
  preferServiceAccount?: boolean;
  impersonate?: Impersonation;
}

/** Throws a `CredentialError` of one sentence with what to do. @param root mount path of the pod's file system */
export async function loadCluster(options: LoadClusterOptions = {}, root = ''): Promise<ClusterAccess> {
  const files = kubeConfigFiles(options, process.env, root);
  const found = files === undefined ? loadInCluster(root) : await fromFiles(files, options.context);
  return impersonating(throughProxy(found), options.impersonate ?? {});
}

/** The kubeconfig's `proxy-url`, or else that of the environment. */
function throughProxy(access: ClusterAccess): ClusterAccess {
  if (access.proxy !== undefined) return access;
  const proxy = proxyFromEnv(access.server, process.env);
  if (proxy === undefined) return access;
  if (parseProxyUrl(proxy) === undefined)
    throw new CredentialError(
      'HTTPS_PROXY or HTTP_PROXY is not the URL of a proxy: write it as http://host:port, https:// or socks5://.',
    );
  return { ...access, proxy };
}

async function newKubeConfig(): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  return new KubeConfig();
}

function kubeConfigFiles(
  { kubeconfig: explicit, context, preferServiceAccount = false }: LoadClusterOptions,
  env: NodeJS.ProcessEnv,
  root: string,
): string[] | undefined {
  if (explicit !== undefined) return [existing(explicit)];
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length === 1) return [existing(listed[0]!)];
  // Missing files are skipped, as in kubectl.
  const found = listed.filter((file) => existsSync(file));
  if (found.length > 0) return found;
  if (listed.length > 0) return [existing(listed[0]!)];
  const isInPod = env.KUBERNETES_SERVICE_HOST !== undefined && existsSync(`${root}${SERVICE_ACCOUNT}/token`);
  const mayUsePod = isInPod && context === undefined;
  // `homedir` throws if HOME is not set and the user has no entry in /etc/passwd, as in pods with a random UID.
  if (mayUsePod && preferServiceAccount) return undefined;
  const home = join(homedir(), '.kube', 'config');
  if (existsSync(home)) return [home];
  if (mayUsePod) return undefined;
  if (context !== undefined) {
    throw new CredentialError(
      `Context "${context}" does not exist, because there is no kubeconfig "${home}": set KUBECONFIG, or --kubeconfig, to a file that has it.`,
    );
  }
  throw new CredentialError(
    `No cluster is configured: this is not a pod with a ServiceAccount, and there is no "${home}": set KUBECONFIG to a kubeconfig file.`,
  );
}

function existing(file: string): string {
  if (existsSync(file)) return file;
  throw new CredentialError(
    `There is no kubeconfig "${file}": set KUBECONFIG, or --kubeconfig, to a file that exists.`,
  );
}

async function fromFiles(files: readonly string[], wanted: string | undefined): Promise<ClusterAccess> {
  const read = await Promise.all(files.map(readConfig));
  const configs = read.map(({ config }) => config);
  const where = `Kubeconfig "${files.join(delimiter)}"`;
  const merged = await newKubeConfig();
  // The library's mergeConfig refuses two entries of one name and uses the last current context. In kubectl the first
  // counts, as in the library's own lookup.
  merged.loadFromOptions({
    clusters: configs.flatMap((config) => config.clusters),
    users: configs.flatMap((config) => config.users),
    contexts: configs.flatMap((config) => config.contexts),
  });
  const name = wanted ?? configs.map((config) => config.currentContext).find((current) => (current ?? '') !== '');
  const known = merged.contexts.map((context) => context.name).join(', ') || 'none';
  if (name === undefined) {
    throw new CredentialError(`${where} has no current context: choose one of its contexts (${known}) with --context.`);
  }
  const context = merged.getContextObject(name);
  if (context === null) {
    throw new CredentialError(
      `${where} has no context "${name}": choose one of its contexts (${known}) with --context.`,
    );
  }
  const cluster = merged.getCluster(context.cluster);
  if (cluster === null) {
    throw new CredentialError(`${where} has no server for cluster "${context.cluster}" of context "${name}": add it.`);
  }
  // Undefined for a context without a user, contrary to the library's types.
  const userName = context.user as string | undefined;
  const user = userName === undefined ? { name: '' } : merged.getUser(userName);
  if (user === null) {
    throw new CredentialError(`${where} has no user "${userName}", which context "${name}" names: add it.`);
  }
  refuseUnsupported(where, cluster, user);
  const supplement = read.flatMap(({ supplements }) => supplements).find((each) => each.name === userName);
  return createClusterAccess({
    cluster,
    user,
    namespace: context.namespace ?? 'default',
    ...(supplement && { supplement }),
  });
}

function refuseUnsupported(where: string, cluster: Cluster, user: User): void {
  const exec = user.exec as ExecPlugin | null | undefined;
  const provider = (user.authProvider as { name?: string } | null | undefined)?.name ?? 'auth-provider';
  // The library's other providers block the process during a login, and kubectl has removed them.
  if (user.authProvider && provider !== 'oidc' && !exec) {
    throw new CredentialError(
      `${where} logs in with auth-provider "${provider}", which is not supported: configure an \`exec\` credential plugin instead.`,
    );
  }
  if (exec && (exec.command ?? '') === '') {
    throw new CredentialError(`${where} has an \`exec\` without a \`command\`: add one.`);
  }
  if (exec?.interactiveMode === 'Always') {
    throw new CredentialError(
      `${where} has the credential plugin "${exec.command}", which needs a terminal (interactiveMode Always), and none is available: choose one that runs unattended.`,
    );
  }
  // An empty or null proxy-url counts as not set, as in kubectl.
  if (cluster.proxyUrl && parseProxyUrl(cluster.proxyUrl) === undefined) {
    throw new CredentialError(
      `${where} has a proxy-url that is not the URL of a proxy: write it as http://host:port, https:// or socks5://.`,
    );
  }
}

async function readConfig(file: string): Promise<{ config: KubeConfig; supplements: UserSupplement[] }> {
  const text = await promises.readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new CredentialError(`Kubeconfig "${file}" cannot be read (${cause.code}): check its permissions.`, { cause });
  });
  const folder = dirname(resolve(file));
  const config = await newKubeConfig();
  try {
    // Errors in unused contexts are ignored.
    config.loadFromString(text, { onInvalidEntry: 'filter' });
  } catch (error) {
    // The parser's message would quote lines of the file, which holds secrets.
    throw new CredentialError(
      error instanceof Error && error.name === 'YAMLException' && text.trim() !== ''
        ? `Kubeconfig "${file}" is not YAML: recreate it, for example with "kubectl config view --raw".`
        : `Kubeconfig "${file}" is empty: write one, or set KUBECONFIG to another file.`,
    );
  }
  config.makePathsAbsolute(folder);
  for (const user of config.users) {
    // A plugin path with a slash is relative to the kubeconfig, which the library does not support.
    const exec = user.exec as ExecPlugin | null | undefined;
    if (exec?.command?.includes('/') && !isAbsolute(exec.command)) exec.command = join(folder, exec.command);
  }
  return { config, supplements: await readUserSupplements(text, folder) };
}
