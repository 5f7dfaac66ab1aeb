/**
 * Makes a `ClusterAccess` of a cluster and user of client-node's `KubeConfig`. The library reads files, runs plugins
 * and renews OIDC tokens. This file calls it every few seconds instead of at every request, and with an empty cache
 * after a 401.
 */
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import type { ClusterAccess, Credentials, TlsOptions } from './cluster-access.ts';
import { CredentialError } from './credential-error.ts';
import { credentialFailure } from './credential-failure.ts';
import { type ExecPlugin, withExecInfo } from './exec-plugin.ts';
import { createRefreshing } from './refreshing.ts';
import type { UserSupplement } from './user-supplement.ts';

export interface KubeConfigEntry {
  cluster: Cluster;
  user: User;
  namespace: string;
  supplement?: UserSupplement;
}

interface Applied {
  headers: Credentials;
  tls: TlsOptions;
}

export function createClusterAccess({ cluster, user, namespace, supplement }: KubeConfigEntry): ClusterAccess {
  const loginUser = withExecInfo(withTokenFile(user, supplement?.tokenFile), cluster);
  let config: KubeConfig | undefined;
  let last: TlsOptions = {};
  const applied = createRefreshing<Applied>(async () => {
    // The KubeConfig caches a plugin's credentials until they expire. Without a plugin it is created each time: its
    // cache would make token files a minute old, and it misreads the expiry of a renewed OIDC token.
    if (config === undefined || !loginUser.exec) config = await newKubeConfig(cluster, loginUser);
    try {
      const { headers, tls } = await apply(config, loginUser);
      // Callers compare by identity.
      if (JSON.stringify(tls) !== JSON.stringify(last)) last = tls;
      return { headers: { ...headers, ...supplement?.impersonation }, tls: last };
    } catch (error) {
      config = undefined;
      throw error;
    }
  });
  return {
    server: cluster.server.replace(/\/+$/, ''),
    namespace,
    ...(cluster.proxyUrl && { proxy: cluster.proxyUrl }),
    tls: async () => (await applied.get()).tls,
    headers: async () => (await applied.get()).headers,
    refresh() {
      config = undefined;
      applied.forget();
    },
  };
}

/** The library supports token files, but not the field of the kubeconfig. As in kubectl, the file precedes a token. */
function withTokenFile(user: User, tokenFile: string | undefined): User {
  if (tokenFile === undefined) return user;
  return { ...user, token: '', exec: undefined, authProvider: { name: 'tokenFile', config: { tokenFile } } };
}

async function newKubeConfig(cluster: Cluster, user: User): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  // The library refuses plain HTTP, as used by "kubectl proxy", unless certificates need not be checked.
  const skipTLSVerify = cluster.skipTLSVerify || cluster.server.startsWith('http:');
  // The library would send a missing password as "null". The copy is shallow, because renewed OIDC tokens are stored in
  // it. client-node would create an agent for the proxy; `tunnel.ts` connects through it instead.
  const { proxyUrl: _proxy, ...reached } = cluster;
  config.loadFromClusterAndUser({ ...reached, skipTLSVerify }, { ...user, password: user.password ?? '' });
  return config;
}

/** Long enough for a token from a cloud, short enough to notice a plugin that hangs. */
const LOGIN_LIMIT_MS = 60_000;

async function apply(config: KubeConfig, user: User): Promise<Applied> {
  const options: RequestOptions & { headers: Record<string, string> } = { headers: {} };
  try {
    await withinLimit(config.applyToHTTPSOptions(options));
  } catch (error) {
    throw error instanceof CredentialError ? error : credentialFailure(error, config.getCurrentCluster(), user);
  }
  const { 'Impersonate-User': impersonated } = options.headers;
  const authorization = authorizationOf(options);
  const tls = tlsOf(options);
  if (authorization === undefined && tls.cert === undefined) refuseEmptyLogin(user);
  return {
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(impersonated !== undefined && { 'impersonate-user': impersonated }),
    },
    tls,
  };
}

async function withinLimit(login: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const silent = new CredentialError(
    `The kubeconfig's login returned no credentials within ${LOGIN_LIMIT_MS / 1000} s: run it by hand to see what it waits for.`,
  );
  const timer = setTimeout(() => reject(silent), LOGIN_LIMIT_MS);
  try {
    await Promise.race([login, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function authorizationOf({ auth, headers }: RequestOptions & { headers: Record<string, string> }): string | undefined {
  // Files end with a newline, which is invalid in a header.
  const bearer = headers.Authorization?.trim();
  if (bearer !== undefined && bearer !== 'Bearer') return bearer;
  return auth === undefined || auth === null ? undefined : `Basic ${Buffer.from(auth).toString('base64')}`;
}

function tlsOf({ ca, cert, key, rejectUnauthorized, servername }: RequestOptions): TlsOptions {
  return {
    ...(ca !== undefined && { ca: pem(ca) }),
    ...(cert !== undefined && key !== undefined && { cert: pem(cert), key: pem(key) }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    ...(servername !== undefined && { servername }),
  };
}

/** The library sets these from a file or from base64, never to a list. */
function pem(value: RequestOptions['ca'] | RequestOptions['key']): string {
  return Buffer.from(value as Buffer).toString('utf8');
}

/** An empty login must not count as anonymous: the server would only answer that the user is unknown. */
function refuseEmptyLogin(user: User): void {
  const provider = user.authProvider as { name: string; config?: { tokenFile?: string } } | null | undefined;
  const tokenFile = provider?.config?.tokenFile;
  if (tokenFile !== undefined) {
    throw new CredentialError(`The token file "${tokenFile}" is empty: write the token into it.`);
  }
  if (user.exec) {
    const { command } = user.exec as ExecPlugin;
    throw new CredentialError(
      `Credential plugin "${command}" printed no ExecCredential with a token or a certificate: check its version.`,
    );
  }
  if (provider) {
    throw new CredentialError('The kubeconfig has no valid id-token and cannot renew it: log in again.');
  }
}
