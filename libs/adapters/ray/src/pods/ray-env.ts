/**
 * The environment of a Ray container, in KubeRay's order. The variables by which Ray and its autoscaler identify pod
 * and cluster come last, so they override the user's; all others do not.
 */
import type { Container, EnvVar } from '@muster/job-api';
import { AUTOSCALER_V2_ENV, autoscalerVersion } from '../autoscaler/autoscaler-version.ts';
import { gcsBackend } from '../fault-tolerance/gcs-backend.ts';
import { redisEnv } from '../fault-tolerance/redis.ts';
import { rocksdbEnv } from '../fault-tolerance/rocksdb.ts';
import { headAddress, headServiceName } from '../model/names.ts';
import { gcsPort } from '../model/ports.ts';
import type { ClusterModel, RayGroup } from '../model/ray-cluster-model.ts';
import { isOfService, KUBERAY_VERSION, RAY_LABELS } from '../model/ray-labels.ts';
import { rayStartCommand } from './start-command.ts';

/** Variables of the cluster's features, after the user's own. */
export function withFeatureEnv(cluster: ClusterModel, group: RayGroup, container: Container): Container {
  const users = container.env ?? [];
  return {
    ...container,
    env: [...users, ...autoscalerEnv(cluster, group, users), ...faultToleranceEnv(cluster, group, users)],
  };
}

/** Variables of every Ray container whose resources are those of the pod. */
export function withRayEnv(cluster: ClusterModel, group: RayGroup, container: Container): Container {
  const users = container.env ?? [];
  const head = `${headAddress(cluster)}:${gcsPort(cluster)}`;
  const env: EnvVar[] = [
    ...(group.kind === 'worker' ? headEnv(cluster) : []),
    byField('RAY_CLUSTER_NAME', `metadata.labels['${RAY_LABELS.cluster}']`),
    byField('RAY_CLUSTER_NAMESPACE', 'metadata.namespace'),
    byField('RAY_CLOUD_INSTANCE_ID', 'metadata.name'),
    byField('RAY_NODE_TYPE_NAME', `metadata.labels['${RAY_LABELS.group}']`),
    { name: 'KUBERAY_GEN_RAY_START_CMD', value: rayStartCommand(cluster, group, container) },
    ...unless(users, { name: 'RAY_PORT', value: gcsPort(cluster) }),
    ...unless(users, { name: 'RAY_ADDRESS', value: group.kind === 'head' ? `127.0.0.1:${gcsPort(cluster)}` : head }),
    ...unless(users, { name: 'RAY_USAGE_STATS_KUBERAY_IN_USE', value: '1' }),
    ...(group.kind === 'head' ? [{ name: 'RAY_USAGE_STATS_EXTRA_TAGS', value: usageTags(cluster) }] : []),
    ...unless(users, { name: 'RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE', value: '1' }),
    ...(isOfService(cluster) ? SERVE_ENV.flatMap((variable) => unless(users, variable)) : []),
  ];
  return { ...container, env: [...users, ...env] };
}

/** KubeRay's limits for a cluster that serves: a lost head is noticed within seconds. */
const SERVE_ENV: readonly EnvVar[] = [
  { name: 'RAY_timeout_ms_task_wait_for_death_info', value: '0' },
  { name: 'RAY_gcs_server_request_timeout_seconds', value: '5' },
  { name: 'RAY_SERVE_KV_TIMEOUT_S', value: '5' },
];

/** The head's address, also for the init containers of every pod. */
export function headEnv(cluster: ClusterModel): EnvVar[] {
  return [
    { name: 'FQ_RAY_IP', value: headAddress(cluster) },
    { name: 'RAY_IP', value: headServiceName(cluster) },
  ];
}

export function byField(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

function autoscalerEnv(cluster: ClusterModel, group: RayGroup, users: readonly EnvVar[]): EnvVar[] {
  const version = autoscalerVersion(cluster);
  if (group.kind !== 'head' || version === undefined) return [];
  return unless(users, { name: AUTOSCALER_V2_ENV, value: String(version === 'v2') });
}

/** Seconds that a worker waits for a recreated head: its start may take minutes, and Ray's own limit is one. */
const RECONNECT_TIMEOUT = { name: 'RAY_gcs_rpc_server_reconnect_timeout_s', value: '600' };

function faultToleranceEnv(cluster: ClusterModel, group: RayGroup, users: readonly EnvVar[]): EnvVar[] {
  const backend = gcsBackend(cluster);
  if (backend === undefined) return [];
  if (group.kind === 'worker') return unless(users, RECONNECT_TIMEOUT);
  return backend === 'redis' ? redisEnv(cluster, users) : rocksdbEnv();
}

function usageTags({ labels }: ClusterModel): string {
  return `kuberay_version=${KUBERAY_VERSION};kuberay_crd=${labels[RAY_LABELS.originKind] ?? 'RayCluster'}`;
}

function unless(users: readonly EnvVar[], variable: EnvVar): EnvVar[] {
  return users.some(({ name }) => name === variable.name) ? [] : [variable];
}
