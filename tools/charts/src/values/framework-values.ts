/** Values that only one framework's operator has, by the name of the framework. */
import { DEFAULT_MPI_SETTINGS as MPI } from '@muster/adapter-mpi';
import { DEFAULT_INIT_CONTAINER } from '@muster/adapter-pytorch';
import type { FrameworkName } from '@muster/job-api';
import type * as z from 'zod';
import { group, onOff, text, wholeNumber } from './value.ts';

export const FRAMEWORK_VALUES: Readonly<Partial<Record<FrameworkName, z.ZodRawShape>>> = {
  'pytorch-elastic': {
    initContainer: group("The container that holds workers back until the master's address resolves.", {
      image: text('', {
        flag: 'pytorch-init-container-image',
        description: "Its image, with a shell, and nslookup or getent. Unless set, it is the worker's own.",
      }),
      maxTries: wholeNumber([1, 100_000], DEFAULT_INIT_CONTAINER.maxTries, {
        flag: 'pytorch-init-container-max-tries',
        description: 'How often it looks, every two seconds, before it fails.',
      }),
    }),
  },
  mpi: {
    kubectlDelivery: group('The init container that brings kubectl to launchers of v1 and v1alpha1.', {
      image: text('', {
        flag: 'mpi-kubectl-delivery-image',
        description: `Its image. Jobs of these versions need one that the cluster can pull: unless set, it is ${MPI.deliveryImage}.`,
      }),
    }),
    v1alpha1: group('What holds for jobs of v1alpha1 that do not say it.', {
      gpusPerNode: wholeNumber([1, 1000], MPI.gpusPerNode, {
        flag: 'gpus-per-node',
        description: 'How many GPUs a node has.',
      }),
      processingUnitsPerNode: wholeNumber([1, 100_000], MPI.processingUnitsPerNode, {
        flag: 'processing-units-per-node',
        description: 'How many processing units a node has.',
      }),
      processingResourceType: text(MPI.processingResourceType, {
        flag: 'processing-resource-type',
        description: 'The resource that a processing unit is.',
      }),
      launcherComputes: onOff(MPI.launcherComputes, {
        flag: 'v1alpha1-launcher-computes',
        description: 'Whether the launcher is one of the pods that compute.',
      }),
    }),
  },
};
