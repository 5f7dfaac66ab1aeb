/**
 * From a cluster and a user, as client-node's `KubeConfig` read them, to a `ClusterAccess` whose credentials stay
 * fresh. The library reads the files, runs the plugin and renews the OIDC token; here is decided when it is asked:
 * every few seconds and not at every request, and after a 401 with everything forgotten that it keeps.
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

/** A projected token lives for an hour and is replaced minutes before its end. */
const ASK_AGAIN_MS = 10_000;

interface Applied {
  headers: Credentials;
  tls: TlsOptions;
}

export function createClusterAccess({ cluster, user, namespace, supplement }: KubeConfigEntry): ClusterAccess {
  const asked = withExecInfo(withTokenFile(user, supplement?.tokenFile), cluster);
  let config: KubeConfig | undefined;
  let last: TlsOptions = {};
  const applied = createRefreshing<Applied>(async () => {
    // What a plugin printed is kept in the KubeConfig until it runs out. Nothing else may be kept there: token files
    // would be a minute old, and a renewed OIDC token, whose end the library gets wrong, be renewed each time.
    if (config === undefined || !asked.exec) config = await newKubeConfig(cluster, asked);
    try {
      const { headers, tls } = await apply(config, asked);
      // The same object says that nothing changed.
      if (JSON.stringify(tls) !== JSON.stringify(last)) last = tls;
      const value = { headers: { ...headers, ...supplement?.impersonation }, tls: last };
      return { value, validUntilMs: Date.now() + ASK_AGAIN_MS };
    } catch (error) {
      // A plugin's answer that was of no use is kept there as well.
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

/** The library knows token files, but not the kubeconfig's field. As with kubectl, the file counts before a token. */
function withTokenFile(user: User, tokenFile: string | undefined): User {
  if (tokenFile === undefined) return user;
  return { ...user, token: '', exec: undefined, authProvider: { name: 'tokenFile', config: { tokenFile } } };
}

async function newKubeConfig(cluster: Cluster, user: User): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  // The library refuses plain HTTP, as "kubectl proxy" offers it, unless certificates need not be checked.
  const skipTLSVerify = cluster.skipTLSVerify || cluster.server.startsWith('http:');
  // It would write a missing password out as "null". The copy is shallow, for the tokens that OIDC renews stay in it.
  // client-node would create an agent for the proxy. `tunnel.ts` connects through it instead.
  const { proxyUrl: _proxy, ...reached } = cluster;
  config.loadFromClusterAndUser({ ...reached, skipTLSVerify }, { ...user, password: user.password ?? '' });
  return config;
}

/** Long enough for a token from a cloud, short enough that a plugin that waits for ever is noticed. */
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
  if (authorization === undefined && tls.cert === undefined) refuseNothing(user);
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
    `The kubeconfig's login gave no credentials within ${LOGIN_LIMIT_MS / 1000} s: run it by hand to see what it waits for.`,
  );
  const timer = setTimeout(() => reject(silent), LOGIN_LIMIT_MS);
  try {
    await Promise.race([login, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function authorizationOf({ auth, headers }: RequestOptions & { headers: Record<string, string> }): string | undefined {
  // Files end with a newline, which must not be in a header.
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

/** A login that gave nothing must not pass for none: the server would only say that it does not know who is asking. */
function refuseNothing(user: User): void {
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
    throw new CredentialError(
      'The kubeconfig has no id-token that is still good, nor all it takes to renew it: log in again.',
    );
  }
}
