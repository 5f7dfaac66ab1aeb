/** Reads a PyTorchJob as roles and options, with upstream's defaults. */
import { readRoles, withBounds, type BoundedPolicy, type TrainingJob } from '@muster/common-job-controller';
import { PYTORCH_ROLES, type PyTorchElasticPolicy, type PyTorchJob } from '@muster/job-api';
import { PYTORCH_MAIN } from './pytorch-main.ts';

export interface PyTorchOptions {
  readonly hasMaster: boolean;
  /** Processes per pod for torchrun; undefined if the deprecated field of the elastic policy has them. */
  readonly nprocPerNode: string | undefined;
  readonly elasticPolicy: BoundedPolicy<PyTorchElasticPolicy> | undefined;
}

const PEERS_MAY_WAIT =
  'Pods that were connecting at that moment may wait for the lost process until the timeout of init_process_group (30 minutes ' +
  'by default with gloo, 10 with NCCL). If they do, delete them. To restart all replicas together each time, use a rule with ' +
  'action RestartJob in spec.runPolicy.failurePolicy.';

/** Follows kubeflow/training-operator, pkg/apis/kubeflow.org/v1/pytorch_defaults.go. */
export function readPyTorchJob({ spec, status }: PyTorchJob): Pick<TrainingJob<PyTorchOptions>, 'roles' | 'options'> {
  const roles = readRoles(spec.pytorchReplicaSpecs, {
    ...PYTORCH_MAIN,
    roleNames: PYTORCH_ROLES,
    defaultRestartPolicy: 'OnFailure',
  });
  const { elasticPolicy, nprocPerNode } = spec;
  const workers = roles.find(({ name }) => name === 'Worker')?.replicas ?? 0;
  const isAlone = roles.reduce((sum, { replicas }) => sum + replicas, 0) <= 1;
  return {
    roles:
      elasticPolicy === undefined && !isAlone
        ? roles.map((role) => ({ ...role, peersMayWait: PEERS_MAY_WAIT }))
        : roles,
    options: {
      hasMaster: spec.pytorchReplicaSpecs.Master !== undefined,
      nprocPerNode: nprocPerNode ?? (elasticPolicy?.nProcPerNode === undefined ? 'auto' : undefined),
      elasticPolicy: withBounds(elasticPolicy, status, workers),
    },
  };
}
