/** Manifests of operator jobs for each framework. */
import {
  MPI_JOBS,
  MX_JOBS,
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  TF_JOBS,
  XGBOOST_JOBS,
  type FrameworkName,
  type KubeObject,
  type Resource,
  JAX_JOBS,
  PADDLE_JOBS,
} from '@muster/job-api';
import { SIMULATE_AFTER_ANNOTATION, SIMULATE_LABEL } from '@muster/cluster';

export interface JobShape {
  readonly name: string;
  readonly namespace: string;
  readonly workers: number;
  /** Elastic from 2 to this many workers, if the framework supports it. */
  readonly elasticTo?: number;
  /** Of the pods that decide the outcome. */
  readonly end?: { readonly how: 'succeed' | 'fail'; readonly after: string };
  readonly restartPolicy?: 'OnFailure' | 'Never';
  /** Of a PyTorchJob: adds a Master, which fails after this time again and again, while the workers run. */
  readonly masterFailsAfter?: string;
  readonly isSuspended?: boolean;
  /** Adds a port for progress. On a simulated pod nothing listens on it. */
  readonly progressDeadlineSeconds?: number;
  /** Of each pod. */
  readonly cpu?: string;
  /** Of each pod. */
  readonly gpus?: number;
  readonly priorityClassName?: string;
}

interface StagedKind {
  readonly resource: Resource;
  readonly spec: (shape: JobShape) => object;
}

const STEADY = { replicas: 1, restartPolicy: 'OnFailure' } as const;

export const PICTURE_KINDS: Readonly<Record<FrameworkName, StagedKind>> = {
  'pytorch-elastic': {
    resource: PYTORCH_JOBS,
    spec: (shape) => ({
      ...(shape.elasticTo !== undefined && { elasticPolicy: { minReplicas: 2, maxReplicas: shape.elasticTo } }),
      runPolicy: runPolicy(shape),
      pytorchReplicaSpecs: { ...failingMaster(shape), Worker: workers(shape, 'pytorch') },
    }),
  },
  tensorflow: {
    resource: TF_JOBS,
    spec: (shape) => ({ runPolicy: runPolicy(shape), tfReplicaSpecs: { Worker: workers(shape, 'tensorflow') } }),
  },
  mxnet: {
    resource: MX_JOBS,
    spec: (shape) => ({
      jobMode: 'MXTrain',
      runPolicy: runPolicy(shape),
      mxReplicaSpecs: {
        Scheduler: { ...STEADY, template: template(shape, 'mxnet') },
        Server: { ...STEADY, template: template(shape, 'mxnet') },
        Worker: workers(shape, 'mxnet'),
      },
    }),
  },
  mpi: {
    resource: { ...MPI_JOBS, version: 'v1' },
    spec: (shape) => ({
      runPolicy: runPolicy(shape),
      mpiReplicaSpecs: {
        Launcher: { ...workers(shape, 'mpi'), replicas: 1 },
        Worker: { ...STEADY, replicas: shape.workers, template: template(shape, 'mpi') },
      },
    }),
  },
  ray: {
    resource: RAY_CLUSTERS,
    spec: (shape) => ({
      suspend: shape.isSuspended ?? false,
      enableInTreeAutoscaling: shape.elasticTo !== undefined,
      headGroupSpec: { template: template(shape, 'ray-head') },
      workerGroupSpecs: [
        {
          groupName: 'workers',
          replicas: shape.workers,
          minReplicas: 2,
          maxReplicas: shape.elasticTo ?? 100,
          template: endingTemplate(shape, 'ray-worker'),
        },
      ],
    }),
  },
  xgboost: {
    resource: XGBOOST_JOBS,
    spec: (shape) => ({
      runPolicy: runPolicy(shape),
      xgbReplicaSpecs: {
        Master: { ...workers(shape, 'xgboost'), replicas: 1 },
        Worker: { ...STEADY, replicas: shape.workers, template: template(shape, 'xgboost') },
      },
    }),
  },
  jax: {
    resource: JAX_JOBS,
    spec: (shape) => ({ runPolicy: runPolicy(shape), jaxReplicaSpecs: { Worker: workers(shape, 'jax') } }),
  },
  paddle: {
    resource: PADDLE_JOBS,
    spec: ({ elasticTo, ...shape }) => ({
      ...(elasticTo !== undefined && { elasticPolicy: { minReplicas: 2, maxReplicas: elasticTo } }),
      runPolicy: runPolicy(shape),
      paddleReplicaSpecs:
        elasticTo === undefined
          ? {
              Master: { ...workers(shape, 'paddle'), replicas: 1 },
              Worker: { ...STEADY, replicas: shape.workers, template: template(shape, 'paddle') },
            }
          : { Worker: workers(shape, 'paddle') },
    }),
  },
};

export function pictureJob(framework: FrameworkName, shape: JobShape): KubeObject & { spec: object } {
  const { name, namespace } = shape;
  return { metadata: { name, namespace }, spec: PICTURE_KINDS[framework].spec(shape) };
}

function failingMaster({ masterFailsAfter: after, ...shape }: JobShape): object {
  if (after === undefined) return {};
  return { Master: workers({ ...shape, workers: 1, end: { how: 'fail', after } }, 'pytorch') };
}

function runPolicy({ isSuspended = false, progressDeadlineSeconds }: JobShape): object {
  const progress = progressDeadlineSeconds === undefined ? {} : { progressDeadlineSeconds };
  return { suspend: isSuspended, backoffLimit: 1000, ...progress };
}

function workers(shape: JobShape, container: string): object {
  const { workers: replicas, restartPolicy = 'OnFailure' } = shape;
  return { replicas, restartPolicy, template: endingTemplate(shape, container) };
}

function template(shape: JobShape, name: string): object {
  const { cpu = '100m', gpus, priorityClassName, progressDeadlineSeconds } = shape;
  const ports = progressDeadlineSeconds === undefined ? [] : [{ name: 'progress', containerPort: 8081 }];
  const extended = gpus === undefined ? {} : { 'nvidia.com/gpu': gpus };
  const resources = { requests: { cpu, ...extended }, limits: extended };
  const container = { name, image: 'registry.example/train:1', resources, ports };
  return { spec: { containers: [container], ...(priorityClassName !== undefined && { priorityClassName }) } };
}

function endingTemplate(shape: JobShape, container: string): object {
  const { end } = shape;
  if (end === undefined) return template(shape, container);
  const metadata = {
    labels: { [SIMULATE_LABEL]: end.how },
    annotations: { [SIMULATE_AFTER_ANNOTATION]: end.after },
  };
  return { metadata, ...template(shape, container) };
}
