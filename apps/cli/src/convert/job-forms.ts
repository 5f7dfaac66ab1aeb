/** The kinds of Kubeflow for which Volcano has a plugin, with the names used by each. */
import { mpiPlugin } from '@muster/adapter-mpi';
import { mxnetPlugin } from '@muster/adapter-mxnet';
import { pytorchPlugin } from '@muster/adapter-pytorch';
import { tensorflowPlugin } from '@muster/adapter-tensorflow';
import type { FrameworkPlugin } from '@muster/volcano-job';

export interface JobForm {
  readonly apiVersion: string;
  readonly kind: string;
  /** The field of the spec with the roles. */
  readonly roles: string;
  readonly plugin: FrameworkPlugin;
  /** The plugin's flag for each role. A job has only one of two roles with the same flag; a converted one gets the first. */
  readonly flags: Readonly<Record<string, string>>;
  /** The default restart policy of a role. */
  readonly restartPolicy: string;
  /** The name of the container that Kubeflow's operator needs. Undefined: any. */
  readonly container?: string;
  /** Further fields of the spec of a job with these roles, so that it ends as the Volcano Job does. */
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
