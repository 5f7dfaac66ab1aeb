/**
 * From a cluster and a user, in kubeconfig's words, to a `ClusterAccess` whose credentials stay fresh: token files and
 * certificate files are read again now and then, credential plugins are run again when their token runs out, and all of
 * it at once after a 401.
 */
import { readFile } from 'node:fs/promises';
import type { ClusterAccess, Credentials, TlsOptions } from './cluster-access.ts';
import { CredentialError } from './credential-error.ts';
import { type ExecCredential, type ExecPlugin, runExecPlugin } from './exec-plugin.ts';
import { createRefreshing, type Refreshing } from './refreshing.ts';

/** A cluster as it stands in a kubeconfig; file names are absolute. */
export interface KubeConfigCluster {
  server?: string;
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'tls-server-name'?: string;
  'proxy-url'?: string;
}

/** A user as it stands in a kubeconfig; file names are absolute. */
export interface KubeConfigUser {
  token?: string;
  tokenFile?: string;
  'client-certificate'?: string;
  'client-certificate-data'?: string;
  'client-key'?: string;
  'client-key-data'?: string;
  username?: string;
  password?: string;
  exec?: ExecPlugin;
  'auth-provider'?: { name?: string };
  as?: string;
  'as-uid'?: string;
  'as-groups'?: string[];
  'as-user-extra'?: Record<string, string[]>;
}

/** A projected token lives for an hour and is replaced minutes before its end. */
const TOKEN_FILE_MS = 10_000;

const TLS_FILES_MS = 60_000;

/** A token is replaced before it runs out on its way. */
const EXPIRY_MARGIN_MS = 10_000;

export function createClusterAccess(
  server: string,
  namespace: string,
  cluster: KubeConfigCluster,
  user: KubeConfigUser,
  nowMs: () => number = Date.now,
): ClusterAccess {
  const plugin = user.exec === undefined ? undefined : createPluginCredential(user.exec, cluster, nowMs);
  const token = createTokenSource(user, plugin, nowMs);
  const tls = createTlsSource(cluster, user, plugin, nowMs);
  const impersonation = impersonationHeaders(user);
  return {
    server,
    namespace,
    tls: () => tls.get(),
    async headers() {
      const authorization = await token();
      return authorization === undefined ? impersonation : { ...impersonation, authorization };
    },
    refresh() {
      plugin?.forget();
      token.forget();
      tls.forget();
    },
  };
}

function createPluginCredential(
  exec: ExecPlugin,
  cluster: KubeConfigCluster,
  nowMs: () => number,
): Refreshing<ExecCredential> {
  return createRefreshing(async () => {
    const value = await runExecPlugin(exec, cluster);
    const expiry = value.expirationTimestamp === undefined ? NaN : Date.parse(value.expirationTimestamp);
    // Without an end it is good until the server refuses it.
    return { value, validUntilMs: Number.isNaN(expiry) ? Number.MAX_VALUE : expiry - EXPIRY_MARGIN_MS };
  }, nowMs);
}

/** The `authorization` header; where a user has several kinds of credentials, kubectl's order decides. */
function createTokenSource(
  user: KubeConfigUser,
  plugin: Refreshing<ExecCredential> | undefined,
  nowMs: () => number,
): (() => Promise<string | undefined>) & { forget(): void } {
  const nothing = (): void => undefined;
  const { tokenFile, token, username, password } = user;
  if (tokenFile !== undefined) {
    const file = createRefreshing(async () => {
      const value = await readCredentialFile(tokenFile, 'token file');
      if (value.trim() === '')
        throw new CredentialError(`The token file "${tokenFile}" is empty: write the token into it.`);
      return { value: `Bearer ${value.trim()}`, validUntilMs: nowMs() + TOKEN_FILE_MS };
    }, nowMs);
    return Object.assign(() => file.get(), { forget: () => file.forget() });
  }
  if (token !== undefined) return Object.assign(() => Promise.resolve(`Bearer ${token}`), { forget: nothing });
  if (username !== undefined) {
    const basic = `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
    return Object.assign(() => Promise.resolve(basic), { forget: nothing });
  }
  const fromPlugin = async (): Promise<string | undefined> => {
    const credential = await plugin?.get();
    return credential?.token === undefined ? undefined : `Bearer ${credential.token}`;
  };
  return Object.assign(fromPlugin, { forget: nothing });
}

function createTlsSource(
  cluster: KubeConfigCluster,
  user: KubeConfigUser,
  plugin: Refreshing<ExecCredential> | undefined,
  nowMs: () => number,
): Refreshing<TlsOptions> {
  let last: TlsOptions = {};
  return createRefreshing(async () => {
    const issued = await plugin?.get();
    const ca = await pem(cluster, 'certificate-authority');
    const cert = issued?.clientCertificateData ?? (await pem(user, 'client-certificate'));
    const key = issued?.clientKeyData ?? (await pem(user, 'client-key'));
    const servername = cluster['tls-server-name'];
    const tls: TlsOptions = {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
      ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
      ...(servername === undefined ? {} : { servername }),
    };
    // The same object says that nothing changed.
    if (JSON.stringify(tls) !== JSON.stringify(last)) last = tls;
    return { value: last, validUntilMs: nowMs() + TLS_FILES_MS };
  }, nowMs);
}

type PemField = 'certificate-authority' | 'client-certificate' | 'client-key';

/** From base64 in the kubeconfig, which counts first, or from a file. */
async function pem<F extends PemField>(
  from: { readonly [K in F | `${F}-data`]?: string },
  field: F,
): Promise<string | undefined> {
  const data: string | undefined = from[`${field}-data`];
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const file: string | undefined = from[field];
  return file === undefined || file === '' ? undefined : readCredentialFile(file, field);
}

async function readCredentialFile(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new CredentialError(
      `The ${what} "${file}" cannot be read (${code}): correct the kubeconfig or restore the file.`,
      {
        cause,
      },
    );
  }
}

function impersonationHeaders(user: KubeConfigUser): Credentials {
  const headers: Credentials = {};
  if (user.as !== undefined) headers['impersonate-user'] = user.as;
  if (user['as-uid'] !== undefined) headers['impersonate-uid'] = user['as-uid'];
  if (user['as-groups'] !== undefined) headers['impersonate-group'] = user['as-groups'];
  for (const [key, values] of Object.entries(user['as-user-extra'] ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
  }
  return headers;
}
