import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject, Resource } from '@muster/job-api';
import { testCluster } from '@muster/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { ClusterAccess } from './cluster-access.ts';
import { createKubeClient } from './http-client.ts';
import { loadCluster } from './kube-config.ts';

interface SelfSubjectReview extends KubeObject {
  status?: { userInfo?: { username?: string } };
}

interface TokenRequest extends KubeObject {
  spec: { expirationSeconds: number };
  status?: { token: string };
}

const SELF_SUBJECT_REVIEWS: Resource<SelfSubjectReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
};

const cluster = await testCluster();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function whoIs(access: ClusterAccess): Promise<string | undefined> {
  const client = createKubeClient(access, { userAgent: 'spec/1' });
  onTestFinished(() => client.close());
  return (await client.create(SELF_SUBJECT_REVIEWS, {})).status?.userInfo?.username;
}

async function accessAs(user: object): Promise<ClusterAccess> {
  const kubeconfig = join(folder, 'config');
  const trusting = { server: cluster.access.server, 'insecure-skip-tls-verify': true };
  const content = {
    clusters: [{ name: 'c', cluster: trusting }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user }],
    'current-context': 'x',
  };
  await writeFile(kubeconfig, stringify(content));
  return loadCluster({ kubeconfig });
}

async function serviceAccountToken(namespace: string): Promise<string> {
  const tokens: Resource<TokenRequest> = {
    group: '',
    version: 'v1',
    kind: 'TokenRequest',
    plural: 'serviceaccounts/default/token',
    namespaced: true,
  };
  const apiVersion = 'authentication.k8s.io/v1';
  const request: TokenRequest = { apiVersion, metadata: { namespace }, spec: { expirationSeconds: 600 } };
  return (await cluster.client.create(tokens, request)).status?.token ?? '';
}

describe('credentials, on a real API server', () => {
  it('follow the rotation of a ServiceAccount token file', async () => {
    const namespace = await cluster.namespace();
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'this-one-is-not-valid');
    const access = await accessAs({ tokenFile });
    await expect(whoIs(access)).rejects.toMatchObject({ code: 401, reason: 'Unauthorized' });

    // The client still has the old one in memory when the server refuses it.
    await writeFile(tokenFile, await serviceAccountToken(namespace));
    expect(await whoIs(access)).toBe(`system:serviceaccount:${namespace}:default`);
  });

  it('run a credential plugin again when its token has expired', async () => {
    const namespace = await cluster.namespace();
    await writeFile(join(folder, 'good'), await serviceAccountToken(namespace));
    const script = `
      if [ -e ${folder}/ran ]; then token=$(cat ${folder}/good); else token=old; touch ${folder}/ran; fi
      echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"$token\\"}}"`;
    const access = await accessAs({ exec: { command: 'sh', args: ['-c', script], interactiveMode: 'Never' } });
    expect(await whoIs(access)).toBe(`system:serviceaccount:${namespace}:default`);
  });

  it('fail before a request is sent when the plugin fails', async () => {
    const access = await accessAs({ exec: { command: 'sh', args: ['-c', 'echo "log in first" >&2; exit 1'] } });
    await expect(whoIs(access)).rejects.toMatchObject({
      reason: 'Unauthorized',
      message:
        'create selfsubjectreviews.authentication.k8s.io: Credential plugin "sh" failed: log in first. Run it by hand to log in.',
    });
  });

  it('impersonate a user', async () => {
    const headers = {
      ...(await cluster.access.headers()),
      'impersonate-user': 'jane',
      'impersonate-group': ['a', 'b'],
    };
    expect(await whoIs({ ...cluster.access, headers: () => Promise.resolve(headers) })).toBe('jane');
  });
});
