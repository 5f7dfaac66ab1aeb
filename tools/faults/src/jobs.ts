/** Manifests of small jobs, with one command for each role. */
import {
  JAX_JOBS,
  MPI_JOBS,
  MX_JOBS,
  PADDLE_JOBS,
  PYTORCH_JOBS,
  TF_JOBS,
  type Container,
  type PodSpec,
  type Resource,
} from '@muster/job-api';
import type { FaultyJob } from './fault.ts';
import { SLEEP } from './programs.ts';

export const IMAGE = 'muster.local/torch-examples:2.6';
export const JAX_IMAGE = 'muster.local/jax-examples:0.10';
export const PADDLE_IMAGE = 'muster.local/paddle-examples:3.3';

export interface Role {
  readonly replicas?: number;
  readonly command?: readonly string[];
  readonly container?: Partial<Container>;
  readonly pod?: Partial<PodSpec>;
  readonly restartPolicy?: string;
}

interface Form {
  readonly resource: Resource<FaultyJob>;
  readonly roles: string;
  readonly container: string;
  readonly more?: object;
}

const FORMS = {
  pytorch: { resource: PYTORCH_JOBS, roles: 'pytorchReplicaSpecs', container: 'pytorch' },
  tensorflow: { resource: TF_JOBS, roles: 'tfReplicaSpecs', container: 'tensorflow' },
  mxnet: { resource: MX_JOBS, roles: 'mxReplicaSpecs', container: 'mxnet', more: { jobMode: 'MXTrain' } },
  jax: { resource: JAX_JOBS, roles: 'jaxReplicaSpecs', container: 'jax' },
  paddle: { resource: PADDLE_JOBS, roles: 'paddleReplicaSpecs', container: 'paddle' },
  mpi: { resource: MPI_JOBS, roles: 'mpiReplicaSpecs', container: 'mpi' },
  'mpi v1': { resource: { ...MPI_JOBS, version: 'v1' }, roles: 'mpiReplicaSpecs', container: 'mpi' },
} as const satisfies Readonly<Record<string, Form>>;

export type FormName = keyof typeof FORMS;

/** The resource and the spec of a job of that form. Pods are kept for inspection. */
export function jobOf(form: FormName, roles: Readonly<Record<string, Role>>, runPolicy: object = {}) {
  const { resource, roles: field, container, more }: Form = FORMS[form];
  const specs = Object.entries(roles).map(([name, role]) => [name, replicaSpec(container, role)] as const);
  const spec = { runPolicy: { cleanPodPolicy: 'None', ...runPolicy }, ...more, [field]: Object.fromEntries(specs) };
  return { resource: resource, spec };
}

function replicaSpec(name: string, { replicas = 1, command = SLEEP, container, pod, restartPolicy = 'Never' }: Role) {
  const main = {
    ...{ name, image: IMAGE, imagePullPolicy: 'IfNotPresent', command, resources: { requests: { cpu: '5m' } } },
    ...container,
  };
  const spec = { terminationGracePeriodSeconds: 1, ...pod, containers: [main, ...(pod?.containers ?? [])] };
  return { replicas, restartPolicy, template: { spec } };
}
