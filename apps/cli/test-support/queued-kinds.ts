/** One kind of each operator, with queued jobs of two pods. */
import type { JobManifest } from '@muster/common-job-controller';
import {
  JAX_JOBS,
  MPI_JOBS,
  MX_JOBS,
  PADDLE_JOBS,
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  RAY_JOBS,
  TF_JOBS,
  XGBOOST_JOBS,
  type PodTemplateSpec,
  type Resource,
} from '@muster/job-api';

/** The names of Kueue's integrations. */
export const INTEGRATIONS = [
  'kubeflow.org/pytorchjob',
  'kubeflow.org/tfjob',
  'kubeflow.org/jaxjob',
  'kubeflow.org/xgboostjob',
  'kubeflow.org/mpijob',
  'kubeflow.org/paddlejob',
  'ray.io/raycluster',
  'ray.io/rayjob',
];

export interface QueuedKind {
  readonly name: string;
  readonly resource: Resource<JobManifest>;
  /** Of two pods. */
  readonly spec: object;
  /** The pods whose end ends the job; undefined if it never ends. */
  readonly ends?: RegExp;
  /** Whether its program runs, if pods do not show it. */
  readonly hasBegun?: (status: object) => boolean;
  /** Whether only Muster creates Workloads for it. */
  readonly isUnknownToKueue?: boolean;
}

export interface PodsOfKinds {
  /** The template of a pod with a container of that name. */
  readonly template: (container: string) => PodTemplateSpec;
  /** The entrypoint of a RayJob. */
  readonly entrypoint?: string;
}

export function queuedKinds({ template, entrypoint }: PodsOfKinds): QueuedKind[] {
  const role = (container: string, replicas = 1) => ({
    replicas,
    restartPolicy: 'Never',
    template: template(container),
  });
  const rayCluster = {
    rayVersion: '2.60.0',
    headGroupSpec: { rayStartParams: { 'num-cpus': '1' }, template: template('ray-head') },
    workerGroupSpecs: [
      {
        groupName: 'small',
        ...{ replicas: 1, minReplicas: 1, maxReplicas: 1 },
        rayStartParams: { 'num-cpus': '1' },
        template: template('ray-worker'),
      },
    ],
  };
  return [
    {
      name: 'pytorch',
      resource: PYTORCH_JOBS,
      spec: { pytorchReplicaSpecs: { Master: role('pytorch'), Worker: role('pytorch') } },
      ends: /./,
    },
    { name: 'jax', resource: JAX_JOBS, spec: { jaxReplicaSpecs: { Worker: role('jax', 2) } }, ends: /./ },
    { name: 'tf', resource: TF_JOBS, spec: { tfReplicaSpecs: { Worker: role('tensorflow', 2) } }, ends: /./ },
    { name: 'paddle', resource: PADDLE_JOBS, spec: { paddleReplicaSpecs: { Worker: role('paddle', 2) } }, ends: /./ },
    {
      name: 'xgboost',
      resource: XGBOOST_JOBS,
      spec: { xgbReplicaSpecs: { Master: role('xgboost'), Worker: role('xgboost') } },
      ends: /./,
    },
    {
      name: 'mpi',
      resource: { ...MPI_JOBS, version: 'v2beta1' },
      spec: { mpiReplicaSpecs: { Launcher: role('mpi'), Worker: role('mpi') } },
      ends: /launcher/,
    },
    { name: 'ray', resource: RAY_CLUSTERS, spec: rayCluster },
    {
      name: 'rayjob',
      resource: RAY_JOBS,
      // Kueue's integration refuses a job that keeps its cluster.
      spec: {
        entrypoint: entrypoint ?? 'python train.py',
        submissionMode: 'HTTPMode',
        shutdownAfterJobFinishes: true,
        rayClusterSpec: rayCluster,
      },
      ...(entrypoint === undefined ? { hasBegun: isToRun } : { ends: /-head-/, hasBegun: runs }),
    },
    {
      name: 'mx',
      resource: MX_JOBS,
      spec: { jobMode: 'MXTrain', mxReplicaSpecs: { Scheduler: role('mxnet'), Worker: role('mxnet') } },
      ends: /./,
      isUnknownToKueue: true,
    },
  ];
}

/** Writes that the program runs: simulated nodes run no program. */
function isToRun(status: { readonly jobDeploymentStatus?: string }): boolean {
  return status.jobDeploymentStatus === 'Running';
}

function runs(status: { readonly jobStatus?: string }): boolean {
  return status.jobStatus === 'RUNNING';
}
