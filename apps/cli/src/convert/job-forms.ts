/** The kinds of Kubeflow that Volcano has a plugin for: what is called how in each. */
import { mpiPlugin } from '@muster/adapter-mpi';
import { mxnetPlugin } from '@muster/adapter-mxnet';
import { pytorchPlugin } from '@muster/adapter-pytorch';
import { tensorflowPlugin } from '@muster/adapter-tensorflow';
import type { FrameworkPlugin } from '@muster/volcano-job';

export interface JobForm {
  readonly apiVersion: string;
  readonly kind: string;
  /** The field of the spec that has the roles. */
  readonly roles: string;
  readonly plugin: FrameworkPlugin;
  /** The plugin's flag for each role. Of two roles with one flag a job has one, and the first is written. */
  readonly flags: Readonly<Record<string, string>>;
  /** The restart policy of a role that says none. */
  readonly restartPolicy: string;
  /** How the container is called that Kubeflow's operator looks for. Undefined: it takes any. */
  readonly container?: string;
  /** What the spec has besides, of a job with these roles: so it ends as the Volcano Job does. */
  readonly spec?: (roles: readonly string[]) => Readonly<Record<string, unknown>>;
}

const KUBEFLOW = 'kubeflow.org/v1';

export const JOB_FORMS: readonly JobForm[] = [
  {
    ...{ apiVersion: KUBEFLOW, kind: 'TFJob', roles: 'tfReplicaSpecs', plugin: tensorflowPlugin },
    flags: { PS: 'ps', Worker: 'worker', Chief: 'chief', Master: 'chief', Evaluator: 'evaluator' },
    ...{ restartPolicy: 'Never', container: 'tensorflow' },
    spec: (roles) => (roles.includes('Chief') || roles.includes('Master') ? {} : { successPolicy: 'AllWorkers' }),
  },
  {
    ...{ apiVersion: KUBEFLOW, kind: 'PyTorchJob', roles: 'pytorchReplicaSpecs', plugin: pytorchPlugin },
    flags: { Master: 'master', Worker: 'worker' },
    ...{ restartPolicy: 'OnFailure', container: 'pytorch' },
  },
  {
    ...{ apiVersion: 'kubeflow.org/v2beta1', kind: 'MPIJob', roles: 'mpiReplicaSpecs', plugin: mpiPlugin },
    flags: { Launcher: 'master', Worker: 'worker' },
    restartPolicy: 'Never',
  },
  {
    ...{ apiVersion: KUBEFLOW, kind: 'MXJob', roles: 'mxReplicaSpecs', plugin: mxnetPlugin },
    flags: { Scheduler: 'scheduler', Server: 'server', Worker: 'worker' },
    ...{ restartPolicy: 'Never', container: 'mxnet', spec: () => ({ jobMode: 'MXTrain' }) },
  },
];
