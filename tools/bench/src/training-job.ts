/** The jobs that are measured: their pods start at once on simulated nodes, and succeed soon after. */
import { SIMULATE_AFTER_ANNOTATION, SIMULATE_LABEL } from '@muster/cluster';
import {
  MPI_JOBS,
  MX_JOBS,
  PYTORCH_JOBS,
  TF_JOBS,
  XGBOOST_JOBS,
  type Pod,
  JAX_JOBS,
  PADDLE_JOBS,
} from '@muster/job-api';
import type { JobKind, JobObject } from './kinds/job-kind.ts';

export type { JobObject } from './kinds/job-kind.ts';

/** What the measurement needs to know about a kind. */
export interface MeasuredKind extends JobKind {
  /** The field of the spec that has the roles. */
  readonly roles: string;
  /** Distributes `pods` pods over the roles; roles whose pods never end by themselves are marked. */
  rolesOf(pods: number): readonly { readonly name: string; readonly replicas: number; readonly endless?: boolean }[];
  readonly spec?: object;
}

const workersOnly = (pods: number) => [{ name: 'Worker', replicas: pods }];

function measured(shape: Omit<MeasuredKind, 'manifest'>): MeasuredKind {
  const kind: MeasuredKind = {
    ...shape,
    manifest: (name, pods, trainingMs) => trainingJob(kind, name, pods, trainingMs),
  };
  return kind;
}

export const MEASURED_KINDS: Readonly<Record<string, MeasuredKind>> = {
  'pytorch-elastic': measured({
    resource: PYTORCH_JOBS,
    roles: 'pytorchReplicaSpecs',
    container: 'pytorch',
    rolesOf: workersOnly,
  }),
  tensorflow: measured({
    resource: TF_JOBS,
    roles: 'tfReplicaSpecs',
    container: 'tensorflow',
    // By default a TFJob ends with its first worker.
    spec: { successPolicy: 'AllWorkers' },
    rolesOf: workersOnly,
  }),
  mpi: measured({
    resource: MPI_JOBS,
    roles: 'mpiReplicaSpecs',
    container: 'mpi',
    rolesOf: (pods) => [
      { name: 'Launcher', replicas: 1 },
      { name: 'Worker', replicas: pods - 1, endless: true },
    ],
  }),
  xgboost: measured({
    resource: XGBOOST_JOBS,
    roles: 'xgbReplicaSpecs',
    container: 'xgboost',
    rolesOf: (pods) => [
      { name: 'Master', replicas: 1 },
      { name: 'Worker', replicas: pods - 1 },
    ],
  }),
  jax: measured({
    resource: JAX_JOBS,
    roles: 'jaxReplicaSpecs',
    container: 'jax',
    rolesOf: workersOnly,
  }),
  paddle: measured({
    resource: PADDLE_JOBS,
    roles: 'paddleReplicaSpecs',
    container: 'paddle',
    rolesOf: (pods) => [
      { name: 'Master', replicas: 1 },
      { name: 'Worker', replicas: pods - 1 },
    ],
  }),
  mxnet: measured({
    resource: MX_JOBS,
    roles: 'mxReplicaSpecs',
    container: 'mxnet',
    spec: { jobMode: 'MXTrain' },
    rolesOf: (pods) => [
      { name: 'Scheduler', replicas: 1, endless: true },
      { name: 'Server', replicas: 1, endless: true },
      { name: 'Worker', replicas: pods - 2 },
    ],
  }),
};

/** Throws if scenarios of jobs do not support the framework. */
export function measuredKind(framework: string): MeasuredKind {
  const kind = MEASURED_KINDS[framework];
  if (kind === undefined)
    throw new Error(`--framework ${framework}: this scenario supports ${Object.keys(MEASURED_KINDS).join(', ')}`);
  return kind;
}

/** Optional fields of the job. */
interface Extras {
  /** Of each role. */
  readonly restartPolicy?: string;
  readonly runPolicy?: object;
}

export function trainingJob(
  kind: MeasuredKind,
  name: string,
  pods: number,
  trainingMs: number | undefined,
  { restartPolicy, runPolicy }: Extras = {},
): JobObject {
  const roles = kind.rolesOf(pods).map(({ name: role, replicas, endless = false }) => {
    const metadata = endless || trainingMs === undefined ? {} : endsWell(trainingMs);
    const template = { metadata, spec: { containers: [containerOf(kind)] } };
    return [role, { replicas, template, ...(restartPolicy !== undefined && { restartPolicy }) }] as const;
  });
  const { apiVersion, kind: kindName } = {
    apiVersion: `${kind.resource.group}/${kind.resource.version}`,
    kind: kind.resource.kind,
  };
  return {
    apiVersion,
    kind: kindName,
    metadata: { name },
    ...{
      spec: { ...kind.spec, ...(runPolicy !== undefined && { runPolicy }), [kind.roles]: Object.fromEntries(roles) },
    },
  };
}

/** A pod like those of the job, with all fields that cause work in the cluster. */
export function barePod(kind: JobKind, name: string, labels: Record<string, string>, trainingMs: number | undefined) {
  const simulated = trainingMs === undefined ? undefined : endsWell(trainingMs);
  const spec = { containers: [containerOf(kind)], restartPolicy: 'OnFailure' };
  const metadata = {
    name,
    labels: { ...labels, ...simulated?.labels },
    ...(simulated && { annotations: simulated.annotations }),
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

function endsWell(trainingMs: number) {
  return {
    labels: { [SIMULATE_LABEL]: 'succeed' },
    annotations: { [SIMULATE_AFTER_ANNOTATION]: `${trainingMs}ms` },
  };
}

export function containerOf({ container }: JobKind) {
  return { name: container, image: 'registry.example/train:1', command: ['train'] };
}

/** A failed pod, as a kubelet reports it. */
export function failedStatus(kind: JobKind, exitCode: number): NonNullable<Pod['status']> {
  const { name, image } = containerOf(kind);
  const state = { terminated: { exitCode, reason: 'Error' } };
  return { phase: 'Failed', containerStatuses: [{ name, image, imageID: '', ready: false, restartCount: 0, state }] };
}
