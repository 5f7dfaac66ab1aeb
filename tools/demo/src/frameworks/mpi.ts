/** MPI: two workers with two ranks each, started by the launcher with ssh, and in another job with `kubectl exec`. */
import { IMAGES, imageReference } from '@muster/images';
import { LABELS, MPI_JOBS } from '@muster/job-api';
import type { DemoFramework } from '../demo-job.ts';
import { endsSucceeded, endsWith, lossFalls } from '../expectations.ts';
import { trainsWith } from '../steps.ts';

const DELIVERY = 'kubectl-delivery';
const RANKS = 4;

export const mpi: DemoFramework = {
  name: 'mpi',
  image: { name: 'openmpi-examples', reference: 'muster.local/openmpi-examples:4.1' },
  furtherImages: [DELIVERY],
  program: 'train.py',
  operatorFlags: ['--mpi-kubectl-delivery-image', imageReference(IMAGES[DELIVERY])],
  jobs: [
    {
      manifest: 'train-v2beta1.yaml',
      resource: MPI_JOBS,
      // A Job creates this pod, with a random suffix in its name.
      reporter: { pod: { [LABELS.jobRole]: 'launcher' }, container: 'mpi' },
      // Two workers and the launcher.
      steps: [trainsWith(RANKS, 3)],
      expectations: [endsSucceeded, lossFalls, endsWith(RANKS)],
    },
    {
      manifest: 'train-v1.yaml',
      resource: { ...MPI_JOBS, version: 'v1' },
      reporter: { pod: 'launcher', container: 'mpi' },
      needsFurtherImages: true,
      steps: [trainsWith(RANKS, 3)],
      expectations: [endsSucceeded, lossFalls, endsWith(RANKS)],
    },
  ],
};
