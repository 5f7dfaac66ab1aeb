import type { KubeObject, RayCluster, RayJob } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { rayClusterProblems, rayJobProblems } from './ray-problems.ts';

const RAY = { name: 'ray', image: 'example.com/ray:2.60' };
const template = (container: object = {}, pod: object = {}) => ({
  spec: { containers: [{ ...RAY, ...container }], ...pod },
});
const clusterSpec = (rest: object = {}) => ({ headGroupSpec: { template: template() }, ...rest });

const cluster = (spec: object = {}, metadata: KubeObject['metadata'] = {}) =>
  ({
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'demo', ...metadata },
    spec: clusterSpec(spec),
  }) as RayCluster;

const job = (spec: object = {}, metadata: KubeObject['metadata'] = {}) =>
  ({
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: { name: 'train', ...metadata },
    spec: { submissionMode: 'K8sJobMode', entrypoint: 'python train.py', rayClusterSpec: clusterSpec(), ...spec },
  }) as RayJob;

const FT = 'ray.io/ft-enabled';
const NAMESPACE = 'ray.io/external-storage-namespace';
const REDIS = { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } };
const ADDRESS = {
  headGroupSpec: { template: template({ env: [{ name: 'RAY_REDIS_ADDRESS', value: 'redis:6379' }] }) },
};
const ROCKSDB = { gcsFaultToleranceOptions: { backend: 'rocksdb' } };
const ORIGIN = { labels: { 'ray.io/originated-from-crd': 'RayJob' } };
const withHead = (container: object, pod: object = {}) => ({ headGroupSpec: { template: template(container, pod) } });
const withLabels = (labels: object) => ({ headGroupSpec: { template: template(), labels } });

describe('the problems of a RayCluster', () => {
  it.each<[string, RayCluster, string, string]>([
    [
      'what admission refuses',
      cluster({ historyServerOptions: {} }),
      'spec.historyServerOptions',
      'Forbidden: Muster does not run a collector',
    ],
    [
      `an invalid value of ${FT}`,
      cluster({}, { annotations: { [FT]: 'yes' } }),
      `metadata.annotations[${FT}]`,
      'must be "true" or "false"',
    ],
    [
      `${FT} beside the options`,
      cluster(REDIS, { annotations: { [FT]: 'true' } }),
      `metadata.annotations[${FT}]`,
      'Forbidden: remove it',
    ],
    [
      `${NAMESPACE} beside the options`,
      cluster(REDIS, { annotations: { [NAMESPACE]: 'team' } }),
      `metadata.annotations[${NAMESPACE}]`,
      'Forbidden: remove it',
    ],
    [
      'the address of Redis without fault tolerance',
      cluster(ADDRESS),
      'spec.headGroupSpec.template.spec.containers[0].env',
      'Forbidden: RAY_REDIS_ADDRESS is for GCS fault tolerance',
    ],
    [
      'the address of Redis with fault tolerance turned off',
      cluster(ADDRESS, { annotations: { [FT]: 'false' } }),
      'spec.headGroupSpec.template.spec.containers[0].env',
      'Forbidden: RAY_REDIS_ADDRESS is for GCS fault tolerance',
    ],
    [
      'an invalid label key',
      cluster(withLabels({ 'Ray.io/zone': 'a' })),
      'spec.headGroupSpec.labels[Ray.io/zone]',
      'the key must be a valid label key',
    ],
    [
      'a key without name',
      cluster(withLabels({ 'ray.io/': 'a' })),
      'spec.headGroupSpec.labels[ray.io/]',
      'the key must be a valid label key',
    ],
    [
      'an invalid label value',
      cluster({ workerGroupSpecs: [{ groupName: 'small', template: template(), labels: { zone: 'a b' } }] }),
      'spec.workerGroupSpecs[0].labels[zone]',
      'Invalid value: "a b": must be a valid label value',
    ],
    [
      'a mount of the name of the RocksDB volume',
      cluster({ ...withHead({ volumeMounts: [{ name: 'gcs-storage', mountPath: '/x' }] }), ...ROCKSDB }),
      'spec.headGroupSpec.template.spec.containers[0].volumeMounts[0]',
      'Forbidden: remove it: with backend rocksdb',
    ],
    [
      'a mount where the RocksDB volume is mounted',
      cluster({ ...withHead({ volumeMounts: [{ name: 'data', mountPath: '/data/gcs' }] }), ...ROCKSDB }),
      'spec.headGroupSpec.template.spec.containers[0].volumeMounts[0]',
      'Forbidden: remove it: with backend rocksdb',
    ],
    [
      'a volume of its name',
      cluster({ ...withHead({}, { volumes: [{ name: 'gcs-storage', emptyDir: {} }] }), ...ROCKSDB }),
      'spec.headGroupSpec.template.spec.volumes[0]',
      'Forbidden: remove it: with backend rocksdb',
    ],
    [
      'an upgrade strategy of a cluster that belongs to a job',
      cluster({ upgradeStrategy: { type: 'Recreate' } }, ORIGIN),
      'spec.upgradeStrategy',
      'Forbidden: remove it: a RayJob creates this cluster',
    ],
  ])('%s', (_what, manifest, path, expected) => {
    const [first] = rayClusterProblems(manifest);
    expect(first?.path).toBe(path);
    expect(first?.message).toContain(expected);
  });

  it.each<[string, RayCluster]>([
    ['fault tolerance by annotations', cluster(ADDRESS, { annotations: { [FT]: 'True', [NAMESPACE]: 'team' } })],
    ['fault tolerance by its options', cluster(REDIS)],
    ['labels that are valid in Kubernetes', cluster(withLabels({ 'ray.io/zone': 'a', empty: '', A_b: 'x.Y-z' }))],
    ['the name of the volume, with another backend', cluster(withHead({}, { volumes: [{ name: 'gcs-storage' }] }))],
    ['an upgrade strategy', cluster({ upgradeStrategy: { type: 'Recreate' } })],
    ['empty fields', cluster({ ...withLabels(null as unknown as object), workerGroupSpecs: null })],
  ])('do not exist: %s', (_what, manifest) => {
    expect(rayClusterProblems(manifest)).toEqual([]);
  });
});

describe('the problems of a RayJob', () => {
  it.each<[string, RayJob, string, string]>([
    ['what admission refuses', job({ entrypoint: '' }), 'spec.entrypoint', 'Required value'],
    ...['pip: [requests', 'a: b: c', '- pip', 'requests', '"', 'a: .inf'].map(
      (runtimeEnvYAML): [string, RayJob, string, string] => [
        `the runtime environment ${JSON.stringify(runtimeEnvYAML)}`,
        job({ runtimeEnvYAML }),
        'spec.runtimeEnvYAML',
        'Invalid value: must be a map in YAML',
      ],
    ),
    ...['disk=1', '[1]', '"disk"', '{"disk": "1"}', '{"disk": -1}', 'null', '{'].map(
      (entrypointResources): [string, RayJob, string, string] => [
        `the resources ${entrypointResources}`,
        job({ entrypointResources }),
        'spec.entrypointResources',
        'must be a map of names to numbers in JSON',
      ],
    ),
    [
      'a cluster with labels that Kubernetes refuses',
      job({ rayClusterSpec: clusterSpec(withLabels({ zone: '-' })) }),
      'spec.rayClusterSpec.headGroupSpec.labels[zone]',
      'Invalid value: "-"',
    ],
    [
      'an annotation in addition to the options of the cluster',
      job({ rayClusterSpec: clusterSpec(REDIS) }, { annotations: { [FT]: 'true' } }),
      `metadata.annotations[${FT}]`,
      'Forbidden: remove it',
    ],
  ])('%s', (_what, manifest, path, expected) => {
    const [first] = rayJobProblems(manifest);
    expect(first?.path).toBe(path);
    expect(first?.message).toContain(expected);
  });

  it.each<[string, RayJob]>([
    ['a runtime environment', job({ runtimeEnvYAML: 'pip:\n  - requests\nenv_vars: {A: "1"}\n' })],
    ['a runtime environment with a key given twice', job({ runtimeEnvYAML: 'pip: []\npip: [ray]\n' })],
    ['an empty runtime environment', job({ runtimeEnvYAML: '\n', entrypointResources: ' ' })],
    ['resources', job({ entrypointResources: '{"disk": 0.5, "tape": 2}' })],
    ['a cluster that is selected', job({ rayClusterSpec: null, clusterSelector: { 'ray.io/cluster': 'demo' } })],
  ])('do not exist: %s', (_what, manifest) => {
    expect(rayJobProblems(manifest)).toEqual([]);
  });
});
