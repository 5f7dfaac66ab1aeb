/** The kinds of the jobs, and their manifests. */
import { SIMULATE_AFTER_ANNOTATION, SIMULATE_EXIT_CODE_ANNOTATION, SIMULATE_LABEL } from '@muster/cluster';
import {
  type FrameworkName,
  JAX_JOBS,
  type KubeObject,
  MPI_JOBS,
  MX_JOBS,
  PADDLE_JOBS,
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  type Resource,
  TF_JOBS,
  XGBOOST_JOBS,
} from '@muster/job-api';

export interface CampaignKind {
  readonly framework: FrameworkName;
  readonly resource: Resource;
  /** The field of the spec with the roles; absent for kinds without roles. */
  readonly roles?: string;
  readonly container: string;
  /** The roles of a job of that many pods. Pods of `endless` roles never end by themselves. */
  rolesOf(pods: number): readonly { readonly name: string; readonly replicas: number; readonly endless?: boolean }[];
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Whether `spec.replicas` of the subresource `scale` may change while the job runs. */
  readonly isScalable: boolean;
}

const masterAndWorkers = (pods: number) => [
  { name: 'Master', replicas: 1 },
  ...(pods > 1 ? [{ name: 'Worker', replicas: pods - 1 }] : []),
];
const workersOnly = (pods: number) => [{ name: 'Worker', replicas: pods }];
const fixed = { isScalable: false } as const;

export const CAMPAIGN_KINDS: readonly CampaignKind[] = [
  {
    ...{ framework: 'pytorch-elastic', resource: PYTORCH_JOBS, roles: 'pytorchReplicaSpecs', container: 'pytorch' },
    ...{ rolesOf: masterAndWorkers, isScalable: false },
  },
  {
    ...{ framework: 'pytorch-elastic', resource: PYTORCH_JOBS, roles: 'pytorchReplicaSpecs', container: 'pytorch' },
    ...{ rolesOf: workersOnly, isScalable: true, spec: { elasticPolicy: { minReplicas: 1, maxReplicas: 500 } } },
  },
  {
    ...{ framework: 'tensorflow', resource: TF_JOBS, roles: 'tfReplicaSpecs', container: 'tensorflow', ...fixed },
    spec: { successPolicy: 'AllWorkers' },
    rolesOf: (pods) => [
      ...(pods > 2 ? [{ name: 'PS', replicas: 1, endless: true }] : []),
      { name: 'Worker', replicas: pods > 2 ? pods - 1 : pods },
    ],
  },
  {
    ...{ framework: 'mpi', resource: MPI_JOBS, roles: 'mpiReplicaSpecs', container: 'mpi', ...fixed },
    rolesOf: (pods) => [
      { name: 'Launcher', replicas: 1 },
      { name: 'Worker', replicas: Math.max(1, pods - 1), endless: true },
    ],
  },
  {
    ...{ framework: 'mpi', resource: { ...MPI_JOBS, version: 'v1' }, roles: 'mpiReplicaSpecs', container: 'mpi' },
    ...fixed,
    rolesOf: (pods) => [
      { name: 'Launcher', replicas: 1 },
      { name: 'Worker', replicas: Math.max(1, pods - 1), endless: true },
    ],
  },
  {
    ...{ framework: 'xgboost', resource: XGBOOST_JOBS, roles: 'xgbReplicaSpecs', container: 'xgboost', ...fixed },
    rolesOf: masterAndWorkers,
  },
  {
    ...{ framework: 'jax', resource: JAX_JOBS, roles: 'jaxReplicaSpecs', container: 'jax', ...fixed },
    rolesOf: workersOnly,
  },
  {
    ...{ framework: 'paddle', resource: PADDLE_JOBS, roles: 'paddleReplicaSpecs', container: 'paddle', ...fixed },
    rolesOf: masterAndWorkers,
  },
  {
    ...{ framework: 'mxnet', resource: MX_JOBS, roles: 'mxReplicaSpecs', container: 'mxnet', ...fixed },
    spec: { jobMode: 'MXTrain' },
    rolesOf: (pods) => [
      { name: 'Scheduler', replicas: 1, endless: true },
      { name: 'Server', replicas: 1, endless: true },
      { name: 'Worker', replicas: Math.max(1, pods - 2) },
    ],
  },
  {
    ...{ framework: 'ray', resource: RAY_CLUSTERS, container: 'ray', ...fixed },
    rolesOf: (pods) => [{ name: 'small', replicas: Math.max(1, pods - 1) }],
  },
];

/** How the pods of a job's deciding roles end. */
export interface Ending {
  /** 0: well; undefined: they run until the job is deleted. */
  readonly exitCode: number | undefined;
  readonly afterMs: number;
}

export interface JobShape {
  readonly pods: number;
  readonly ending: Ending;
  readonly restartPolicy: string;
  readonly runPolicy: Readonly<Record<string, unknown>>;
}

export function manifestOf(kind: CampaignKind, name: string, namespace: string, shape: JobShape): KubeObject {
  const { resource } = kind;
  const apiVersion = `${resource.group}/${resource.version}`;
  const spec = kind.roles === undefined ? rayClusterSpec(kind, shape) : trainingSpec(kind, shape);
  return { apiVersion, kind: resource.kind, metadata: { name, namespace }, ...{ spec } };
}

function trainingSpec(kind: CampaignKind, { pods, ending, restartPolicy, runPolicy }: JobShape): object {
  const roles = kind.rolesOf(pods).map(({ name, replicas, endless = false }) => {
    const template = { metadata: endless ? {} : simulated(ending), spec: { containers: [containerOf(kind)] } };
    // An MPIJob's launcher in a Job accepts only these.
    const policy = name === 'Launcher' && restartPolicy !== 'OnFailure' ? 'Never' : restartPolicy;
    return [name, { replicas, restartPolicy: policy, template }];
  });
  return { ...kind.spec, runPolicy, [kind.roles ?? '']: Object.fromEntries(roles) as object };
}

function rayClusterSpec(kind: CampaignKind, { pods, runPolicy }: JobShape): object {
  const template = { spec: { containers: [containerOf(kind)] } };
  const [group] = kind.rolesOf(pods);
  return {
    ...(runPolicy['suspend'] === true && { suspend: true }),
    rayVersion: '2.60.0',
    headGroupSpec: { rayStartParams: {}, template },
    workerGroupSpecs: [{ groupName: group?.name, replicas: group?.replicas, rayStartParams: {}, template }],
  };
}

function simulated({ exitCode, afterMs }: Ending): object {
  if (exitCode === undefined) return {};
  return {
    labels: { [SIMULATE_LABEL]: exitCode === 0 ? 'succeed' : 'fail' },
    annotations: { [SIMULATE_AFTER_ANNOTATION]: `${afterMs}ms`, [SIMULATE_EXIT_CODE_ANNOTATION]: String(exitCode) },
  };
}

function containerOf({ container }: CampaignKind) {
  return { name: container, image: 'registry.example/train:1', command: ['train'] };
}
