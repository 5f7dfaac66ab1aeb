import type { Container, KubeObject, PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf, headOf, templateSpec, workersOf } from '../../test-support/cluster-models.ts';
import { rayPodSpec } from '../pods/ray-pod.ts';
import { authKind, authSecrets, tokenSecretName } from './token-auth.ts';

type Given = Parameters<typeof clusterOf>[0];

const withAuth = (authOptions: object, given: Given = {}) =>
  clusterOf({ ...given, spec: { authOptions, ...given?.spec } });

describe('the authentication kind', () => {
  it.each<[string, Given, ReturnType<typeof authKind>]>([
    ['none by default', {}, undefined],
    ['none if disabled', { spec: { authOptions: { mode: 'disabled' } } }, undefined],
    ['a token with authOptions', { spec: { authOptions: {} } }, 'token'],
    ['a ServiceAccount', { spec: { authOptions: { enableK8sTokenAuth: true } } }, 'serviceAccount'],
  ])('%s', (_case, given, kind) => {
    expect(authKind(clusterOf(given))).toBe(kind);
  });
});

describe('the Secret with the token', () => {
  const complete = (name?: string): KubeObject & { data?: Record<string, string> } => {
    const [secret] = authSecrets(withAuth({}, name === undefined ? {} : { name }));
    return secret!.complete(secret!.object);
  };

  it("is Muster’s own, with the cluster's name and 32 random bytes", () => {
    const { data, metadata } = complete('x'.repeat(53));
    expect(metadata?.name).toBe('x'.repeat(50));
    const token = Buffer.from(data!['auth_token']!, 'base64').toString();
    expect(Buffer.from(token, 'base64')).toHaveLength(32);
    expect(complete().data).not.toEqual(complete().data);
  });

  it('is not part of a plan', () => {
    expect(authSecrets(withAuth({}))[0]?.object).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: {
        name: 'demo',
        labels: {
          'ray.io/cluster': 'demo',
          'app.kubernetes.io/name': 'kuberay',
          'app.kubernetes.io/created-by': 'kuberay-operator',
          'app.kubernetes.io/managed-by': 'muster',
        },
      },
    });
  });

  it('is reused while it has a token', () => {
    const [secret] = authSecrets(withAuth({}));
    expect(secret!.serves({ data: { auth_token: 'YQ==' } } as KubeObject)).toBe(true);
    expect(secret!.serves({ data: { auth_token: '' } } as KubeObject)).toBe(false);
    expect(secret!.serves({})).toBe(false);
  });

  it('is not created if the user names one, or tokens are those of ServiceAccounts', () => {
    expect(authSecrets(withAuth({ secretName: 'mine' }))).toEqual([]);
    expect(tokenSecretName(withAuth({ secretName: 'mine' }))).toBe('mine');
    expect(authSecrets(withAuth({ enableK8sTokenAuth: true }))).toEqual([]);
    expect(tokenSecretName(withAuth({ enableK8sTokenAuth: true }))).toBeUndefined();
    expect(authSecrets(clusterOf())).toEqual([]);
  });
});

/** All containers of head and workers that connect to Ray. */
function speakers(given: object, more: Given = {}): { containers: Container[]; pods: PodSpec[] } {
  const cluster = withAuth(given, { ...more, spec: { enableInTreeAutoscaling: true, ...more?.spec } });
  const head = rayPodSpec(cluster, headOf(cluster), templateSpec(headOf(cluster)));
  const worker = rayPodSpec(cluster, workersOf(cluster), templateSpec(workersOf(cluster)));
  return {
    containers: [...head.containers, ...worker.containers, ...(worker.initContainers ?? [])],
    pods: [head, worker],
  };
}

const authEnv = ({ env = [] }: Container) =>
  env.filter(({ name }) => name.startsWith('RAY_AUTH') || name === 'RAY_ENABLE_K8S_TOKEN_AUTH');

describe('containers that connect to Ray', () => {
  it('are the Ray containers, the autoscaler and the init container that waits', () => {
    expect(speakers({}).containers.map(({ name }) => name)).toEqual([
      'ray-head',
      'autoscaler',
      'ray-worker',
      'wait-gcs-ready',
    ]);
  });

  it.each(['demo', 'mine'])('have the token of the Secret %s', (name) => {
    for (const container of speakers(name === 'mine' ? { secretName: 'mine' } : {}).containers) {
      expect(authEnv(container)).toEqual([
        { name: 'RAY_AUTH_MODE', value: 'token' },
        { name: 'RAY_AUTH_TOKEN', valueFrom: { secretKeyRef: { name, key: 'auth_token' } } },
      ]);
    }
  });

  it('have the token of their ServiceAccount', () => {
    const { containers, pods } = speakers({ enableK8sTokenAuth: true });
    for (const container of containers) {
      expect(authEnv(container)).toEqual([
        { name: 'RAY_AUTH_MODE', value: 'token' },
        { name: 'RAY_ENABLE_K8S_TOKEN_AUTH', value: 'true' },
      ]);
      expect(container.volumeMounts).toContainEqual({
        name: 'ray-token',
        mountPath: '/var/run/secrets/ray.io/serviceaccount',
        readOnly: true,
      });
    }
    for (const { volumes } of pods) {
      expect(volumes).toContainEqual({
        name: 'ray-token',
        projected: { sources: [{ serviceAccountToken: { path: 'token' } }] },
      });
    }
  });

  it('keep the variables that the user has set', () => {
    const env = [{ name: 'RAY_AUTH_TOKEN', value: 'own' }];
    const { containers } = speakers({}, { workerContainer: { env } });
    expect(authEnv(containers[2]!)).toEqual([...env, { name: 'RAY_AUTH_MODE', value: 'token' }]);
  });

  it('include the submitter of a RayJob in the head’s pod, and no other sidecar', () => {
    const cluster = withAuth({});
    const spec = {
      containers: [
        { name: 'ray', image: 'a:1' },
        { name: 'ray-job-submitter', image: 'a:1' },
        { name: 'logs', image: 'a:1' },
      ],
    };
    const pod = rayPodSpec(cluster, headOf(cluster), spec);
    expect(pod.containers.map((container) => authEnv(container).length)).toEqual([2, 2, 0]);
  });
});
