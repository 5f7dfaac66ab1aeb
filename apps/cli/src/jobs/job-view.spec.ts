import type { JobManifest } from '@muster/common-job-controller';
import { LABELS, type Pod } from '@muster/job-api';
import { podsOfRoles, specsOfRoles } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { kindOf } from '../kinds.ts';
import { jobView } from './job-view.ts';

const metadata = { name: 'mnist', namespace: 'team', uid: 'uid' };
const holds = (...types: string[]) => ({
  conditions: types.map((type) => ({ type, status: 'True', reason: 'Any', message: `is ${type}` })),
});

function viewOf(manifest: JobManifest, pods?: Pod[]) {
  const kind = kindOf(manifest);
  if (kind === undefined) throw new Error(`no kind ${manifest.kind}`);
  return jobView(kind, manifest, pods);
}

const pytorch = (status: object | undefined, roles: Record<string, string> = { Master: 'R', Worker: 'RR' }) => ({
  apiVersion: 'kubeflow.org/v1',
  kind: 'PyTorchJob',
  metadata,
  spec: { runPolicy: { suspend: false }, pytorchReplicaSpecs: specsOfRoles('pytorch', roles) },
  ...(status && { status }),
});

const mpi = (apiVersion: string, spec: object = {}) => ({
  apiVersion,
  kind: 'MPIJob',
  metadata,
  spec: { mpiReplicaSpecs: specsOfRoles('mpi', { Launcher: 'R', Worker: 'RR' }), ...spec },
});

const template = { spec: { containers: [{ name: 'ray', image: 'registry.example/ray:2' }] } };
const rayClusterSpec = {
  headGroupSpec: { template },
  workerGroupSpecs: [{ groupName: 'small', replicas: 2, template }],
};
const rayCluster = (status?: object) => ({
  ...{ apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata, spec: rayClusterSpec },
  ...(status && { status }),
});
const rayJob = (status?: object) => ({
  ...{ apiVersion: 'ray.io/v1', kind: 'RayJob', metadata, spec: { entrypoint: 'python train.py', rayClusterSpec } },
  ...(status && { status }),
});

describe('the state of a job', () => {
  it.each([
    [
      'is that of the status of Muster',
      pytorch({ state: 'Restarting', ...holds('Created', 'Restarting') }),
      'Restarting',
    ],
    ['is unknown if no operator has reconciled it', pytorch(undefined), undefined],
    ['follows from conditions', pytorch(holds('Created', 'Running')), 'Running'],
    ['is Succeeded although Running is still true', pytorch(holds('Created', 'Running', 'Succeeded')), 'Succeeded'],
    ['is Suspended although Running is still true', pytorch(holds('Created', 'Running', 'Suspended')), 'Suspended'],
    [
      'follows from the status of KubeRay for a cluster',
      rayCluster({ state: 'ready', observedGeneration: 1 }),
      'Running',
    ],
    [
      'follows from what KubeRay says of a suspended cluster',
      rayCluster({ state: 'suspended', ...holds('RayClusterSuspended') }),
      'Suspended',
    ],
    [
      'is that of the status of Muster for a cluster',
      rayCluster({ state: 'ready', muster: { state: 'Created' } }),
      'Created',
    ],
    ['follows from the status of KubeRay for a job', rayJob({ jobDeploymentStatus: 'Complete' }), 'Succeeded'],
    ['is Failed for a job with deployment status Failed', rayJob({ jobDeploymentStatus: 'Failed' }), 'Failed'],
  ] as const)('%s', (_case, manifest, state) => {
    expect(viewOf(manifest).state).toBe(state);
  });
});

describe('the replicas of a job', () => {
  it('are ordered by rank, with the deciding one', () => {
    const job = pytorch({}, { Master: 'R', Worker: 'RSF' });
    const { replicas, roles, deciding, ready } = viewOf(
      job,
      podsOfRoles(job, 'pytorch', { Worker: 'RSF', Master: 'R' }),
    );
    expect(replicas.map(({ name }) => name)).toEqual(['master-0', 'worker-0', 'worker-1', 'worker-2']);
    expect(roles).toMatchObject([
      { name: 'Master', wanted: 1 },
      { name: 'Worker', wanted: 3, succeeded: 1, failed: 1 },
    ]);
    expect({ deciding, ready }).toEqual({ deciding: 'master-0', ready: '0/4' });
  });

  it.each([
    ['worker 0 without a master', pytorch({}, { Worker: 'RR' }), 'worker-0'],
    ['the launcher of an MPIJob', mpi('kubeflow.org/v2beta1'), 'launcher'],
    // Stored by Kubeflow's training operator, without apiGeneration.
    ['the launcher of an MPIJob of v1 of another operator', mpi('kubeflow.org/v1'), 'launcher'],
    ['the head of a RayCluster', rayCluster(), 'headgroup-0'],
  ])('are decided by %s, also while there is no pod', (_case, manifest, deciding) => {
    expect(viewOf(manifest, []).deciding).toBe(deciding);
  });

  it('are identified by the names of their pods if another operator sets no index', () => {
    const labels = { 'ray.io/cluster': 'mnist', 'ray.io/group': 'small' };
    const pods = ['mnist-small-worker-x2x4z', 'mnist-small-worker-abcde'].map((name) => ({
      metadata: { name, uid: name, labels },
    }));
    const { replicas } = viewOf(rayCluster(), pods);
    expect(replicas.map(({ name }) => name)).toEqual(['mnist-small-worker-abcde', 'mnist-small-worker-x2x4z']);
  });

  it('of a RayJob are those of its cluster and its submitter, which is the deciding one', () => {
    const pods: Pod[] = [
      { metadata: { name: 'mnist-7xk2p', uid: '1', labels: { 'job-name': 'mnist' } } },
      { metadata: { name: 'c-head', uid: '2', labels: { 'ray.io/cluster': 'c', 'ray.io/group': 'headgroup' } } },
    ];
    const view = viewOf(rayJob({ jobDeploymentStatus: 'Running', rayClusterName: 'c' }), pods);
    expect(view.replicas.map(({ name }) => name)).toEqual(['c-head', 'submitter-0']);
    expect(view).toMatchObject({ deciding: 'submitter-0', ready: '0/2' });
  });

  it('are shown for a job with an invalid spec', () => {
    const job = pytorch({}, { Boss: 'R' });
    const labels = { [LABELS.jobName]: 'mnist', [LABELS.replicaType]: 'boss', [LABELS.replicaIndex]: '0' };
    const { replicas } = viewOf(job, [{ metadata: { name: 'mnist-boss-0', labels } }]);
    expect(replicas.map(({ name }) => name)).toEqual(['boss-0']);
  });
});
