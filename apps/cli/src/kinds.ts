/**
 * The kinds of jobs that the command line supports, with their differences. All else follows from a kind's definition and its
 * adapter.
 */
import { mpiAdapter } from '@muster/adapter-mpi';
import { mxAdapter } from '@muster/adapter-mxnet';
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { rayAdapters } from '@muster/adapter-ray';
import { tfAdapter } from '@muster/adapter-tensorflow';
import { paddleAdapter } from '@muster/adapter-paddle';
import { jaxAdapter } from '@muster/adapter-jax';
import { xgboostAdapter } from '@muster/adapter-xgboost';
import type { FrameworkAdapter, JobManifest } from '@muster/common-job-controller';
import {
  apiVersionOf,
  mpiJobDefinition,
  mxJobDefinition,
  pytorchJobDefinition,
  RAY_CLUSTERS,
  RAY_CRON_JOBS,
  RAY_JOBS,
  RAY_SERVICES,
  rayClusterDefinition,
  rayCronJobDefinition,
  rayJobDefinition,
  rayServiceDefinition,
  tfJobDefinition,
  xgboostJobDefinition,
  type PyTorchJob,
  versionsOf,
  type KindDefinition,
  type KubeObject,
  jaxJobDefinition,
  paddleJobDefinition,
} from '@muster/job-api';
import type { KindExplanation } from './jobs/kind-explanation.ts';
import { explainCronJob } from './jobs/ray-cron-job.ts';
import { rayJobPods } from './jobs/ray-job-pods.ts';
import { explainService, rayServicePods } from './jobs/ray-service.ts';
import { NO_PODS, type PodRule } from './jobs/pod-rule.ts';
import { resizeGroup, type Resize } from './jobs/resize.ts';

export interface Kind {
  readonly definition: KindDefinition<JobManifest>;
  readonly adapter: (settings: { readonly clusterDomain: string }) => FrameworkAdapter;
  /** The path below `spec` of the field that suspends it. Default: `runPolicy.suspend`. */
  readonly suspendPath?: readonly string[];
  /** Whether it runs until it is deleted. Default: it ends. */
  readonly isEndless?: boolean;
  /** Which pods belong to it. Default: those selected by the adapter's labels. */
  readonly pods?: PodRule;
  /** What `why` says about one that runs or is suspended, for a kind without pods. Default: from its pods and roles. */
  readonly explain?: (job: JobManifest) => KindExplanation;
  /** How it is resized. Default: by the scale subresource of its definition. */
  readonly resize?: Resize;
  /** Why its size cannot be changed while it runs; undefined if it can. Default: it can. */
  readonly fixedSize?: (job: JobManifest) => string | undefined;
  /** Why `replicas` is outside of the allowed sizes while it runs; undefined if it is not. Default: any size is allowed. */
  readonly sizeBounds?: (job: JobManifest, replicas: number) => string | undefined;
}

export const KINDS: readonly Kind[] = [
  {
    definition: tfJobDefinition,
    adapter: () => tfAdapter(),
    fixedSize: ({ spec }) =>
      'enableDynamicWorker' in Object(spec) && Reflect.get(Object(spec), 'enableDynamicWorker') === true
        ? undefined
        : 'TF_CONFIG of each pod lists all pods: set spec.enableDynamicWorker: true when you submit the job',
  },
  {
    definition: pytorchJobDefinition,
    adapter: () => pytorchAdapter(),
    fixedSize: ({ spec }) =>
      'elasticPolicy' in Object(spec)
        ? undefined
        : 'WORLD_SIZE of its pods is fixed: set spec.elasticPolicy when you submit the job',
    sizeBounds: elasticBounds,
  },
  { definition: mpiJobDefinition, adapter: () => mpiAdapter() },
  { definition: mxJobDefinition, adapter: () => mxAdapter() },
  {
    definition: paddleJobDefinition,
    adapter: () => paddleAdapter(),
    fixedSize: ({ spec }) =>
      'elasticPolicy' in Object(spec)
        ? undefined
        : 'PADDLE_NNODES of its pods is fixed: set spec.elasticPolicy when you submit the job',
    sizeBounds: elasticBounds,
  },
  {
    definition: jaxJobDefinition,
    adapter: () => jaxAdapter(),
    fixedSize: () => 'NUM_PROCESSES of its pods is fixed',
  },
  { definition: xgboostJobDefinition, adapter: () => xgboostAdapter() },
  {
    definition: rayClusterDefinition,
    adapter: rayAdapter(RAY_CLUSTERS.kind),
    suspendPath: ['suspend'],
    isEndless: true,
    resize: resizeGroup,
  },
  {
    definition: rayJobDefinition,
    adapter: rayAdapter(RAY_JOBS.kind),
    suspendPath: ['suspend'],
    pods: rayJobPods,
    resize: ({ status }) => {
      const { rayClusterName: cluster } = Object(status) as { rayClusterName?: string };
      const remedy = cluster ? `scale raycluster/${cluster}` : 'scale its RayCluster when it exists';
      return { refusal: `changes of spec.rayClusterSpec do not affect the existing cluster: ${remedy}` };
    },
  },
  {
    definition: rayCronJobDefinition,
    adapter: rayAdapter(RAY_CRON_JOBS.kind),
    suspendPath: ['suspend'],
    isEndless: true,
    pods: NO_PODS,
    resize: () => ({
      refusal: 'its RayJobs are created from spec.jobTemplate: change that, or scale the cluster of a RayJob',
    }),
    explain: explainCronJob,
  },
  {
    definition: rayServiceDefinition,
    adapter: rayAdapter(RAY_SERVICES.kind),
    suspendPath: ['suspend'],
    isEndless: true,
    pods: rayServicePods,
    resize: () => ({
      refusal: 'change replicas in spec.rayClusterConfig.workerGroupSpecs: its cluster follows without an upgrade',
    }),
    explain: explainService,
  },
];

interface ElasticSpec {
  readonly elasticPolicy?: { readonly minReplicas?: number; readonly maxReplicas?: number };
}

/** Why an elastic job cannot have this number of workers. torchrun counts nodes, including a master; Paddle's bounds are of workers. */
function elasticBounds({ spec, status }: JobManifest, replicas: number): string | undefined {
  const { elasticPolicy, pytorchReplicaSpecs } = spec as ElasticSpec & Partial<PyTorchJob['spec']>;
  const { minReplicas, maxReplicas } = elasticPolicy ?? {};
  const kept = (status as PyTorchJob['status'])?.elastic;
  const least = minReplicas ?? maxReplicas ?? kept?.minReplicas;
  const most = maxReplicas ?? minReplicas ?? kept?.maxReplicas;
  const masters = pytorchReplicaSpecs?.Master === undefined ? 0 : 1;
  if (least === undefined || most === undefined || (replicas <= most && replicas + masters >= least)) return undefined;
  return `elasticPolicy allows ${least} to ${most}${masters === 0 ? '' : ' nodes, including the master'}: its pods were started with these bounds`;
}

/** The kind of an object, by `apiVersion` and `kind`; undefined for other objects. */
export function kindOf(object: KubeObject): Kind | undefined {
  return KINDS.find(
    ({ definition }) =>
      definition.resource.kind === object.kind && apiVersionsOf(definition).includes(object.apiVersion ?? ''),
  );
}

export function apiVersionsOf(definition: KindDefinition<JobManifest>): string[] {
  const { resource } = definition;
  return versionsOf(definition).map(({ name }) => apiVersionOf({ ...resource, version: name }));
}

function rayAdapter(kind: string): Kind['adapter'] {
  return ({ clusterDomain }) => {
    const found = rayAdapters({ clusterDomain }).find(({ resource }) => resource.kind === kind);
    if (found === undefined) throw new Error(`the ray operator runs no ${kind}`);
    return found;
  };
}
