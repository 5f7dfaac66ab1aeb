/** Settings of each framework's chart. The rest follows from its kinds, adapters and values. */
import { mpiAdapter, mpiPlugin } from '@muster/adapter-mpi';
import { mxAdapter, mxnetPlugin } from '@muster/adapter-mxnet';
import { pytorchAdapter, pytorchPlugin } from '@muster/adapter-pytorch';
import { rayAdapters, rayPlugin } from '@muster/adapter-ray';
import { tensorflowPlugin, tfAdapter } from '@muster/adapter-tensorflow';
import { paddleAdapter } from '@muster/adapter-paddle';
import { jaxAdapter } from '@muster/adapter-jax';
import { xgboostAdapter } from '@muster/adapter-xgboost';
import type { FrameworkAdapter } from '@muster/common-job-controller';
import { LABELS, type FrameworkName } from '@muster/job-api';
import type { FrameworkPlugin } from '@muster/volcano-job';

export interface FrameworkChart {
  /** For people: `PyTorch`. */
  readonly title: string;
  /** For each kind. */
  readonly adapters: readonly FrameworkAdapter[];
  /** For Volcano Jobs. */
  readonly plugin?: FrameworkPlugin;
  /** Egress of the operator besides the API server, as rules of a NetworkPolicy. Default: none. */
  readonly egress?: Readonly<Record<string, unknown>>[];
}

/** The operator reads the progress from pods of jobs, at a port that the user chooses. */
const TO_JOB_PODS = [
  {
    to: [
      {
        namespaceSelector: {},
        podSelector: { matchExpressions: [{ key: LABELS.operatorName, operator: 'Exists' }] },
      },
    ],
  },
];

export const FRAMEWORK_CHARTS: Readonly<Record<FrameworkName, FrameworkChart>> = {
  tensorflow: { title: 'TensorFlow', adapters: [tfAdapter()], plugin: tensorflowPlugin, egress: TO_JOB_PODS },
  'pytorch-elastic': {
    title: 'PyTorch',
    adapters: [pytorchAdapter()],
    plugin: pytorchPlugin,
    egress: TO_JOB_PODS,
  },
  mxnet: { title: 'MXNet', adapters: [mxAdapter()], plugin: mxnetPlugin, egress: TO_JOB_PODS },
  paddle: { title: 'Paddle', adapters: [paddleAdapter()], egress: TO_JOB_PODS },
  jax: { title: 'JAX', adapters: [jaxAdapter()], egress: TO_JOB_PODS },
  xgboost: { title: 'XGBoost', adapters: [xgboostAdapter()], egress: TO_JOB_PODS },
  mpi: { title: 'MPI', adapters: [mpiAdapter()], plugin: mpiPlugin, egress: TO_JOB_PODS },
  ray: {
    title: 'Ray',
    adapters: rayAdapters(),
    plugin: rayPlugin,
    // The dashboard of a head node, to which RayJobs are submitted.
    egress: [{ ports: [{ port: 8265, protocol: 'TCP' }] }],
  },
};
