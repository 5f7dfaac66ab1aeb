/** GCS fault tolerance with a user's Redis: the head's connection, and the namespace of its data. */
import type { EnvVar, RayRedisCredential } from '@muster/job-api';
import { headGroup, type ClusterModel } from '../model/ray-cluster-model.ts';
import { RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { gcsBackend } from './gcs-backend.ts';

/** Expanded by the shell of the Ray container, so that the password is in no command. */
export function redisStartParams(cluster: ClusterModel): Readonly<Record<string, string>> {
  const { redisUsername, redisPassword } = cluster.spec.gcsFaultToleranceOptions ?? {};
  if (gcsBackend(cluster) !== 'redis') return {};
  return {
    ...(redisUsername && { 'redis-username': '"$REDIS_USERNAME"' }),
    ...(redisPassword && { 'redis-password': '"$REDIS_PASSWORD"' }),
  };
}

/** Default: the cluster's UID, so that no other cluster uses the data. */
export function externalStorageNamespace({ spec, annotations, uid }: ClusterModel): string {
  const byOption = spec.gcsFaultToleranceOptions?.externalStorageNamespace;
  if (byOption !== undefined && byOption !== '') return byOption;
  return annotations[RAY_ANNOTATIONS.externalStorageNamespace] ?? uid;
}

/**
 * Without variables in `users`. With fault tolerance by annotation, the template has address and password; a password
 * in `rayStartParams` is repeated for the clean-up.
 */
export function redisEnv(cluster: ClusterModel, users: readonly EnvVar[]): EnvVar[] {
  const options = cluster.spec.gcsFaultToleranceOptions;
  const has = (name: string) => users.some((variable) => variable.name === name);
  const namespace = has('RAY_external_storage_namespace')
    ? []
    : [{ name: 'RAY_external_storage_namespace', value: externalStorageNamespace(cluster) }];
  if (options === undefined) {
    const password = headGroup(cluster).spec.rayStartParams?.['redis-password'];
    const repeats = password !== undefined && !has('REDIS_PASSWORD');
    return [...namespace, ...(repeats ? [{ name: 'REDIS_PASSWORD', value: password }] : [])];
  }
  return [
    ...namespace,
    { name: 'RAY_REDIS_ADDRESS', value: options.redisAddress ?? '' },
    ...credentialEnv('REDIS_USERNAME', options.redisUsername),
    ...credentialEnv('REDIS_PASSWORD', options.redisPassword),
  ];
}

function credentialEnv(name: string, credential: RayRedisCredential | undefined): EnvVar[] {
  return credential === undefined ? [] : [{ name, ...credential }];
}
