/**
 * The labels on a job's pods and Services. Keys and values are those of Kubeflow's training operator, because scripts,
 * the Python SDK and dashboards select by them; a job that was started there can be found and taken over here.
 */
export const LABELS = {
  /** Which operator owns the object: one of {@link OPERATOR_NAMES}. */
  operatorName: 'training.kubeflow.org/operator-name',
  /** The job's name. */
  jobName: 'training.kubeflow.org/job-name',
  /** The role in lower case, for example `worker`. */
  replicaType: 'training.kubeflow.org/replica-type',
  /** The number of the replica within its role, in decimal, from 0. */
  replicaIndex: 'training.kubeflow.org/replica-index',
  /** `master` on the pod that leads the job; absent on all others. Of two generations of MPIJob, the role. */
  jobRole: 'training.kubeflow.org/job-role',
  /**
   * How often all pods of the job, or of the pod's role, had been recreated together when the pod was made: the sum of
   * `status.attempt` and `status.replicaStatuses.<role>.attempt`. Neither ever falls, so a pod with a smaller number is one of
   * an earlier attempt. Absent: 0.
   */
  attempt: 'muster.dev/attempt',
  /** On pods whose names are never used twice: the number in the name, which is that of the pod within its role for its life. */
  ordinal: 'muster.dev/ordinal',
  /** On pods of a gang of which there is no object: the gang scheduler that they were made for. */
  gangScheduler: 'muster.dev/gang-scheduler',
} as const;

/** The value of {@link LABELS}`.jobRole` on the pod that leads the job. */
export const JOB_ROLE_MASTER = 'master';

/** The values of {@link LABELS}`.operatorName`, by kind of job. */
export const OPERATOR_NAMES = {
  TFJob: 'tfjob-controller',
  PyTorchJob: 'pytorchjob-controller',
  MXJob: 'mxjob-controller',
  /** v1alpha1 and v2beta1. */
  MPIJob: 'mpi-operator',
  MPIJobV1: 'mpijob-controller',
} as const;

/** What each label says, for the reference pages. */
export const LABEL_MEANINGS: Readonly<Record<keyof typeof LABELS, string>> = {
  operatorName: 'Which operator owns the object, for example `pytorchjob-controller`.',
  jobName: "The job's name.",
  replicaType: 'The role in lower case, for example `worker`.',
  replicaIndex: 'The number of the replica within its role, from 0.',
  jobRole:
    '`master` on the pod that leads the job; absent on all others. On pods of MPIJobs of v2beta1 and v1alpha1: `launcher` or ' +
    '`worker`.',
  attempt:
    'On a pod that was made after all pods of its job or of its role were recreated together: how often that had happened. ' +
    'Absent: never.',
  ordinal: 'On a pod of a RayCluster: the number in its name, which no other pod of its group ever had.',
  gangScheduler: 'On a pod that YuniKorn or KAI is to start together with the others: `yunikorn` or `kai-scheduler`.',
};
