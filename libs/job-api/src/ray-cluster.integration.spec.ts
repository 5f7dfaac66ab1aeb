import { testCluster } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { RAY_CLUSTER_ADMISSION } from '../test/ray-cluster-cases.ts';
import { clusterSpec, group, ray, template } from '../test/ray-manifests.ts';
import { CLUSTER_OF_KUBERAY, CLUSTER_STATUS_OF_KUBERAY } from '../test/ray-stored-by-kuberay.ts';
import { RAY_CLUSTERS, type RayCluster } from './ray-cluster.ts';

const cluster = await testCluster();
const { client } = cluster;

describeAdmission(RAY_CLUSTER_ADMISSION, cluster);

async function stored(name: string, spec: object) {
  const namespace = await cluster.namespace();
  await client.create(RAY_CLUSTERS, { metadata: { name, namespace }, spec: clusterSpec(spec) } as RayCluster);
  return (change: object) => client.patch(RAY_CLUSTERS, { namespace, name }, { spec: change });
}

describe('changes to a RayCluster', () => {
  it('are rejected if they break a rule, and accepted if not', async () => {
    const change = await stored('changing', { workerGroupSpecs: [group('small')] });
    await expect(change({ authOptions: {} })).rejects.toThrow(
      /spec[.]rayVersion: Invalid value: ("object": )?must be 2[.]52[.]0 or later/,
    );
    await expect(change({ tlsOptions: { enabled: true } })).rejects.toThrow('Muster does not support TLS of Ray');
    await expect(change({ workerGroupSpecs: [group('small', { minReplicas: 2, maxReplicas: 1 })] })).rejects.toThrow(
      'spec.workerGroupSpecs[0].minReplicas',
    );
    await expect(change({ workerGroupSpecs: [group('small'), group('small')] })).rejects.toThrow('the same name');
    await expect(change({ rayVersion: '2.52.0', authOptions: {} })).resolves.toBeDefined();
  });

  it('cannot move the state of the head to another backend', async () => {
    const redis = { backend: null, redisAddress: 'redis:6379' };
    const change = await stored('backend', { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } });
    await expect(change({ gcsFaultToleranceOptions: { backend: 'rocksdb', redisAddress: null } })).rejects.toThrow(
      /spec[.]gcsFaultToleranceOptions[.]backend: Invalid value: ("object": )?field is immutable/,
    );
    await expect(change({ gcsFaultToleranceOptions: { backend: 'redis' } })).resolves.toBeDefined();
    await expect(change({ gcsFaultToleranceOptions: redis })).resolves.toBeDefined();
  });

  it('has the defaults of KubeRay for the counts of a group, and no others', async () => {
    const namespace = await cluster.namespace();
    const spec = clusterSpec({ workerGroupSpecs: [group('small')] });
    const made = await client.create(RAY_CLUSTERS, { metadata: { name: 'plain', namespace }, spec } as RayCluster);
    const counts = { replicas: 0, minReplicas: 0, maxReplicas: 2_147_483_647 };
    expect(made.spec).toEqual(clusterSpec({ workerGroupSpecs: [group('small', counts)] }));
  });
});

describe('a RayCluster stored by KubeRay', () => {
  it('keeps its spec and status, and accepts a new status and removal of its finalizer', async () => {
    const namespace = await cluster.namespace();
    const { metadata, ...rest } = CLUSTER_OF_KUBERAY as { metadata: { name: string } };
    const key = { namespace, name: metadata.name };
    const made = await client.create(RAY_CLUSTERS, { metadata: { ...metadata, namespace }, ...rest } as RayCluster);
    expect(made.spec).toEqual(CLUSTER_OF_KUBERAY.spec);
    const { status } = await client.patchStatus(RAY_CLUSTERS, key, { status: CLUSTER_STATUS_OF_KUBERAY });
    expect(status).toEqual(CLUSTER_STATUS_OF_KUBERAY);
    const muster = { replicaStatuses: { worker: { active: 2, nextOrdinal: 3 } }, attempt: 1 };
    const after = await client.patchStatus(RAY_CLUSTERS, key, { status: { state: 'suspended', muster } });
    expect(after.status).toEqual({ ...CLUSTER_STATUS_OF_KUBERAY, state: 'suspended', muster });
    await client.patch(RAY_CLUSTERS, key, { metadata: { finalizers: null } });
    expect((await client.get(RAY_CLUSTERS, key)).metadata?.finalizers).toBeUndefined();
  });

  it('keeps fields of templates that the schema does not describe', async () => {
    const namespace = await cluster.namespace();
    const spec = clusterSpec({
      headGroupSpec: { template: template([ray({ lifecycle: { preStop: { exec: { command: ['ray', 'stop'] } } } })]) },
    });
    const made = await client.create(RAY_CLUSTERS, { metadata: { name: 'kept', namespace }, spec } as RayCluster);
    expect(made.spec).toEqual(spec);
  });
});
