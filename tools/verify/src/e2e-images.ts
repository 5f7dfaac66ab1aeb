/** The images of the jobs in the end-to-end tests. */
import type { ImageName } from '@muster/images';

export const E2E_IMAGES: readonly ImageName[] = [
  'torch-examples',
  'tensorflow-examples',
  'mxnet-examples',
  'openmpi-examples',
  'mpich-examples',
  'kubectl-delivery',
  'ray-examples',
  'redis',
];
