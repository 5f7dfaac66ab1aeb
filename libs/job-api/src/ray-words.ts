/** What the kinds of `ray.io` say in conditions, reasons, labels and annotations, for the reference pages. All but those of `muster.dev` are KubeRay's. */
import { ANNOTATION_MEANINGS, ANNOTATIONS } from './annotations.ts';
import type { KindWords } from './kind-definition.ts';

const LABELS = {
  'ray.io/is-ray-node': '`yes` on every pod of a cluster.',
  'ray.io/cluster': "The cluster's name.",
  'ray.io/node-type': '`head` or `worker`.',
  'ray.io/group': '`headgroup`, or the name of the worker group.',
  'ray.io/identifier': "The cluster's name and `head` or `worker`.",
  'app.kubernetes.io/name': '`kuberay`, by which dashboards find the pods.',
  'app.kubernetes.io/created-by': '`kuberay-operator`, for the same reason.',
  'app.kubernetes.io/managed-by': '`muster`.',
};

const ASKS_FOR = {
  'ray.io/ft-enabled':
    '`"true"`: GCS fault tolerance with the Redis of `RAY_REDIS_ADDRESS`, the older form of `gcsFaultToleranceOptions`.',
  'ray.io/external-storage-namespace':
    'With that form: the name under which the data of the cluster stands in Redis. Default: its UID.',
  'ray.io/gcs-ft-deletion-timeout':
    'How many seconds the deletion of a cluster waits until its data in Redis are deleted. Default 300.',
  'ray.io/overwrite-container-cmd':
    '`"true"` leaves the command of the Ray containers as it is written; what Muster would run stands in `KUBERAY_GEN_RAY_START_CMD`.',
  'ray.io/disable-provisioned-head-restart': '`"true"`: a head that was ready once is not recreated.',
  [ANNOTATIONS.rayMemoryFraction]: ANNOTATION_MEANINGS.rayMemoryFraction,
  [ANNOTATIONS.rayGcsWaitSeconds]: ANNOTATION_MEANINGS.rayGcsWaitSeconds,
  [ANNOTATIONS.gangScheduler]: ANNOTATION_MEANINGS.gangScheduler,
  [ANNOTATIONS.gangTopology]: ANNOTATION_MEANINGS.gangTopology,
};

export const RAY_CLUSTER_WORDS: KindWords = {
  conditions: {
    HeadPodReady: 'The head pod is ready.',
    RayClusterProvisioned:
      'All pods have been ready together once. Stays True when pods fail later; suspension takes it back.',
    RayClusterSuspending: 'The cluster is to be suspended, and has pods yet.',
    RayClusterSuspended: 'The cluster is suspended, and has no pods.',
    ReplicaFailure:
      'Something that the cluster needs cannot be made, changed or deleted for now. The condition goes when all is done.',
  },
  reasons: {
    HeadPodRunningAndReady: 'On HeadPodReady.',
    HeadPodNotFound: 'On HeadPodReady, when there is no head pod.',
    AllPodRunningAndReadyFirstTime: 'On RayClusterProvisioned.',
    RayClusterPodsProvisioning: 'On RayClusterProvisioned, while pods are made.',
  },
  labels: LABELS,
  annotations: ASKS_FOR,
};

export const RAY_JOB_WORDS: KindWords = {
  conditions: {},
  reasons: {
    AppFailed: 'When the entrypoint failed, or the head was lost and with it what Ray knew of the job.',
    SubmissionFailed: 'When the submitter failed or was deleted and Ray does not have the job, or Ray refuses it.',
    DeadlineExceeded: 'When the job was active for longer than `activeDeadlineSeconds`.',
    PreRunningDeadlineExceeded: 'When the job did not run after `preRunningDeadlineSeconds`.',
    JobDeploymentStatusTransitionGracePeriodExceeded:
      'When the submitter ended and Ray did not confirm within 30 s that it has the job.',
    JobStatusCheckTimeoutExceeded: 'When the dashboard did not answer for 300 s.',
    ValidationFailed: 'When the spec or an annotation cannot be run and admission could not see it.',
  },
  labels: {
    ...LABELS,
    'ray.io/originated-from-cr-name': "On the job's cluster: the job's name.",
    'ray.io/originated-from-crd': "On the job's cluster: `RayJob`.",
  },
  annotations: {
    ...ASKS_FOR,
    [ANNOTATIONS.sidecarGraceSeconds]:
      'For how many seconds after its end a RayJob that a deletion rule deletes stays while its submitter still runs; ' +
      'and after which the submitter of a RayJob that ended before the job of Ray is deleted where the cluster stays, if that is longer ' +
      'than 15 seconds. At least 1. Without it `--sidecar-grace-period` of the operator applies, 30 seconds by default.',
  },
};
