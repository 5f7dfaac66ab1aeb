/** GCS fault tolerance with a Redis of the user's: how the head reaches it, and under which name its data stands there. */
import type { EnvVar, RayRedisCredential } from '@muster/job-api';
import { headGroup, type ClusterModel } from '../model/ray-cluster-model.ts';
import { RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { gcsBackend } from './gcs-backend.ts';

/** By the shell of the Ray container, so that the password stands in no command. */
export function redisStartParams(cluster: ClusterModel): Readonly<Record<string, string>> {
  const { redisUsername, redisPassword } = cluster.spec.gcsFaultToleranceOptions ?? {};
  if (gcsBackend(cluster) !== 'redis') return {};
  return {
    ...(redisUsername && { 'redis-username': '"$REDIS_USERNAME"' }),
    ...(redisPassword && { 'redis-password': '"$REDIS_PASSWORD"' }),
  };
}

/** The name under which the cluster's data stands in Redis. Default: its UID, so no other cluster goes on with it. */
export function externalStorageNamespace({ spec, annotations, uid }: ClusterModel): string {
  const byOption = spec.gcsFaultToleranceOptions?.externalStorageNamespace;
  if (byOption !== undefined && byOption !== '') return byOption;
  return annotations[RAY_ANNOTATIONS.externalStorageNamespace] ?? uid;
}

/**
 * What the head's Ray container is told, without what `users` have set already. Where fault tolerance is asked for by annotation,
 * address and password stand in the template; a password among `rayStartParams` is repeated for the clean-up.
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
