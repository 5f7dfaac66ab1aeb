/** The kinds whose running jobs move between an upstream operator and Muster: one row for each kind and operator. */
import type { JobManifest } from '@muster/common-job-controller';
import {
  JAX_JOBS,
  MPI_JOBS,
  PADDLE_JOBS,
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  RAY_JOBS,
  TF_JOBS,
  XGBOOST_JOBS,
  type FrameworkName,
  type Resource,
} from '@muster/job-api';
import type { UpstreamName } from '@muster/schedulers';

export interface MovedKind {
  readonly operator: UpstreamName;
  readonly framework: FrameworkName;
  readonly resource: Resource<JobManifest>;
  readonly spec: object;
  /** How many pods it has. */
  readonly pods: number;
  /** How many jobs Muster counts for it. Default: 1; a RayJob creates a RayCluster. */
  readonly counted?: number;
  /** Whether it runs, by its status. Default: by the condition Running. */
  readonly runs?: (status: object) => boolean;
  /** The pod that is lost, and how: its program is killed, or the pod is deleted. */
  readonly lost: { readonly pod: RegExp; readonly by: 'SIGKILL' | 'deletion' };
  /** Whether a recreated pod has another name. */
  readonly renames?: boolean;
  /** The version in which objects must be stored before the CRD of the upstream operator is applied. Default: they are. */
  readonly storedVersion?: 'v1' | 'v2beta1';
  /** The pods whose end ends the job. Undefined: it never ends, or simulated pods cannot end it. */
  readonly ends?: RegExp;
}

/** An object of a kind that moves. */
export type MovedObject = Pick<MovedKind, 'resource' | 'spec' | 'storedVersion'>;

/** Its container is named as the operators require. */
const template = (name: string) => ({ spec: { containers: [{ name, image: 'registry.example/train:1' }] } });

const role = (container: string, replicas: number, restartPolicy = 'ExitCode') => ({
  ...{ replicas, restartPolicy },
  template: template(container),
});

const rayCluster = {
  rayVersion: '2.60.0',
  headGroupSpec: { rayStartParams: {}, template: template('ray-head') },
  workerGroupSpecs: [
    {
      ...{ groupName: 'small', replicas: 2, minReplicas: 0, maxReplicas: 5 },
      ...{ rayStartParams: {}, template: template('ray-worker') },
    },
  ],
};

/** A kind of the training operator, with a container for each role. The pods of the named role decide the outcome. */
function trained(
  framework: FrameworkName,
  resource: Resource<JobManifest>,
  spec: { readonly field: string; readonly container: string; readonly roles: Readonly<Record<string, number>> },
  ends: RegExp,
): MovedKind {
  const roles = Object.entries(spec.roles).map(([name, count]) => [name, role(spec.container, count)] as const);
  return {
    ...{ operator: 'training-operator', framework, resource, ends },
    spec: { [spec.field]: Object.fromEntries(roles) },
    pods: Object.values(spec.roles).reduce((sum, count) => sum + count, 0),
    lost: { pod: /-worker-1$/, by: 'SIGKILL' },
  };
}

const withMaster = { Master: 1, Worker: 2 };

export const MOVED_KINDS: readonly MovedKind[] = [
  trained(
    'tensorflow',
    TF_JOBS,
    { field: 'tfReplicaSpecs', container: 'tensorflow', roles: { PS: 1, Worker: 2 } },
    /-worker-/,
  ),
  trained(
    'pytorch-elastic',
    PYTORCH_JOBS,
    { field: 'pytorchReplicaSpecs', container: 'pytorch', roles: withMaster },
    /-master-/,
  ),
  trained('xgboost', XGBOOST_JOBS, { field: 'xgbReplicaSpecs', container: 'xgboost', roles: withMaster }, /-master-/),
  trained('jax', JAX_JOBS, { field: 'jaxReplicaSpecs', container: 'jax', roles: { Worker: 3 } }, /-worker-/),
  trained('paddle', PADDLE_JOBS, { field: 'paddleReplicaSpecs', container: 'paddle', roles: withMaster }, /-master-/),
  {
    ...{ operator: 'training-operator', framework: 'mpi', resource: { ...MPI_JOBS, version: 'v1' }, pods: 3 },
    spec: { mpiReplicaSpecs: { Launcher: role('mpi', 1, 'Never'), Worker: role('mpi', 2, 'Never') } },
    ...{ lost: { pod: /-worker-1$/, by: 'deletion' }, ends: /-launcher/, storedVersion: 'v1' },
  },
  {
    ...{ operator: 'mpi-operator', framework: 'mpi', resource: { ...MPI_JOBS, version: 'v2beta1' }, pods: 3 },
    spec: { mpiReplicaSpecs: { Launcher: role('mpi', 1, 'OnFailure'), Worker: role('mpi', 2, 'Never') } },
    ...{ lost: { pod: /-worker-1$/, by: 'deletion' }, ends: /-launcher/, storedVersion: 'v2beta1' },
  },
  {
    ...{ operator: 'kuberay', framework: 'ray', resource: RAY_CLUSTERS, pods: 3, renames: true },
    // The pods must not be recreated although each operator computes another hash of the spec.
    spec: { ...rayCluster, upgradeStrategy: { type: 'Recreate' } },
    lost: { pod: /-small-worker-/, by: 'deletion' },
    runs: (status) => Reflect.get(status, 'state') === 'ready',
  },
  {
    ...{ operator: 'kuberay', framework: 'ray', resource: RAY_JOBS, pods: 4, renames: true, counted: 2 },
    spec: { entrypoint: 'python train.py', submissionMode: 'K8sJobMode', rayClusterSpec: rayCluster },
    lost: { pod: /-small-worker-/, by: 'deletion' },
    runs: (status) => Reflect.get(status, 'jobDeploymentStatus') === 'Running',
  },
];
