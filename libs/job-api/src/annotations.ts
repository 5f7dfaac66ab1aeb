/** Annotations in `muster.dev/`. Meaning of each: {@link ANNOTATION_MEANINGS}. */
export const ANNOTATIONS = {
  serviceMode: 'muster.dev/service-mode',
  scaleDownPods: 'muster.dev/scale-down-pods',
  gangScheduler: 'muster.dev/gang-scheduler',
  gangTopology: 'muster.dev/gang-topology',
  sidecarGraceSeconds: 'muster.dev/sidecar-grace-seconds',
  evaluatorInCluster: 'muster.dev/evaluator-in-cluster',
  discoverSlots: 'muster.dev/discover-hosts-slots',
  rayMemoryFraction: 'muster.dev/ray-memory-fraction',
  rayGcsWaitSeconds: 'muster.dev/ray-gcs-wait-seconds',
  deleteAfter: 'muster.dev/delete-after',
  serveProxies: 'muster.dev/serve-proxies',
  headPorts: 'muster.dev/head-ports',
  hosts: 'muster.dev/hosts',
  template: 'muster.dev/template',
  failures: 'muster.dev/failures-in-a-row',
  inPlace: 'muster.dev/restarted-in-place',
  endpointsWritten: 'muster.dev/endpoints-written',
  status: 'muster.dev/status',
} as const;

/**
 * `PerJob`: one headless Service for all replicas, and one for the replica that the others connect to. `PerReplica`:
 * one Service per replica, as in Kubeflow's operator.
 */
export const SERVICE_MODES = ['PerJob', 'PerReplica'] as const;

export type ServiceMode = (typeof SERVICE_MODES)[number];

/** Meaning of each annotation, for the reference pages. */
export const ANNOTATION_MEANINGS: Readonly<Record<keyof typeof ANNOTATIONS, string>> = {
  serviceMode:
    'Services of the job. `PerJob`: one headless Service for all replicas, and one for the replica that the ' +
    'others connect to. `PerReplica`: one Service per replica, as under the Kubeflow training operator. ' +
    'Default: `--service-mode` of the operator.',
  scaleDownPods:
    'Names of pods, separated by commas, that are deleted first when their role is scaled down. All other pods ' +
    'keep their names. Default: the highest indexes are deleted first. A pod that the others connect to ' +
    '(worker 0 without a master, the host of an elastic rendezvous) is always kept.',
  gangScheduler:
    'Gang scheduler of the job: `volcano`, `kubernetes`, `yunikorn`, `kai-scheduler`, the name of a scheduler ' +
    'with the plugin Coscheduling, or `none`. The operator must have it in `--gang-scheduler-name` or ' +
    '`--gang-schedulers`. Default: the `schedulerName` that all roles set, else `--gang-scheduler-name`. A job ' +
    'that has pods keeps its gang scheduler.',
  gangTopology:
    'Key of a node label, such as `topology.kubernetes.io/rack`: all pods of the job are placed on nodes with ' +
    'the same value of it. Only for the gang scheduler `kubernetes`; the others have annotations of their own.',
  sidecarGraceSeconds:
    'Seconds that the other containers of a pod, such as a metrics collector, may run after its main container ' +
    'and the job have ended. Then the pod is deleted, unless `cleanPodPolicy` is `None`. At least 1. Default: ' +
    '`--sidecar-grace-period` of the operator, which is 30 seconds unless set.',
  evaluatorInCluster:
    'On a TFJob: `"false"` leaves the evaluator out of the cluster in `TF_CONFIG`, as Estimators of TensorFlow ' +
    '2 require. Default: the evaluator is in the cluster, as under the Kubeflow training operator.',
  discoverSlots:
    'On an MPIJob of v2beta1: `"true"` makes `discover_hosts.sh` print `host:slots`, the format of Elastic ' +
    'Horovod. Default: it prints only hosts, as under the MPI operator. In v1 it always prints both.',
  rayMemoryFraction:
    'On a RayCluster, or the RayJob, RayCronJob or RayService that creates it: fraction of the memory limit of each Ray container that ' +
    'Ray schedules with, over 0 and at most 1, for example `"0.8"`. The rest is left for memory that Ray does ' +
    'not count. Default: the whole limit, as under KubeRay.',
  rayGcsWaitSeconds:
    'On a RayCluster, or the RayJob, RayCronJob or RayService that creates it: seconds that a worker waits for the head before its pod ' +
    'fails with an error message. Default: no limit, as under KubeRay.',
  deleteAfter: 'Written by Muster on a RayCluster of a RayService that is no longer used: when it is deleted.',
  serveProxies:
    'Written by Muster on a RayCluster of a RayService: `HeadOnly` if only the head has a proxy of Ray Serve.',
  headPorts:
    'Written by Muster on the head pod of a RayCluster: the ports that the head Service has for this pod while ' +
    'it runs, in addition to those of `headService`.',
  hosts:
    'Written by Muster on the launcher pod of an MPIJob: a digest of the running hosts. When it changes, the ' +
    'kubelet updates `discover_hosts.sh` at once, instead of within two minutes.',
  template:
    'Written by Muster on the Job and the StatefulSet of an MPIJob: a digest of their template. They are ' +
    'recreated when the template of a suspended job changes.',
  inPlace:
    'Written by Muster on a pod: the attempt of the job in which the pod was last restarted in place, how ' +
    'often its program had been restarted before, and when. `ended` if there is nothing left to restart.',
  failures:
    'Written by Muster on a pod that replaces a failed one: how often in a row the replica has failed. The ' +
    'delay before the next attempt grows with it. If a user deletes the pod, the count starts again.',
  endpointsWritten:
    'Written by Muster on the EndpointSlices of a job: when their endpoints were last written. Changes in ' +
    'quick succession are batched.',
  status:
    'Written by Muster if the installed CustomResourceDefinition is not its own: the status fields that the ' +
    'definition lacks, as JSON.',
};
