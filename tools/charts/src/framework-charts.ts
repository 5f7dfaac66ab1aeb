/** What is to be said of each framework's chart; all else follows from its kinds, its adapters and its values. */
import { mpiAdapter, mpiPlugin } from '@muster/adapter-mpi';
import { mxAdapter, mxnetPlugin } from '@muster/adapter-mxnet';
import { pytorchAdapter, pytorchPlugin } from '@muster/adapter-pytorch';
import { rayAdapters, rayPlugin } from '@muster/adapter-ray';
import { tensorflowPlugin, tfAdapter } from '@muster/adapter-tensorflow';
import type { FrameworkAdapter } from '@muster/common-job-controller';
import { LABELS, type FrameworkName } from '@muster/job-api';
import type { FrameworkPlugin } from '@muster/volcano-job';

export interface FrameworkChart {
  /** As its users write it. */
  readonly title: string;
  /** Of each of its kinds. */
  readonly adapters: readonly FrameworkAdapter[];
  /** By which it runs Volcano Jobs, if it does. */
  readonly plugin?: FrameworkPlugin;
  /** What its operator talks to besides the API server, as rules of a NetworkPolicy. Default: nothing. */
  readonly egress?: Readonly<Record<string, unknown>>[];
}

/** Pods of jobs, which the operator asks for their progress at a port that the user chooses. */
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
  mpi: { title: 'MPI', adapters: [mpiAdapter()], plugin: mpiPlugin, egress: TO_JOB_PODS },
  ray: {
    title: 'Ray',
    adapters: rayAdapters(),
    plugin: rayPlugin,
    // The dashboard of a head, where RayJobs are submitted.
    egress: [{ ports: [{ port: 8265, protocol: 'TCP' }] }],
  },
};
