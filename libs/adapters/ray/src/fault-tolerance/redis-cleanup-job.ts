/** The Job that deletes a deleted cluster's data in Redis, with the head's image and connection. */
import { IGNORE_DISRUPTIONS } from '@muster/common-job-controller';
import type { Container, Job, PodSpec } from '@muster/job-api';
import { redisCleanupName } from '../model/names.ts';
import { headGroup, rayContainerOf, type ClusterModel } from '../model/ray-cluster-model.ts';
import { podLabels, RAY_LABELS, REDIS_CLEANUP } from '../model/ray-labels.ts';
import { headEnv } from '../pods/ray-env.ts';
import { redisEnv } from './redis.ts';

const DEADLINE_SECONDS = 300;

/** Small and fixed, without a GPU. */
const AMOUNTS = { cpu: '200m', memory: '256Mi' };

/** A minute for Redis to answer. */
const SILENCE_LIMIT = [
  { name: 'RAY_redis_db_connect_retries', value: '120' },
  { name: 'RAY_redis_db_connect_wait_milliseconds', value: '500' },
];

/** One try, of at most five minutes: data that is left does no harm. Undefined if the head has no container. */
export function redisCleanupJob(cluster: ClusterModel): Job | undefined {
  const { template } = cluster.spec.headGroupSpec;
  const ray = rayContainerOf(template);
  if (ray === undefined || template.spec === undefined) return undefined;
  const labels = { ...podLabels(cluster, headGroup(cluster)), [RAY_LABELS.nodeType]: REDIS_CLEANUP };
  const { annotations } = template.metadata ?? {};
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: redisCleanupName(cluster), namespace: cluster.namespace, labels },
    spec: {
      backoffLimit: 0,
      podFailurePolicy: { rules: [IGNORE_DISRUPTIONS] },
      activeDeadlineSeconds: DEADLINE_SECONDS,
      template: {
        metadata: { labels, ...(annotations && { annotations }) },
        spec: podSpec(cluster, template.spec, ray),
      },
    },
  };
}

/** Without the cluster's token or the autoscaler's account: a foreground deletion has deleted them already. */
function podSpec(cluster: ClusterModel, spec: PodSpec, ray: Container): PodSpec {
  const { livenessProbe: _liveness, readinessProbe: _readiness, startupProbe: _startup, ...container } = ray;
  const { lifecycle: _lifecycle, ports: _ports, ...rest } = container;
  const users = ray.env ?? [];
  const inits = spec.initContainers?.map((init) => ({ ...init, env: [...(init.env ?? []), ...headEnv(cluster)] }));
  return {
    ...spec,
    restartPolicy: 'Never',
    ...(inits && { initContainers: inits }),
    containers: [
      {
        ...rest,
        command: ['/bin/bash', '-c', '--'],
        args: [`exec "$(command -v python3 || command -v python)" -c "$MUSTER_CLEAN_UP"`],
        env: [...users, ...redisEnv(cluster, users), ...SILENCE_LIMIT, { name: 'MUSTER_CLEAN_UP', value: CLEAN_UP }],
        resources: { limits: AMOUNTS, requests: AMOUNTS },
      },
    ],
  };
}

/** Uses the first of several addresses, as Ray does. Ray before 2.41 has no username parameter. */
const CLEAN_UP = `import os, sys
from urllib.parse import urlparse
from ray._private.gcs_utils import cleanup_redis_storage

first = os.environ["RAY_REDIS_ADDRESS"].split(",")[0]
address = urlparse(first if "://" in first else "redis://" + first)
username = os.environ.get("REDIS_USERNAME") or address.username
namespace = os.environ["RAY_external_storage_namespace"]
done = cleanup_redis_storage(
    host=address.hostname,
    port=address.port or 6379,
    password=os.environ.get("REDIS_PASSWORD") or address.password or "",
    use_ssl=address.scheme == "rediss",
    storage_namespace=namespace,
    **({"username": username} if username else {}),
)
what = f"the data of {namespace} in Redis at {address.hostname}"
sys.exit(0 if done else f"could not delete {what}: delete the keys RAY{namespace}@* by hand")
`;
