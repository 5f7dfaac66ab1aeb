/** The flags that only this operator has, under the names of the operators that it takes over from. */
import { DEFAULT_MPI_SETTINGS as DEFAULTS } from '@muster/adapter-mpi';
import type { FlagSet } from '@muster/operator-host';
import { onOff, text, wholeNumber } from '@muster/operator-host';

export const MPI_FLAGS = {
  deliveryImage: {
    name: 'mpi-kubectl-delivery-image',
    kind: text('<image>', 'an image'),
    default: DEFAULTS.deliveryImage,
    about:
      'Image of the init container that brings kubectl to launchers of v1 and v1alpha1, and waits for their workers.',
  },
  gpusPerNode: {
    name: 'gpus-per-node',
    kind: wholeNumber(1, 1000),
    default: String(DEFAULTS.gpusPerNode),
    about: 'How many GPUs a node has, for jobs of v1alpha1 that give a number of GPUs and do not say this.',
  },
  processingUnitsPerNode: {
    name: 'processing-units-per-node',
    kind: wholeNumber(1, 100_000),
    default: String(DEFAULTS.processingUnitsPerNode),
    about: 'The same for jobs of v1alpha1 that give a number of processing units.',
  },
  processingResourceType: {
    name: 'processing-resource-type',
    kind: text('<resource>', 'the name of a resource'),
    default: DEFAULTS.processingResourceType,
    about: 'The resource that a processing unit is, for jobs of v1alpha1 that do not say this.',
  },
  launcherComputes: {
    name: 'v1alpha1-launcher-computes',
    kind: onOff(),
    default: String(DEFAULTS.launcherComputes),
    about:
      'Whether the launcher of a v1alpha1 job is one of the pods that compute. If not, all of them are workers, and the ' +
      'launcher asks for no GPUs, so that they can be scheduled together.',
  },
} as const satisfies FlagSet;
