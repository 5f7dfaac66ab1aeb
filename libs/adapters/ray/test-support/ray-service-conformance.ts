/** The pods are those of its RayCluster, of the same operator. Ray Serve accepts each config. */
import { createJobOperator, type FrameworkAdapter } from '@muster/common-job-controller';
import {
  crdFor,
  MANAGED_BY_MULTIKUEUE,
  RAY_SERVICES,
  rayServiceDefinition,
  type Pod,
  type RayService,
  type RayServiceSpec,
} from '@muster/job-api';
import { loneOperatorOptions, started, type ConformanceFramework, type JobShape } from '@muster/testing';
import { Registry } from 'prom-client';
import { rayClusterAdapter } from '../src/cluster/ray-cluster-adapter.ts';
import { RAY_LABELS } from '../src/model/ray-labels.ts';
import { rayServiceAdapter } from '../src/service/ray-service-adapter.ts';
import { rayClusterConformance } from './ray-cluster-conformance.ts';
import { CONFIG } from './ray-services.ts';
import { serveOfPods } from './serve-of-pods.ts';

const NO_END = 'a RayService runs until it is deleted';
const NO_LIMITS = 'a RayService has no deadline, no time to live and no limit of restarts';
const OF_CLUSTER = 'the pods are those of its RayCluster, for which this case runs separately';
const OTHER_NAMES = 'a RayService adopts no objects: its clusters are created for it';
const OTHER_SELECTOR = 'the Services of a RayService have its label, and the pods also that of its RayCluster';
const NO_SERVICE_MODE = 'pods of a RayService connect to the address of the head';
const NO_RUN_POLICY = 'Ray handles failures itself: its kinds have no run policy';
const OWN_RECORD = "KubeRay's definition has no field of the engine's record, so all of it is in the annotation";
const NOT_KUBEFLOWS = "kubeflow's training operator runs no RayServices";

/** Cases that do not apply to a RayService, by a part of topic or name, and the reason. */
const DO_NOT_APPLY: readonly (readonly [RegExp, string])[] = [
  [/taking over from kubeflow/, NOT_KUBEFLOWS],
  [/the pods of a finished job|after its end|succeeded|its pods ended without|observes the end of a job/, NO_END],
  [/the condition (Succeeded|Failed) that another client has removed/, NO_END],
  [/: .*(deadline|time to live|ttlSeconds|activeDeadline|startDeadline|backoffLimit|limits of restarts)/, NO_LIMITS],
  [/a pod that is lost|restarts and their limit|waits to be restarted|that fails after restarts/, OF_CLUSTER],
  [/has condition Restarting|clock that is set back|counts of restarts|the number of replicas/, OF_CLUSTER],
  [
    /refusals: (pods|a (lost )?pod|a template)|several at a time|share a status write|before its pods are created/,
    OF_CLUSTER,
  ],
  [/an unschedulable pod|in several reconcile runs|a pod that the kubelet cannot start/, OF_CLUSTER],
  [/\(Orphan\)|recreated at once/, OTHER_NAMES],
  [/lists and watches only/, OTHER_SELECTOR],
  [/in mode PerJob|an invalid annotation value/, NO_SERVICE_MODE],
  [/fits into upstream fields/, OWN_RECORD],
  [/a failure policy|a policy recreates all pods/, NO_RUN_POLICY],
];

function whyNot(topic: string, name: string): string | undefined {
  return DO_NOT_APPLY.find(([part]) => part.test(`${topic}: ${name}`))?.[1];
}

const podNames = (service: string, workers: number) => rayClusterConformance.podNames(service, workers);

function manifest(shape: JobShape): RayService {
  const { name, namespace, annotations, runPolicy } = shape;
  const { suspend = false, managedBy } = runPolicy;
  const { spec: rayClusterConfig } = rayClusterConformance.manifest({
    ...shape,
    restartPolicy: 'Always',
    runPolicy: {},
  });
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayService',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      suspend,
      ...(managedBy === MANAGED_BY_MULTIKUEUE && { managedBy }),
      serveConfigV2: CONFIG,
      rayClusterConfig: rayClusterConfig as RayServiceSpec['rayClusterConfig'],
    },
  };
}

/** Its cluster has the name `<service>-<5 characters>`. */
function knownAs({ metadata }: Pod): string {
  const { name = '', labels = {} } = metadata ?? {};
  const { [RAY_LABELS.cluster]: cluster, [RAY_LABELS.originName]: service = '' } = labels;
  return cluster === undefined ? name : name.replace(cluster, service);
}

export const rayServiceConformance: ConformanceFramework = {
  resource: RAY_SERVICES as ConformanceFramework['resource'],
  crd: crdFor(rayServiceDefinition),
  operatorName: rayClusterConformance.operatorName,
  containerName: rayClusterConformance.containerName,
  workerRole: rayClusterConformance.workerRole,
  manifest: (shape) => manifest(shape) as ReturnType<ConformanceFramework['manifest']>,
  podNames,
  decidingPods: () => [],
  podsOfWorkloads: podNames,
  ownsNoPods: true,
  knownAs,
  hasOwnNetwork: true,
  eventsOfALife: { SuccessfulCreateRayCluster: 1, SuccessfulCreateService: 1, UpdatedServeApplications: 1 },
  jobLabel: RAY_LABELS.originName,
  labelSelector: RAY_LABELS.cluster,
  recordIn: 'muster',
  suspension: (suspend) => ({ suspend }),
  isEndless: true,
  doesNotApply: whyNot,
  ownedJobs: rayClusterConformance,
  startOperator(start) {
    const registry = new Registry();
    const adapters: [FrameworkAdapter, FrameworkAdapter] = [
      rayClusterAdapter(),
      { ...rayServiceAdapter(), resource: start.resource },
    ];
    const options = { ...loneOperatorOptions(start), adapters, registry, sendProbe: serveOfPods };
    return started(createJobOperator(options), registry);
  },
};
