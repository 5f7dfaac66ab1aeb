import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { KeyPair } from './pki.ts';

export interface KubeconfigSource {
  clusterName: string;
  server: string;
  /** PEM texts. */
  authority: string;
  certificate: string;
  key: string;
}

/** A self-contained kubeconfig: it includes authority, certificate and key, and the server's identity is verified. */
export function desiredKubeconfig(source: KubeconfigSource): object {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const context = source.clusterName;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: context, cluster: { server: source.server, 'certificate-authority-data': base64(source.authority) } },
    ],
    users: [
      {
        name: context,
        user: { 'client-certificate-data': base64(source.certificate), 'client-key-data': base64(source.key) },
      },
    ],
    contexts: [{ name: context, context: { cluster: context, user: context } }],
    'current-context': context,
  };
}

export interface KubeconfigTarget {
  clusterName: string;
  server: string;
  authorityFile: string;
}

/** Writes the kubeconfig of one user; only its owner may read it. Returns the path. */
export function writeKubeconfig(file: string, target: KubeconfigTarget, user: KeyPair): string {
  const source = {
    clusterName: target.clusterName,
    server: target.server,
    authority: readFileSync(target.authorityFile, 'utf8'),
    certificate: readFileSync(user.certificate, 'utf8'),
    key: readFileSync(user.key, 'utf8'),
  };
  writeFileSync(file, stringify(desiredKubeconfig(source)), { mode: 0o600 });
  return file;
}
