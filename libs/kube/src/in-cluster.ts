/** Access with the pod's ServiceAccount. Operators use it, so it does not load what reads kubeconfig files. */
import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import type { ClusterAccess, Credentials, TlsOptions } from './cluster-access.ts';
import { CredentialError } from './credential-error.ts';
import { createRefreshing } from './refreshing.ts';

export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** @param root mount path of the pod's file system */
export function loadInCluster(root = ''): ClusterAccess {
  const folder = `${root}${SERVICE_ACCOUNT}`;
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  let tls: TlsOptions = {};
  const applied = createRefreshing<{ headers: Credentials; tls: TlsOptions }>(() =>
    // A promise, so that a missing file is an error of each request until it exists.
    Promise.resolve().then(() => {
      const ca = read(`${folder}/ca.crt`);
      // Callers compare by identity.
      if (tls.ca !== ca) tls = { ca };
      const headers = { authorization: `Bearer ${token(`${folder}/token`)}` };
      return { headers, tls };
    }),
  );
  const namespaceFile = `${folder}/namespace`;
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    namespace: existsSync(namespaceFile) ? read(namespaceFile).trim() : 'default',
    isInCluster: true,
    tls: async () => (await applied.get()).tls,
    headers: async () => (await applied.get()).headers,
    refresh: () => applied.forget(),
  };
}

function token(file: string): string {
  const text = read(file).trim();
  if (text === '') throw new CredentialError(`The token file "${file}" is empty: write the token into it.`);
  return text;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CredentialError(
      `The pod's ServiceAccount lacks "${file}" (${code}): set automountServiceAccountToken: true in the pod.`,
      { cause },
    );
  }
}
