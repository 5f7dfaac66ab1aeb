/** What is to be said of each framework's chart; all else follows from its kinds, its adapters and its values. */
import { mpiAdapter } from '@muster/adapter-mpi';
import { mxAdapter } from '@muster/adapter-mxnet';
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { rayAdapters } from '@muster/adapter-ray';
import { tfAdapter } from '@muster/adapter-tensorflow';
import type { FrameworkAdapter } from '@muster/common-job-controller';
import type { FrameworkName } from '@muster/job-api';

export interface FrameworkChart {
  /** As its users write it. */
  readonly title: string;
  /** Of each of its kinds. */
  readonly adapters: readonly FrameworkAdapter[];
  /** What its operator talks to besides the API server, as rules of a NetworkPolicy. Default: nothing. */
  readonly egress?: Readonly<Record<string, unknown>>[];
}

export const FRAMEWORK_CHARTS: Readonly<Record<FrameworkName, FrameworkChart>> = {
  tensorflow: { title: 'TensorFlow', adapters: [tfAdapter()] },
  'pytorch-elastic': { title: 'PyTorch', adapters: [pytorchAdapter()] },
  mxnet: { title: 'MXNet', adapters: [mxAdapter()] },
  mpi: { title: 'MPI', adapters: [mpiAdapter()] },
  ray: {
    title: 'Ray',
    adapters: rayAdapters(),
    // The dashboard of a head, where RayJobs are submitted.
    egress: [{ ports: [{ port: 8265, protocol: 'TCP' }] }],
  },
};
