import { spawnSync } from 'node:child_process';
import type { Container, PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf, HEAD_CONTAINER } from '../../test-support/cluster-models.ts';
import { redisCleanupTimeoutMs } from '../model/cluster-annotations.ts';
import { gcsBackend } from './gcs-backend.ts';
import { externalStorageNamespace } from './redis.ts';
import { redisCleanupJob } from './redis-cleanup-job.ts';
import { gcsClaim, retainsGcsClaim } from './rocksdb.ts';

type Given = Parameters<typeof clusterOf>[0];

const REDIS = { redisAddress: 'redis:6379', redisPassword: { value: 'secret' } };
const LABELS = {
  'ray.io/cluster': 'demo',
  'app.kubernetes.io/name': 'kuberay',
  'app.kubernetes.io/created-by': 'kuberay-operator',
  'app.kubernetes.io/managed-by': 'muster',
};

describe('the storage of the GCS', () => {
  it.each<[string, Given, ReturnType<typeof gcsBackend>]>([
    ['nowhere', {}, undefined],
    ['none if the annotation is false', { annotations: { 'ray.io/ft-enabled': 'false' } }, undefined],
    ['in Redis by annotation', { annotations: { 'ray.io/ft-enabled': 'True' } }, 'redis'],
    ['in Redis by options', { spec: { gcsFaultToleranceOptions: REDIS } }, 'redis'],
    ['on a volume', { spec: { gcsFaultToleranceOptions: { backend: 'rocksdb' } } }, 'rocksdb'],
  ])('%s', (_case, given, backend) => {
    expect(gcsBackend(clusterOf(given))).toBe(backend);
  });

  it.each<[string, Given, string]>([
    ['its UID', {}, 'uid-1'],
    ['its annotation', { annotations: { 'ray.io/external-storage-namespace': 'a' } }, 'a'],
    [
      'its options, which override the annotation',
      {
        annotations: { 'ray.io/external-storage-namespace': 'a' },
        spec: { gcsFaultToleranceOptions: { ...REDIS, externalStorageNamespace: 'b' } },
      },
      'b',
    ],
  ])('in Redis by %s', (_case, given, name) => {
    expect(externalStorageNamespace(clusterOf(given))).toBe(name);
  });
});

describe('the claim for RocksDB', () => {
  const claimOf = (storage?: object) =>
    gcsClaim(clusterOf({ spec: { gcsFaultToleranceOptions: { backend: 'rocksdb', ...(storage && { storage }) } } }));

  it('is small and for one node', () => {
    expect(claimOf()).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'demo-gcs-pvc', namespace: 'team', labels: LABELS },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  });

  it('has the given size and class', () => {
    const storage = { size: '5Gi', storageClassName: 'fast', accessModes: ['ReadWriteOncePod'] };
    expect(claimOf(storage)?.spec).toEqual({
      storageClassName: 'fast',
      accessModes: ['ReadWriteOncePod'],
      resources: { requests: { storage: '5Gi' } },
    });
  });

  it('is not created if the user names one, or with Redis', () => {
    expect(claimOf({ claimName: 'mine' })).toBeUndefined();
    expect(gcsClaim(clusterOf({ spec: { gcsFaultToleranceOptions: REDIS } }))).toBeUndefined();
    expect(gcsClaim(clusterOf())).toBeUndefined();
  });

  it.each([
    [undefined, false],
    ['DeleteWithCluster', false],
    ['Retain', true],
  ] as const)('with the policy %s, is kept: %s', (deletionPolicy, stays) => {
    const storage = deletionPolicy === undefined ? {} : { deletionPolicy };
    const cluster = clusterOf({ spec: { gcsFaultToleranceOptions: { backend: 'rocksdb', storage } } });
    expect(retainsGcsClaim(cluster)).toBe(stays);
  });
});

describe('the clean-up of Redis', () => {
  const ray: Partial<Container> = {
    command: ['own'],
    env: [{ name: 'MINE', value: '1' }],
    ports: [{ containerPort: 1 }],
    livenessProbe: { tcpSocket: { port: 1 } },
    lifecycle: { preStop: { exec: { command: ['ray', 'stop'] } } },
    volumeMounts: [{ name: 'tls', mountPath: '/tls' }],
    resources: { limits: { 'nvidia.com/gpu': '8' } },
  };
  const spec: PodSpec = {
    nodeSelector: { zone: 'a' },
    initContainers: [{ name: 'certificates', image: 'c:1' }],
    containers: [
      { ...HEAD_CONTAINER, ...ray },
      { name: 'logs', image: 'logs:1' },
    ],
    volumes: [{ name: 'tls', secret: { secretName: 'tls' } }],
  };
  const cluster = clusterOf({
    head: { template: { metadata: { annotations: { mine: '1' } }, spec } },
    spec: { gcsFaultToleranceOptions: REDIS, authOptions: {}, enableInTreeAutoscaling: true },
  });

  it('is a Job with one try and a deadline, whose pod no Service and no count takes for the head', () => {
    const job = redisCleanupJob(cluster);
    const labels = {
      ...LABELS,
      'ray.io/is-ray-node': 'yes',
      'ray.io/identifier': 'demo-head',
      'ray.io/group': 'headgroup',
      'ray.io/node-type': 'redis-cleanup',
    };
    expect(job?.metadata).toEqual({ name: 'demo-redis-cleanup', namespace: 'team', labels });
    expect(job?.spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 300 });
    expect(job?.spec?.template.metadata).toEqual({ labels, annotations: { mine: '1' } });
  });

  it('has the head’s image, environment and volumes, and nothing that is deleted with the cluster', () => {
    const pod = redisCleanupJob(cluster)!.spec!.template.spec!;
    const [container, ...others] = pod.containers;
    expect(others).toEqual([]);
    expect({ ...pod, containers: [] }).toEqual({
      restartPolicy: 'Never',
      nodeSelector: { zone: 'a' },
      initContainers: [
        {
          name: 'certificates',
          image: 'c:1',
          env: [
            { name: 'FQ_RAY_IP', value: 'demo-head-svc.team.svc.cluster.local' },
            { name: 'RAY_IP', value: 'demo-head-svc' },
          ],
        },
      ],
      containers: [],
      volumes: spec.volumes,
    });
    const { env, command, args, ...rest } = container!;
    expect(rest).toEqual({
      ...HEAD_CONTAINER,
      volumeMounts: ray.volumeMounts,
      resources: { limits: { cpu: '200m', memory: '256Mi' }, requests: { cpu: '200m', memory: '256Mi' } },
    });
    expect([command, args]).toEqual([
      ['/bin/bash', '-c', '--'],
      ['exec "$(command -v python3 || command -v python)" -c "$MUSTER_CLEAN_UP"'],
    ]);
    expect(env?.map(({ name, value }) => (name === 'MUSTER_CLEAN_UP' ? name : `${name}=${value}`))).toEqual([
      'MINE=1',
      'RAY_external_storage_namespace=uid-1',
      'RAY_REDIS_ADDRESS=redis:6379',
      'REDIS_PASSWORD=secret',
      'RAY_redis_db_connect_retries=120',
      'RAY_redis_db_connect_wait_milliseconds=500',
      'MUSTER_CLEAN_UP',
    ]);
  });

  /** The program with a fake `cleanup_redis_storage`, which prints its arguments. */
  function cleanUp(env: Record<string, string>, isDone = true) {
    const container = redisCleanupJob(cluster)!.spec!.template.spec!.containers[0]!;
    const program = container.env!.find(({ name }) => name === 'MUSTER_CLEAN_UP')!.value!;
    const fake = `import json, sys, types
for name in ("ray", "ray._private", "ray._private.gcs_utils"): sys.modules[name] = types.ModuleType(name)
def cleanup_redis_storage(**args):
    print(json.dumps(args))
    return ${isDone ? 'True' : 'False'}
sys.modules["ray._private.gcs_utils"].cleanup_redis_storage = cleanup_redis_storage
`;
    const variables = { PATH: process.env['PATH'], RAY_external_storage_namespace: 'ns', ...env };
    const { status, stdout, stderr } = spawnSync('python3', ['-c', fake + program], {
      env: variables,
      encoding: 'utf8',
    });
    return { status, args: JSON.parse(stdout) as unknown, stderr };
  }

  const hasPython = spawnSync('python3', ['--version']).status === 0;

  it.skipIf(!hasPython).each<[Record<string, string>, object]>([
    [{ RAY_REDIS_ADDRESS: 'redis:6380' }, { host: 'redis', port: 6380, password: '', use_ssl: false }],
    [
      { RAY_REDIS_ADDRESS: 'redis', REDIS_PASSWORD: 'p' },
      { host: 'redis', port: 6379, password: 'p', use_ssl: false },
    ],
    [
      { RAY_REDIS_ADDRESS: 'rediss://u:q@one:1,rediss://two:2' },
      { host: 'one', port: 1, password: 'q', use_ssl: true, username: 'u' },
    ],
    [
      { RAY_REDIS_ADDRESS: 'redis://redis:1', REDIS_USERNAME: 'ray', REDIS_PASSWORD: 'p' },
      { host: 'redis', port: 1, password: 'p', use_ssl: false, username: 'ray' },
    ],
  ])('calls Ray, with %j', (env, args) => {
    expect(cleanUp(env)).toEqual({ status: 0, args: { ...args, storage_namespace: 'ns' }, stderr: '' });
  });

  it.skipIf(!hasPython)('fails if Ray failed, and reports what is left', () => {
    const { status, stderr } = cleanUp({ RAY_REDIS_ADDRESS: 'redis:1' }, false);
    expect([status, stderr]).toEqual([
      1,
      'could not delete the data of ns in Redis at redis: delete the keys RAYns@* by hand\n',
    ]);
  });

  it.each<[string | undefined, number]>([
    [undefined, 300_000],
    ['10', 10_000],
    ['soon', 300_000],
  ])('has the timeout of the annotation %s: %s ms', (timeout, ms) => {
    const annotations = timeout === undefined ? {} : { 'ray.io/gcs-ft-deletion-timeout': timeout };
    expect(redisCleanupTimeoutMs(clusterOf({ annotations }))).toBe(ms);
  });
});
