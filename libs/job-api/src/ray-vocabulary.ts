/**
 * Conditions, reasons, labels and annotations of the kinds of `ray.io`, for the reference pages. All but those of
 * `muster.dev` are KubeRay's.
 */
import { ANNOTATION_MEANINGS, ANNOTATIONS } from './annotations.ts';
import type { KindVocabulary } from './kind-definition.ts';

const LABELS = {
  'ray.io/is-ray-node': '`yes` on every pod of a cluster.',
  'ray.io/cluster': "The cluster's name.",
  'ray.io/node-type': '`head` or `worker`.',
  'ray.io/group': '`headgroup`, or the name of the worker group.',
  'ray.io/identifier': "The cluster's name and `head` or `worker`.",
  'app.kubernetes.io/name': '`kuberay`: dashboards select pods by it.',
  'app.kubernetes.io/created-by': '`kuberay-operator`, for the same reason.',
  'app.kubernetes.io/managed-by': '`muster`.',
};

const ANNOTATIONS_OF_ALL = {
  'ray.io/ft-enabled':
    '`"true"`: GCS fault tolerance with the Redis of `RAY_REDIS_ADDRESS`, the older form of `gcsFaultToleranceOptions`.',
  'ray.io/external-storage-namespace':
    "With `ray.io/ft-enabled`: namespace of the cluster's data in Redis. Default: its UID.",
  'ray.io/gcs-ft-deletion-timeout':
    'Seconds that the deletion of a cluster waits until its data in Redis are deleted. Default 300.',
  'ray.io/overwrite-container-cmd':
    '`"true"`: Muster does not change the command of the Ray containers. `KUBERAY_GEN_RAY_START_CMD` contains ' +
    'the command that it would run.',
  'ray.io/disable-provisioned-head-restart': '`"true"`: a head that was ready once is not recreated.',
  [ANNOTATIONS.rayMemoryFraction]: ANNOTATION_MEANINGS.rayMemoryFraction,
  [ANNOTATIONS.rayGcsWaitSeconds]: ANNOTATION_MEANINGS.rayGcsWaitSeconds,
  [ANNOTATIONS.gangScheduler]: ANNOTATION_MEANINGS.gangScheduler,
  [ANNOTATIONS.gangTopology]: ANNOTATION_MEANINGS.gangTopology,
};

export const RAY_CLUSTER_VOCABULARY: KindVocabulary = {
  conditions: {
    HeadPodReady: 'The head pod is ready.',
    RayClusterProvisioned:
      'All pods were ready at the same time. Stays True when pods fail later; suspension resets it.',
    RayClusterSuspending: 'The cluster is being suspended and still has pods.',
    RayClusterSuspended: 'The cluster is suspended and has no pods.',
    ReplicaFailure:
      'An object that the cluster needs cannot be created, updated or deleted at the moment. Removed when ' +
      'nothing is left to do.',
  },
  reasons: {
    HeadPodRunningAndReady: 'On HeadPodReady.',
    HeadPodNotFound: 'On HeadPodReady, when there is no head pod.',
    AllPodRunningAndReadyFirstTime: 'On RayClusterProvisioned.',
    RayClusterPodsProvisioning: 'On RayClusterProvisioned, while pods are created.',
  },
  labels: LABELS,
  annotations: {
    ...ANNOTATIONS_OF_ALL,
    [ANNOTATIONS.deleteAfter]: ANNOTATION_MEANINGS.deleteAfter,
    [ANNOTATIONS.serveProxies]: ANNOTATION_MEANINGS.serveProxies,
  },
};

const GRACE_OF_JOBS =
  'Seconds that a RayJob stays after its end while its submitter still runs, before a deletion rule ' +
  'deletes it. Also the seconds, but at least 15, after which the submitter is deleted if the RayJob ended ' +
  'before the Ray job and the cluster stays. At least 1. Default: `--sidecar-grace-period` of the ' +
  'operator, which is 30 seconds unless set.';

export const RAY_JOB_VOCABULARY: KindVocabulary = {
  conditions: {},
  reasons: {
    AppFailed: 'When the entrypoint failed, the head was lost with the state of the job, or the cluster was deleted.',
    SubmissionFailed:
      'When the submitter failed or was deleted and Ray does not have the job, or when Ray rejects the job.',
    DeadlineExceeded: 'When an attempt was active for longer than `activeDeadlineSeconds`.',
    PreRunningDeadlineExceeded:
      'When the job did not run after `preRunningDeadlineSeconds`; the message has what it waited for.',
    JobDeploymentStatusTransitionGracePeriodExceeded:
      'When the submitter ended and Ray did not confirm the job within 30 s.',
    JobStatusCheckTimeoutExceeded:
      'When the dashboard reported nothing about the job for 5 minutes, with GCS fault tolerance for 30.',
    ValidationFailed: 'When the spec or an annotation is invalid in a way that admission cannot detect.',
  },
  labels: {
    ...LABELS,
    'ray.io/originated-from-cr-name': "On the job's cluster: the job's name.",
    'ray.io/originated-from-crd': "On the job's cluster: `RayJob`.",
  },
  annotations: {
    ...ANNOTATIONS_OF_ALL,
    [ANNOTATIONS.sidecarGraceSeconds]: GRACE_OF_JOBS,
  },
};

export const RAY_CRON_JOB_VOCABULARY: KindVocabulary = {
  conditions: {
    Scheduled: 'RayJobs are created by the schedule. The message has the time of the next one, or why none is created.',
    ReplicaFailure: 'A RayJob cannot be created or deleted at the moment. Removed when nothing is left to do.',
  },
  reasons: {
    OnSchedule: 'On Scheduled.',
    Suspended: 'On Scheduled, while `suspend` is true.',
    PreviousRunActive:
      'On Scheduled, when a RayJob is due and waits until an earlier one has ended (`concurrencyPolicy: Forbid`).',
    InvalidSpec: 'On Scheduled, when the spec is invalid in a way that admission cannot detect.',
    InvalidChange:
      'On Scheduled, when the spec was changed to an invalid one: no RayJobs are created until it is corrected.',
  },
  labels: {
    'ray.io/cronjob-name': 'On its RayJobs: its name.',
  },
  annotations: {
    ...ANNOTATIONS_OF_ALL,
    [ANNOTATIONS.sidecarGraceSeconds]: GRACE_OF_JOBS,
  },
};

export const RAY_SERVICE_VOCABULARY: KindVocabulary = {
  conditions: {
    Ready: 'At least one ready pod gets requests through the serve Service. If not, the message has the cause.',
    UpgradeInProgress: 'A second cluster is created or gets requests. The message has what it waits for.',
    RollbackInProgress: 'An incremental upgrade is reversed, because the spec changed. Removed at the end.',
    Suspending: 'The service is being suspended: its clusters and Services are deleted.',
    Suspended: 'The service is suspended and has no clusters.',
    ReplicaFailure:
      'An object that the service needs cannot be created, updated or deleted at the moment. Removed when ' +
      'nothing is left to do.',
  },
  reasons: {
    NonZeroServeEndpoints: 'On Ready, when it is True.',
    ZeroServeEndpoints: 'On Ready, when no pod gets requests any more.',
    Initializing: 'On Ready and UpgradeInProgress, until the first cluster gets requests.',
    InitializingTimeout:
      'On Ready, when the service was not ready in the time of `ray.io/initializing-timeout`. A changed spec tries again.',
    ValidationFailed: 'On Ready, when the spec or an annotation of a new service is invalid.',
    BothActivePendingClustersExist: 'On UpgradeInProgress, when it is True.',
    NoPendingCluster: 'On UpgradeInProgress, when there is one cluster.',
    NoActiveCluster: 'On UpgradeInProgress, when no cluster gets requests.',
    DesiredClusterSpecChanged: 'On RollbackInProgress.',
    SuspendRequested: 'On Suspending, at first.',
    SuspendInProgress: 'On Suspending, Ready and UpgradeInProgress, until all clusters are gone.',
    SuspendComplete: 'On Suspended, Ready and UpgradeInProgress.',
    RayServiceResumed: 'On Suspended, when it is False.',
  },
  labels: {
    ...LABELS,
    'ray.io/serve': '`"true"` on pods that get requests: workers, and a head whose proxy of Ray Serve is healthy.',
    'ray.io/originated-from-cr-name': "On the service's clusters, Services and pods: its name.",
    'ray.io/originated-from-crd': "On the service's clusters, Services and pods: `RayService`.",
  },
  annotations: {
    ...ANNOTATIONS_OF_ALL,
    'ray.io/initializing-timeout':
      'Time in which a new service has to become ready, such as `10m` or `600` (seconds). Then its cluster is ' +
      'deleted. Default: no limit.',
  },
};
