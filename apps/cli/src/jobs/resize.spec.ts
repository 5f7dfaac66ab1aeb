import type { JobManifest } from '@muster/common-job-controller';
import { specsOfRoles } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { resized } from '../commands/scale.ts';
import { kindOf } from '../kinds.ts';

const metadata = { name: 'mnist', namespace: 'team', uid: 'uid' };
const job = (kind: string, spec: object, status: object = { state: 'Running' }, version = 'v1') => ({
  ...{ apiVersion: `${kind.startsWith('Ray') ? 'ray.io' : 'kubeflow.org'}/${version}`, kind, metadata, spec, status },
});
const workers = (field: string, container: string, more: object = {}) => ({
  [field]: specsOfRoles(container, { Worker: 'RR' }),
  ...more,
});
const group = (groupName: string) => ({ groupName, replicas: 1, minReplicas: 0, maxReplicas: 4, template: {} });
const elastic = { elasticPolicy: { minReplicas: 1, maxReplicas: 4 } };

function resizedTo(manifest: JobManifest, replicas: number, role?: string) {
  const kind = kindOf(manifest);
  if (kind === undefined) throw new Error(`no kind ${manifest.kind}`);
  return resized(kind, manifest, role, replicas);
}

const workersPath = (field: string) => `/spec/${field}/Worker/replicas`;

describe('a job is resized', () => {
  it.each([
    ['an elastic PyTorchJob', job('PyTorchJob', workers('pytorchReplicaSpecs', 'pytorch', elastic)), undefined],
    [
      'a PyTorchJob by the name of its role',
      job('PyTorchJob', workers('pytorchReplicaSpecs', 'pytorch', elastic)),
      'worker',
    ],
    [
      'a suspended PyTorchJob of fixed size',
      job('PyTorchJob', workers('pytorchReplicaSpecs', 'pytorch'), { state: 'Suspended' }),
      undefined,
    ],
  ])('as %s', (_case, manifest, role) => {
    expect(resizedTo(manifest, 3, role)).toEqual({
      patch: [{ op: 'add', path: workersPath('pytorchReplicaSpecs'), value: 3 }],
      role: 'Worker',
      before: 2,
    });
  });

  it.each([
    [
      5,
      {},
      'elasticPolicy allows 1 to 4: its pods were started with these bounds. To change the bounds, suspend the job first',
    ],
    [0, {}, 'elasticPolicy allows 1 to 4: '],
    [5, { elasticPolicy: { maxReplicas: 3 } }, 'elasticPolicy allows 3 to 3: '],
  ])('not beyond its bounds, which the error names: to %s with %j', (replicas, more, refusal) => {
    const manifest = job('PyTorchJob', workers('pytorchReplicaSpecs', 'pytorch', { ...elastic, ...more }));
    expect(resizedTo(manifest, replicas)).toEqual({ refusal: expect.stringContaining(refusal) as string });
    expect(resizedTo({ ...manifest, status: { state: 'Suspended' } }, 5)).toHaveProperty('patch');
  });

  it('as an elastic PaddleJob, within its bounds', () => {
    const manifest = job('PaddleJob', workers('paddleReplicaSpecs', 'paddle', elastic));
    expect(resizedTo(manifest, 3)).toMatchObject({ patch: [{ path: workersPath('paddleReplicaSpecs'), value: 3 }] });
    expect(resizedTo(manifest, 5)).toEqual({
      refusal: expect.stringContaining('elasticPolicy allows 1 to 4') as string,
    });
  });

  it('as a TFJob with dynamic workers', () => {
    const manifest = job('TFJob', workers('tfReplicaSpecs', 'tensorflow', { enableDynamicWorker: true }));
    expect(resizedTo(manifest, 3)).toMatchObject({ patch: [{ path: workersPath('tfReplicaSpecs'), value: 3 }] });
  });

  it.each(['v1', 'v2beta1'])('as an MPIJob of %s', (apiGeneration) => {
    const manifest = job('MPIJob', workers('mpiReplicaSpecs', 'mpi', { apiGeneration }), {}, 'v2beta1');
    expect(resizedTo(manifest, 3)).toMatchObject({ patch: [{ path: workersPath('mpiReplicaSpecs'), value: 3 }] });
  });

  it('as a worker group of a RayCluster, if it is still in its place', () => {
    const manifest = job('RayCluster', { workerGroupSpecs: [group('small'), group('large')] });
    expect(resizedTo(manifest, 3, 'large')).toEqual({
      patch: [
        { op: 'test', path: '/spec/workerGroupSpecs/1/groupName', value: 'large' },
        { op: 'add', path: '/spec/workerGroupSpecs/1/replicas', value: 3 },
      ],
      role: 'large',
      before: 1,
    });
  });

  it('with a warning if an autoscaler is enabled', () => {
    const manifest = job('RayCluster', { enableInTreeAutoscaling: true, workerGroupSpecs: [group('small')] });
    expect(resizedTo(manifest, 3)).toMatchObject({ note: "Ray's autoscaler may change it again" });
  });
});

describe('a job is not resized', () => {
  it.each([
    [
      'that has ended',
      job('PyTorchJob', workers('pytorchReplicaSpecs', 'pytorch', elastic), { state: 'Failed' }),
      undefined,
      'it has ended',
    ],
    ['of fixed size', job('PyTorchJob', workers('pytorchReplicaSpecs', 'pytorch')), undefined, 'WORLD_SIZE'],
    [
      'in another role',
      job('PyTorchJob', workers('pytorchReplicaSpecs', 'pytorch', elastic)),
      'master',
      'only its role Worker',
    ],
    [
      'without the role',
      job('TFJob', { enableDynamicWorker: true, tfReplicaSpecs: {} }),
      undefined,
      'it has no role Worker',
    ],
    [
      'whose pods list each other in TF_CONFIG',
      job('TFJob', workers('tfReplicaSpecs', 'tensorflow')),
      undefined,
      'TF_CONFIG',
    ],
    [
      'of a kind without a scale',
      job('MXJob', workers('mxReplicaSpecs', 'mxnet')),
      undefined,
      'MXJob of kubeflow.org/v1 has no scale subresource',
    ],
    [
      'of a generation without a scale',
      job('MPIJob', { apiGeneration: 'v1alpha1', replicas: 2 }, {}, 'v2beta1'),
      undefined,
      'has no scale',
    ],
    [
      'that has several groups',
      job('RayCluster', { workerGroupSpecs: [group('small'), group('large')] }),
      undefined,
      'it has 2 worker groups (small, large): use <group>=<number>',
    ],
    [
      'without the group',
      job('RayCluster', { workerGroupSpecs: [group('small')] }),
      'huge',
      'it has no worker group huge; its worker groups: small',
    ],
    [
      'beyond its bounds',
      job('RayCluster', { workerGroupSpecs: [{ ...group('small'), maxReplicas: 2 }] }),
      undefined,
      'minReplicas 0 and maxReplicas 2',
    ],
    [
      'whose cluster is another object',
      job('RayJob', {}, { rayClusterName: 'mnist-x' }),
      undefined,
      'scale raycluster/mnist-x',
    ],
  ] as const)('%s', (_case, manifest, role, refusal) => {
    expect(resizedTo(manifest, 3, role)).toEqual({ refusal: expect.stringContaining(refusal) as string });
  });
});
