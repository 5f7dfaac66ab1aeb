/** Reads a PaddleJob as roles and options, with upstream's defaults. */
import { readRoles, withBounds, type BoundedPolicy, type TrainingJob } from '@muster/common-job-controller';
import { PADDLE_ROLES, type Container, type PaddleElasticPolicy, type PaddleJob } from '@muster/job-api';
import { PADDLE_MAIN } from './paddle-main.ts';

export interface PaddleOptions {
  readonly hasMaster: boolean;
  readonly elasticPolicy: BoundedPolicy<PaddleElasticPolicy> | undefined;
  /** Whether the launcher uses etcd. Only then can the number of its nodes change while they run. */
  readonly usesEtcd: boolean;
}

/** The prefix of the launcher's master by which it uses etcd. */
const ETCD = 'etcd://';

/** Follows kubeflow/training-operator, pkg/apis/kubeflow.org/v1/paddlepaddle_defaults.go. */
export function readPaddleJob({ spec, status }: PaddleJob): Pick<TrainingJob<PaddleOptions>, 'roles' | 'options'> {
  const roles = readRoles(spec.paddleReplicaSpecs, {
    ...PADDLE_MAIN,
    roleNames: PADDLE_ROLES,
    defaultRestartPolicy: 'OnFailure',
  });
  const workers = roles.find(({ name }) => name === 'Worker')?.replicas ?? 0;
  const trainers = roles.flatMap(({ template, containerName }) =>
    (template.spec?.containers ?? []).filter(({ name }) => name === containerName),
  );
  return {
    roles,
    options: {
      hasMaster: roles.some(({ name, replicas }) => name === 'Master' && replicas > 0),
      elasticPolicy: withBounds(spec.elasticPolicy, status, workers),
      usesEtcd: trainers.some(namesEtcd),
    },
  };
}

/** By the variable PADDLE_MASTER, or by the launcher's option --master. */
function namesEtcd({ env = [], command = [], args = [] }: Container): boolean {
  return (
    env.some(({ name, value }) => name === 'PADDLE_MASTER' && value?.startsWith(ETCD)) ||
    [...command, ...args].some((each) => each.includes(ETCD))
  );
}
