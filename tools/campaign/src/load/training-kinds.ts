/** Kubeflow's kinds: roles with replicas and a run policy. */
import { SeededRandom } from '@muster/fault-injection';
import { JAX_JOBS, MPI_JOBS, MX_JOBS, PADDLE_JOBS, PYTORCH_JOBS, TF_JOBS, XGBOOST_JOBS } from '@muster/job-api';
import { type CampaignKind, containerOf, type JobShape, simulated } from './kinds.ts';

interface Role {
  readonly name: string;
  readonly replicas: number;
  /** Its pods never end by themselves. */
  readonly endless?: boolean;
}

type Framework = Pick<TrainingKind, 'framework' | 'resource' | 'field' | 'container'>;

interface TrainingKind extends Pick<CampaignKind, 'framework' | 'resource' | 'isScalable'> {
  /** The field of the spec with the roles. */
  readonly field: string;
  readonly container: string;
  readonly rolesOf: (pods: number) => readonly Role[];
  readonly more?: (random: SeededRandom) => object;
}

const masterAndWorkers = (pods: number): Role[] => [
  { name: 'Master', replicas: 1 },
  ...(pods > 1 ? [{ name: 'Worker', replicas: pods - 1 }] : []),
];
const workersOnly = (pods: number): Role[] => [{ name: 'Worker', replicas: pods }];
const launcherAndWorkers = (pods: number): Role[] => [
  { name: 'Launcher', replicas: 1 },
  { name: 'Worker', replicas: Math.max(1, pods - 1), endless: true },
];
const serversAndWorkers = (pods: number): Role[] => [
  ...(pods > 2 ? [{ name: 'PS', replicas: 1, endless: true }] : []),
  { name: 'Worker', replicas: pods > 2 ? pods - 1 : pods },
];

const PYTORCH: Framework = {
  framework: 'pytorch-elastic',
  resource: PYTORCH_JOBS,
  field: 'pytorchReplicaSpecs',
  container: 'pytorch',
};
const TENSORFLOW: Framework = {
  framework: 'tensorflow',
  resource: TF_JOBS,
  field: 'tfReplicaSpecs',
  container: 'tensorflow',
};
const MPI = { framework: 'mpi', field: 'mpiReplicaSpecs', container: 'mpi', rolesOf: launcherAndWorkers } as const;
const PADDLE: Framework = {
  framework: 'paddle',
  resource: PADDLE_JOBS,
  field: 'paddleReplicaSpecs',
  container: 'paddle',
};
const ELASTIC = { elasticPolicy: { minReplicas: 1, maxReplicas: 500 } };

const KINDS: readonly TrainingKind[] = [
  { ...PYTORCH, rolesOf: masterAndWorkers },
  { ...PYTORCH, rolesOf: workersOnly, isScalable: true, more: () => ELASTIC },
  {
    ...{ ...TENSORFLOW, rolesOf: serversAndWorkers },
    more: (random) => ({ successPolicy: random.pick(['AllWorkers', 'AllWorkers', '']) }),
  },
  {
    ...{ ...TENSORFLOW, rolesOf: serversAndWorkers, isScalable: true },
    more: () => ({ successPolicy: 'AllWorkers', enableDynamicWorker: true }),
  },
  { ...MPI, resource: MPI_JOBS, isScalable: true },
  { ...MPI, resource: { ...MPI_JOBS, version: 'v1' }, isScalable: true },
  {
    ...{ framework: 'xgboost', resource: XGBOOST_JOBS, field: 'xgbReplicaSpecs', container: 'xgboost' },
    rolesOf: masterAndWorkers,
  },
  {
    ...{ framework: 'jax', resource: JAX_JOBS, field: 'jaxReplicaSpecs', container: 'jax' },
    rolesOf: workersOnly,
  },
  { ...PADDLE, rolesOf: masterAndWorkers },
  { ...PADDLE, rolesOf: workersOnly, isScalable: true, more: () => ELASTIC },
  {
    ...{ framework: 'mxnet', resource: MX_JOBS, field: 'mxReplicaSpecs', container: 'mxnet' },
    more: () => ({ jobMode: 'MXTrain' }),
    rolesOf: (pods) => [
      { name: 'Scheduler', replicas: 1, endless: true },
      { name: 'Server', replicas: 1, endless: true },
      { name: 'Worker', replicas: Math.max(1, pods - 2) },
    ],
  },
];

export const TRAINING_KINDS: readonly CampaignKind[] = KINDS.map((kind) => ({
  ...kind,
  suspension: (suspend) => ({ runPolicy: { suspend } }),
  limit: (backoffLimit) => ({ runPolicy: { backoffLimit } }),
  specOf: (shape) => specOf(kind, shape),
}));

function specOf(
  { rolesOf, container, field, more, resource }: TrainingKind,
  { pods, ending, restartPolicy, runPolicy, seed }: JobShape,
): object {
  const roles = rolesOf(pods).map(({ name, replicas, endless = false }) => {
    const template = { metadata: endless ? {} : simulated(ending), spec: { containers: [containerOf(container)] } };
    const isPlain = name === 'Launcher' || resource.version === 'v2beta1';
    // An MPIJob's launcher in a Job accepts only these, as does every role of v2beta1.
    const policy = isPlain && restartPolicy !== 'OnFailure' ? 'Never' : restartPolicy;
    return [name, { replicas, restartPolicy: policy, template }];
  });
  return { ...more?.(new SeededRandom(seed)), runPolicy, [field]: Object.fromEntries(roles) as object };
}
