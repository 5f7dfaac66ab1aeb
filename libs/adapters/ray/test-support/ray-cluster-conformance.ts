import { createJobOperator } from '@muster/common-job-controller';
import {
  crdFor,
  MANAGED_BY_MULTIKUEUE,
  RAY_CLUSTERS,
  rayClusterDefinition,
  type PodTemplateSpec,
  type RayCluster,
} from '@muster/job-api';
import type { ConformanceFramework, JobShape } from '@muster/testing';
import { loneOperatorOptions, started } from '@muster/testing';
import { Registry } from 'prom-client';
import { rayClusterAdapter } from '../src/cluster/ray-cluster-adapter.ts';
import { RAY_LABELS } from '../src/model/ray-labels.ts';

const GROUP = 'workers';

const NO_END = 'a RayCluster runs until it is deleted';
const NO_LIMITS = 'a RayCluster has no deadline, no time to live and no limit of restarts';
const NO_POLICIES = 'ended pods of a RayCluster are recreated under every restart policy';
const NEW_NAMES = 'a worker is recreated under a new name at once, beside the terminating one';
const NO_SCALE = 'a RayCluster has no scale subresource: it has several groups of workers';
const NAMED_IN_SPEC = 'a RayCluster names the workers to delete in spec.workerGroupSpecs[].scaleStrategy';
const NO_SERVICE_MODE = 'pods of a RayCluster connect to the address of the head';
const NO_RUN_POLICY = 'Ray handles failures itself: its kinds have no run policy';
const OWN_RECORD = "KubeRay's definition has no field of the engine's record, so all of it is in the annotation";
const NOT_KUBEFLOWS = "kubeflow's training operator runs no RayClusters";

/** Cases that do not apply to a RayCluster, by a part of topic or name, and the reason. */
const DO_NOT_APPLY: readonly (readonly [RegExp, string])[] = [
  [/taking over from kubeflow/, NOT_KUBEFLOWS],
  [
    /the pods of a finished job|after its end|succeeded|that fails after restarts|its pods ended without|observes the end of a job/,
    NO_END,
  ],
  [/that another client has removed is restored|a sidecar that still runs/, NO_END],
  [/: .*(deadline|time to live|ttlSeconds|activeDeadline|startDeadline|backoffLimit|limits of restarts)/, NO_LIMITS],
  [/Never: the job fails|Never: the first failure|ExitCode: retries/, NO_POLICIES],
  [/its index is used again|stuck in deletion|with its lost node/, NEW_NAMES],
  [/scale subresource/, NO_SCALE],
  [/the pods that its annotation names/, NAMED_IN_SPEC],
  [/in mode PerJob|an invalid annotation value/, NO_SERVICE_MODE],
  [/fits into upstream fields/, OWN_RECORD],
  [/a failure policy|a policy recreates all pods/, NO_RUN_POLICY],
];

function whyNot(topic: string, name: string): string | undefined {
  return DO_NOT_APPLY.find(([part]) => part.test(`${topic}: ${name}`))?.[1];
}

function managerOf(managedBy: string | undefined): Pick<RayCluster['spec'], 'managedBy'> {
  return managedBy === MANAGED_BY_MULTIKUEUE ? { managedBy } : {};
}

function manifest({ name, namespace, workers, annotations, runPolicy, restartPolicy, template }: JobShape): RayCluster {
  const { suspend = false, managedBy } = runPolicy;
  const own: PodTemplateSpec = {
    ...template,
    spec: {
      containers: [],
      ...template.spec,
      restartPolicy: restartPolicy === 'ExitCode' ? 'Never' : restartPolicy,
    },
  };
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      suspend,
      ...managerOf(managedBy),
      rayVersion: '2.60.0',
      headGroupSpec: { rayStartParams: {}, template: own },
      workerGroupSpecs: [
        {
          groupName: GROUP,
          replicas: workers,
          minReplicas: 0,
          maxReplicas: Math.max(workers, 1000),
          rayStartParams: {},
          template: own,
        },
      ],
    },
  };
}

export const rayClusterConformance: ConformanceFramework = {
  resource: RAY_CLUSTERS as ConformanceFramework['resource'],
  crd: crdFor(rayClusterDefinition),
  operatorName: 'kuberay-operator',
  containerName: 'ray',
  workerRole: GROUP,
  manifest: (shape) => manifest(shape) as ReturnType<ConformanceFramework['manifest']>,
  podNames: (job, workers) => [
    `${job}-head-0`,
    ...Array.from({ length: workers }, (_worker, index) => `${job}-${GROUP}-worker-${index}`),
  ],
  decidingPods: () => [],
  hasOwnNetwork: true,
  jobLabel: RAY_LABELS.cluster,
  labelSelector: RAY_LABELS.cluster,
  recordIn: 'muster',
  suspension: (suspend) => ({ suspend }),
  isEndless: true,
  hasUniqueNames: true,
  doesNotApply: whyNot,
  startOperator(start) {
    const registry = new Registry();
    const adapter = { ...rayClusterAdapter(), resource: start.resource };
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
};
