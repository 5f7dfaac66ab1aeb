/** Values of a single framework's operator. */
import { DEFAULT_MPI_SETTINGS as MPI } from '@muster/adapter-mpi';
import { DEFAULT_INIT_CONTAINER } from '@muster/adapter-pytorch';
import type { FrameworkName } from '@muster/job-api';
import type * as z from 'zod';
import { group, onOff, text, wholeNumber } from './value.ts';

export const FRAMEWORK_VALUES: Readonly<Partial<Record<FrameworkName, z.ZodRawShape>>> = {
  'pytorch-elastic': {
    initContainer: group("Init container that delays workers until the master's address resolves.", {
      image: text('', {
        flag: 'pytorch-init-container-image',
        description: "Image of the init container, with a shell and nslookup or getent. Default: the worker's image.",
      }),
      maxTries: wholeNumber([1, 100_000], DEFAULT_INIT_CONTAINER.maxTries, {
        flag: 'pytorch-init-container-max-tries',
        description: 'Number of lookups, one every two seconds, before it fails.',
      }),
    }),
  },
  mpi: {
    kubectlDelivery: group('Init container that copies kubectl into launchers of v1 and v1alpha1.', {
      image: text('', {
        flag: 'mpi-kubectl-delivery-image',
        description: `Image of the init container. Jobs of these versions need one that the cluster can pull. Default: ${MPI.deliveryImage}.`,
      }),
    }),
    v1alpha1: group('Defaults for jobs of v1alpha1.', {
      gpusPerNode: wholeNumber([1, 1000], MPI.gpusPerNode, {
        flag: 'gpus-per-node',
        description: 'Number of GPUs of a node.',
      }),
      processingUnitsPerNode: wholeNumber([1, 100_000], MPI.processingUnitsPerNode, {
        flag: 'processing-units-per-node',
        description: 'Number of processing units of a node.',
      }),
      processingResourceType: text(MPI.processingResourceType, {
        flag: 'processing-resource-type',
        description: 'Resource name of a processing unit.',
      }),
      launcherComputes: onOff(MPI.launcherComputes, {
        flag: 'v1alpha1-launcher-computes',
        description: 'Let the launcher compute as well.',
      }),
    }),
  },
};
