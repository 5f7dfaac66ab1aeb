/** Token authentication: clients of Ray send the cluster's token from a Secret, or that of a ServiceAccount. */
import { randomBytes } from 'node:crypto';
import type { EnsuredObject } from '@muster/common-job-controller';
import { SECRETS, type Container, type EnvVar, type PodSpec, type Secret } from '@muster/job-api';
import { withVolume } from '../pods/volumes.ts';
import { authSecretName } from '../model/names.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { clusterLabels } from '../model/ray-labels.ts';

export const AUTH_TOKEN_KEY = 'auth_token';

const TOKEN_BYTES = 32;

/** Mount path of a ServiceAccount's token. */
const TOKEN_VOLUME = 'ray-token';
const TOKEN_FOLDER = '/var/run/secrets/ray.io/serviceaccount';

/** Undefined: anyone who reaches Ray can run any code. */
export function authKind({ spec }: ClusterModel): 'token' | 'serviceAccount' | undefined {
  if (spec.authOptions === undefined || spec.authOptions.mode === 'disabled') return undefined;
  return spec.authOptions.enableK8sTokenAuth === true ? 'serviceAccount' : 'token';
}

/** The Secret with the cluster's token, of Muster or the user; undefined without one. */
export function tokenSecretName(cluster: ClusterModel): string | undefined {
  if (authKind(cluster) !== 'token') return undefined;
  const { secretName = '' } = cluster.spec.authOptions ?? {};
  return secretName === '' ? authSecretName(cluster) : secretName;
}

/** Created once if the user names none, and never changed, because running pods use it. */
export function authSecrets(cluster: ClusterModel): readonly EnsuredObject[] {
  const { secretName = '' } = cluster.spec.authOptions ?? {};
  if (authKind(cluster) !== 'token' || secretName !== '') return [];
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: authSecretName(cluster), labels: clusterLabels(cluster) },
    type: 'Opaque',
  };
  return [
    {
      resource: SECRETS,
      object,
      complete: (whole) => ({ ...whole, data: { [AUTH_TOKEN_KEY]: inBase64(newToken()) } }),
      serves: ({ data }: Secret) => (data?.[AUTH_TOKEN_KEY] ?? '') !== '',
    },
  ];
}

/** Keeps variables that the user has set. */
export function withToken(cluster: ClusterModel, container: Container): Container {
  const kind = authKind(cluster);
  if (kind === undefined) return container;
  const users = new Set(container.env?.map(({ name }) => name));
  const env = [...(container.env ?? []), ...tokenEnv(cluster).filter(({ name }) => !users.has(name))];
  const mounts = container.volumeMounts ?? [];
  if (kind === 'token' || mounts.some(({ name }) => name === TOKEN_VOLUME)) return { ...container, env };
  const mount = { name: TOKEN_VOLUME, mountPath: TOKEN_FOLDER, readOnly: true };
  return { ...container, env, volumeMounts: [...mounts, mount] };
}

/** Adds the volume that {@link withToken} mounts. */
export function withTokenVolume(cluster: ClusterModel, spec: PodSpec): PodSpec {
  if (authKind(cluster) !== 'serviceAccount') return spec;
  const projected = { sources: [{ serviceAccountToken: { path: 'token' } }] };
  return withVolume(spec, { name: TOKEN_VOLUME, projected });
}

function tokenEnv(cluster: ClusterModel): EnvVar[] {
  const mode = { name: 'RAY_AUTH_MODE', value: 'token' };
  const name = tokenSecretName(cluster);
  if (name === undefined) return [mode, { name: 'RAY_ENABLE_K8S_TOKEN_AUTH', value: 'true' }];
  return [mode, { name: 'RAY_AUTH_TOKEN', valueFrom: { secretKeyRef: { name, key: AUTH_TOKEN_KEY } } }];
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64');
}

function inBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
