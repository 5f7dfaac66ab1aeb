/** A PyTorchJob's manifest as roles and options, with upstream's defaults. */
import { readRoles, type TrainingJob } from '@muster/common-job-controller';
import { PYTORCH_ROLES, type PyTorchElasticPolicy, type PyTorchJob } from '@muster/job-api';
import { PYTORCH_MAIN } from './pytorch-main.ts';

export interface PyTorchOptions {
  readonly hasMaster: boolean;
  /** Processes per pod for torchrun; undefined when the deprecated field of the elastic policy says it. */
  readonly nprocPerNode: string | undefined;
  /** With both bounds filled in. */
  readonly elasticPolicy: (PyTorchElasticPolicy & { minReplicas: number; maxReplicas: number }) | undefined;
}

/** Follows kubeflow/training-operator, pkg/apis/kubeflow.org/v1/pytorch_defaults.go. */
export function readPyTorchJob({ spec, status }: PyTorchJob): Pick<TrainingJob<PyTorchOptions>, 'roles' | 'options'> {
  const roles = readRoles(spec.pytorchReplicaSpecs, {
    ...PYTORCH_MAIN,
    roleNames: PYTORCH_ROLES,
    defaultRestartPolicy: 'OnFailure',
  });
  const { elasticPolicy, nprocPerNode } = spec;
  const workers = roles.find(({ name }) => name === 'Worker')?.replicas ?? 0;
  const { minReplicas: min = elasticPolicy?.maxReplicas, maxReplicas: max = elasticPolicy?.minReplicas } =
    elasticPolicy ?? {};
  return {
    roles,
    options: {
      hasMaster: spec.pytorchReplicaSpecs.Master !== undefined,
      nprocPerNode: nprocPerNode ?? (elasticPolicy?.nProcPerNode === undefined ? 'auto' : undefined),
      elasticPolicy: elasticPolicy && {
        ...elasticPolicy,
        // Pods are told the bounds, so a job of which none is given keeps those that it began with.
        minReplicas: min ?? status?.elastic?.minReplicas ?? workers,
        maxReplicas: max ?? status?.elastic?.maxReplicas ?? workers,
      },
    },
  };
}
