/** The annotations by which a job's author asks Muster for something that the API's fields cannot say. */
export const ANNOTATIONS = {
  /** On a job: which Services its replicas get, see {@link SERVICE_MODES}. Overrides the operator's `--service-mode`. */
  serviceMode: 'muster.dev/service-mode',
  /** On a job: names of pods, separated by commas, that go first when their role is scaled down. */
  scaleDownPods: 'muster.dev/scale-down-pods',
  /** On a job: which of the gang schedulers that the operator knows starts its pods together; `none` for none. */
  gangScheduler: 'muster.dev/gang-scheduler',
  /** On a job: the label of nodes of whose one value all pods of its gang have to be. */
  gangTopology: 'muster.dev/gang-topology',
  /** On a job: how many seconds the other containers of its pods may run after the main container and the job have ended. */
  sidecarGraceSeconds: 'muster.dev/sidecar-grace-seconds',
  /** On a TFJob: `false` leaves the evaluator out of the cluster that `TF_CONFIG` describes. */
  evaluatorInCluster: 'muster.dev/evaluator-in-cluster',
  /** On an MPIJob of v2beta1: `true` has `discover_hosts.sh` name the slots of each host. */
  discoverSlots: 'muster.dev/discover-hosts-slots',
  /** On a RayCluster or its RayJob: how much of the memory limit of a Ray container Ray may plan with, over 0 and at most 1. */
  rayMemoryFraction: 'muster.dev/ray-memory-fraction',
  /** On a RayCluster or its RayJob: how many seconds a worker waits for the head before its pod fails. */
  rayGcsWaitSeconds: 'muster.dev/ray-gcs-wait-seconds',
  /** On the pod of a RayCluster's head, written by Muster: the ports of the head at its Service. */
  headPorts: 'muster.dev/head-ports',
  /** On the pod of an MPIJob's launcher, written by Muster: a digest of the hosts that run. */
  hosts: 'muster.dev/hosts',
  /** On a Job or a StatefulSet of an MPIJob, written by Muster: a digest of what it was made of. */
  template: 'muster.dev/template',
  /** On a pod, written by Muster: how often in a row its replica had failed when it was made. */
  failures: 'muster.dev/failures-in-a-row',
  /** On a pod, written by Muster: in which attempt it was last restarted in place, and when. */
  inPlace: 'muster.dev/restarted-in-place',
  /** On an EndpointSlice, written by Muster: when its endpoints were last written. */
  endpointsWritten: 'muster.dev/endpoints-written',
  /** On a job, written by Muster: what the CustomResourceDefinition of another operator has no field for. */
  status: 'muster.dev/status',
} as const;

/**
 * `PerJob`: one headless Service for all replicas, plus one for the replica that the others address.
 * `PerReplica`: a Service for each replica, as Kubeflow's operator makes them.
 */
export const SERVICE_MODES = ['PerJob', 'PerReplica'] as const;

export type ServiceMode = (typeof SERVICE_MODES)[number];

/** What each annotation asks for, for the reference pages. */
export const ANNOTATION_MEANINGS: Readonly<Record<keyof typeof ANNOTATIONS, string>> = {
  serviceMode:
    'Which Services the job gets. `PerJob`: one headless Service for all replicas, plus one for the replica that the ' +
    'others address. `PerReplica`: a Service for each replica, as under the Kubeflow training operator. ' +
    "Without it the operator's `--service-mode` applies.",
  scaleDownPods:
    'Names of pods, separated by commas, that go first when their role is scaled down. All others keep their names. ' +
    'Without it the highest indexes go first. A pod that the others address (worker 0 without a master, the host of an ' +
    'elastic rendezvous) stays all the same.',
  gangScheduler:
    'Which gang scheduler starts the pods of the job together, of those that the operator knows by `--gang-scheduler-name` and ' +
    '`--gang-schedulers`: `volcano`, `kubernetes`, `yunikorn`, `kai-scheduler`, the name of a scheduler with the plugin ' +
    'Coscheduling, or `none`. Without it ' +
    'the one that all roles name as their `schedulerName`, or else that of `--gang-scheduler-name`. A job that has pods keeps ' +
    'the one that it has begun with.',
  gangTopology:
    'The key of a label of nodes, such as `topology.kubernetes.io/rack`: all pods of the job have to be where it has one value. For the gang ' +
    'scheduler `kubernetes`; the others have annotations of their own.',
  sidecarGraceSeconds:
    'How many seconds the other containers of a pod, such as a metrics collector, may run after its main container and the job have ended. Then ' +
    'the pod is deleted, unless `cleanPodPolicy` is `None`. At least 1. Without it `--sidecar-grace-period` of the operator applies, 30 seconds ' +
    'by default.',
  evaluatorInCluster:
    'On a TFJob: `"false"` leaves the evaluator out of the cluster that `TF_CONFIG` describes, as the Estimators of ' +
    'TensorFlow 2 want it. Without it the evaluator is in the cluster, as under the Kubeflow training operator.',
  discoverSlots:
    'On an MPIJob of v2beta1: `"true"` has `discover_hosts.sh` print `host:slots`, as Elastic Horovod reads it. Without it ' +
    'it prints hosts alone, as under the MPI operator. In v1 it always prints both.',
  rayMemoryFraction:
    'On a RayCluster, or the RayJob that makes it: how much of the memory limit of each Ray container Ray may plan with, over 0 ' +
    'and at most 1, `"0.8"` for example: the rest is left to what Ray does not count. Without it all of it, as under KubeRay.',
  rayGcsWaitSeconds:
    'On a RayCluster, or the RayJob that makes it: how many seconds a worker waits for the head before its pod fails, and says ' +
    'why. Without it a worker waits for ever, as under KubeRay.',
  headPorts:
    "Written by Muster on the pod of a RayCluster's head: the ports that its Service has for it, beside those of `headService`, as long as it " +
    'runs.',
  hosts:
    "Written by Muster on the pod of an MPIJob's launcher: a digest of the hosts that run. Its change has the kubelet renew " +
    '`discover_hosts.sh` at once; without it that takes up to two minutes.',
  template:
    'Written by Muster on the Job and the StatefulSet of an MPIJob: a digest of what they were made of. By it they are made ' +
    'anew when the template of a suspended job changes.',
  inPlace:
    'In which attempt of its job the pod was last restarted in place, how often its program had been restarted before, and when; ' +
    '`ended` when there is nothing to restart any more.',
  failures:
    'Written by Muster on a pod that is made in place of a failed one: how often in a row the replica has failed. The next ' +
    'attempt waits for the longer the more failures. A replica whose pod somebody deletes begins anew.',
  endpointsWritten:
    'Written by Muster on the EndpointSlices of a job: when their endpoints were last written. Changes that follow closely are ' +
    'gathered.',
  status:
    'Written by Muster, and only where the installed CustomResourceDefinition is not its own: the part of the status ' +
    'that the definition has no fields for, as JSON.',
};
