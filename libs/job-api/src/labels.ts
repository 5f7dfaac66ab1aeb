/**
 * Labels of a job's pods and Services. Keys and values are those of Kubeflow's training operator, which scripts, the
 * Python SDK and dashboards select by. Muster can adopt jobs that were started there. Meaning of each label: {@link
 * LABEL_MEANINGS}.
 */
export const LABELS = {
  operatorName: 'training.kubeflow.org/operator-name',
  jobName: 'training.kubeflow.org/job-name',
  replicaType: 'training.kubeflow.org/replica-type',
  replicaIndex: 'training.kubeflow.org/replica-index',
  jobRole: 'training.kubeflow.org/job-role',
  /**
   * Sum of `status.attempt` and `status.replicaStatuses.<role>.attempt` when the pod was created. Neither decreases,
   * so a pod with a smaller number belongs to an earlier attempt. Absent: 0.
   */
  attempt: 'muster.dev/attempt',
  ordinal: 'muster.dev/ordinal',
  gangScheduler: 'muster.dev/gang-scheduler',
} as const;

/** The value of {@link LABELS}`.jobRole` on the pod that leads the job. */
export const JOB_ROLE_MASTER = 'master';

/** The values of {@link LABELS}`.operatorName`, by kind of job. */
export const OPERATOR_NAMES = {
  TFJob: 'tfjob-controller',
  PyTorchJob: 'pytorchjob-controller',
  MXJob: 'mxjob-controller',
  PaddleJob: 'paddlejob-controller',
  JAXJob: 'jaxjob-controller',
  XGBoostJob: 'xgboostjob-controller',
  /** v1alpha1 and v2beta1. */
  MPIJob: 'mpi-operator',
  MPIJobV1: 'mpijob-controller',
} as const;

/** Meaning of each label, for the reference pages. */
export const LABEL_MEANINGS: Readonly<Record<keyof typeof LABELS, string>> = {
  operatorName: 'Operator that owns the object, for example `pytorchjob-controller`.',
  jobName: 'Name of the job.',
  replicaType: 'The role in lower case, for example `worker`.',
  replicaIndex: 'Index of the replica within its role, from 0.',
  jobRole:
    '`master` on the pod that leads the job; absent on all others. On pods of MPIJobs of v2beta1 and v1alpha1: `launcher` or ' +
    '`worker`.',
  attempt:
    'On pods created after all pods of the job or of the role were recreated together: how often that ' +
    'happened. Absent: never.',
  ordinal: 'On pods of a RayCluster: the number in the pod name, which is never reused in the group.',
  gangScheduler: 'On pods that YuniKorn or KAI starts together: `yunikorn` or `kai-scheduler`.',
};
