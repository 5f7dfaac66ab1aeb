/** K8sJobMode. The pods are those of its RayCluster, of the same operator, and the submitter Job's. */
import { createJobOperator, type FrameworkAdapter } from '@muster/common-job-controller';
import {
  crdFor,
  MANAGED_BY_MULTIKUEUE,
  RAY_JOBS,
  rayJobDefinition,
  type Pod,
  type RayJob,
  type RayJobSpec,
} from '@muster/job-api';
import {
  loneOperatorOptions,
  started,
  type ConformanceFramework,
  type JobShape,
  type OperatorStart,
} from '@muster/testing';
import { Registry } from 'prom-client';
import { rayClusterAdapter } from '../src/cluster/ray-cluster-adapter.ts';
import { rayJobAdapter } from '../src/job/ray-job-adapter.ts';
import { RAY_LABELS } from '../src/model/ray-labels.ts';
import { dashboardOfPods, SUBMITTED_BY } from './dashboard-of-pods.ts';
import { rayClusterConformance } from './ray-cluster-conformance.ts';

const submitterPod = (job: string) => `${job}-submitter`;

const clusterPods = (job: string, workers: number) => rayClusterConformance.podNames(job, workers);

const podNames = (job: string, workers: number) => [submitterPod(job), ...clusterPods(job, workers)];

const OF_CLUSTER = 'the pods are those of its RayCluster, for which this case runs separately';
const COLLECTED = "its RayCluster is deleted by Kubernetes' garbage collector, which may take longer than the pods";
const NO_SIZE = 'a RayJob has no size: later changes of its rayClusterSpec have no effect';
const DECIDED_BY_RAY = "a RayJob fails with Ray's job or its submitter, not with a pod of its cluster";
const OTHER_NAMES = 'a RayJob adopts no objects: its cluster and its submitter are created for it';
const DELETION_STRATEGY = 'deletionStrategy of a RayJob determines what is kept, not cleanPodPolicy';
const NOT_SUSPENDED = 'a RayJob with deletionRules cannot be suspended';
const OWN_START_DEADLINE = 'a RayJob has spec.preRunningDeadlineSeconds instead';
const NO_SERVICE_MODE = 'pods of a RayJob connect to the address of the head';
const NO_RUN_POLICY = 'Ray handles failures itself: its kinds have no run policy';
const OWN_RECORD = "KubeRay's definition has no field of the engine's record, so all of it is in the annotation";
const NOT_KUBEFLOWS = "kubeflow's training operator runs no RayJobs";

/** Cases that do not apply to a RayJob, by a part of topic or name, and the reason. */
const DO_NOT_APPLY: readonly (readonly [RegExp, string])[] = [
  [/taking over from kubeflow/, NOT_KUBEFLOWS],
  [
    /a pod that is lost: (?!deleted after it has succeeded .counted)|restarts and their limit|waits to be restarted|that fails after restarts/,
    OF_CLUSTER,
  ],
  [/has condition Restarting|has failed before|clock that is set back|(counts|limits) of restarts/, OF_CLUSTER],
  [
    /refusals: (pods|a (lost )?pod|a template)|several at a time|share a status write|before its pods are created/,
    OF_CLUSTER,
  ],
  [/an unschedulable pod|in several reconcile runs|a pod that the kubelet cannot start/, OF_CLUSTER],
  [/a wide job: is deleted/, COLLECTED],
  [/the number of replicas|a wide job: shrinks|an invalid size/, NO_SIZE],
  [/has Failed: |condition Failed that|ended by its main containers/, DECIDED_BY_RAY],
  [/\(Orphan\)|recreated at once/, OTHER_NAMES],
  [/cleanPodPolicy (?!unset)/, DELETION_STRATEGY],
  [/neither deadline nor time to live/, NOT_SUSPENDED],
  [/startDeadlineSeconds/, OWN_START_DEADLINE],
  [/in mode PerJob|an invalid annotation value/, NO_SERVICE_MODE],
  [/fits into upstream fields/, OWN_RECORD],
  [/a failure policy|a policy recreates all pods/, NO_RUN_POLICY],
];

function whyNot(topic: string, name: string): string | undefined {
  return DO_NOT_APPLY.find(([part]) => part.test(`${topic}: ${name}`))?.[1];
}

/** The cluster is deleted when the job has ended, and the job after its time to live, if it has one. */
function deletion({ ttlSecondsAfterFinished: ttlSeconds }: JobShape['runPolicy']): Partial<RayJobSpec> {
  if (ttlSeconds === undefined) return { shutdownAfterJobFinishes: true };
  return {
    deletionStrategy: {
      deletionRules: [
        { policy: 'DeleteCluster', condition: { jobStatus: 'SUCCEEDED', ttlSeconds: 0 } },
        { policy: 'DeleteSelf', condition: { jobStatus: 'SUCCEEDED', ttlSeconds } },
      ],
    },
  };
}

function manifest(shape: JobShape): RayJob {
  const { name, namespace, annotations, runPolicy, template } = shape;
  const { suspend = false, managedBy, activeDeadlineSeconds } = runPolicy;
  const { spec: rayClusterSpec } = rayClusterConformance.manifest({ ...shape, restartPolicy: 'Always', runPolicy: {} });
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      entrypoint: 'python train.py',
      suspend,
      ...(managedBy === MANAGED_BY_MULTIKUEUE && { managedBy }),
      ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
      ...deletion(runPolicy),
      rayClusterSpec: rayClusterSpec as RayJobSpec['rayClusterSpec'],
      submitterPodTemplate: { ...template, spec: { containers: [], ...template.spec, restartPolicy: 'Never' } },
    } as RayJobSpec,
  };
}

/** An attempt's cluster has the name `<job>-<5 characters>`, and the submitter's pod its Job's name with a suffix. */
function knownAs({ metadata }: Pod): string {
  const { name = '', labels = {} } = metadata ?? {};
  const { [RAY_LABELS.cluster]: cluster, [RAY_LABELS.originName]: job = '', [SUBMITTED_BY]: submitter } = labels;
  if (submitter !== undefined) return submitterPod(submitter);
  return cluster === undefined ? name : name.replace(cluster, job);
}

/** @param client for the dashboards' answers. Not the operators', whose requests are counted. */
export function rayJobConformance(client: OperatorStart['client']): ConformanceFramework {
  return {
    resource: RAY_JOBS as ConformanceFramework['resource'],
    crd: crdFor(rayJobDefinition),
    operatorName: rayClusterConformance.operatorName,
    containerName: 'ray',
    workerRole: rayClusterConformance.workerRole,
    manifest: (shape) => manifest(shape) as ReturnType<ConformanceFramework['manifest']>,
    podNames,
    decidingPods: (job) => [submitterPod(job)],
    lastPods: (job) => [submitterPod(job)],
    endlessPods: clusterPods,
    podsOfWorkloads: podNames,
    ownsNoPods: true,
    knownAs,
    hasOwnNetwork: true,
    eventsOfALife: { SuccessfulCreateRayCluster: 1, SuccessfulCreateJob: 1, SuccessfulDeleteRayCluster: 1 },
    jobLabel: RAY_LABELS.originName,
    labelSelector: RAY_LABELS.cluster,
    recordIn: 'muster',
    suspension: (suspend) => ({ suspend }),
    deadline: { message: '(spec.activeDeadlineSeconds)', podsLeft: (job) => [submitterPod(job)] },
    doesNotApply: whyNot,
    ownedJobs: rayClusterConformance,
    startOperator(start) {
      const registry = new Registry();
      const adapters: [FrameworkAdapter, FrameworkAdapter] = [
        rayClusterAdapter(),
        { ...rayJobAdapter(), resource: start.resource },
      ];
      const options = { ...loneOperatorOptions(start), adapters, registry, sendProbe: dashboardOfPods(client) };
      return started(createJobOperator(options), registry);
    },
  };
}
