/** Flags of this operator only, with the names in the operators that it replaces. */
import { DEFAULT_MPI_SETTINGS as DEFAULTS } from '@muster/adapter-mpi';
import type { FlagSet } from '@muster/operator-host/flags';
import { onOff, text, wholeNumber } from '@muster/operator-host/flags';

export const MPI_FLAGS = {
  deliveryImage: {
    name: 'mpi-kubectl-delivery-image',
    kind: text('<image>', 'an image'),
    default: DEFAULTS.deliveryImage,
    about:
      'Image of the init container that copies kubectl into launchers of v1 and v1alpha1, and waits for their workers.',
  },
  gpusPerNode: {
    name: 'gpus-per-node',
    kind: wholeNumber(1, 1000),
    default: String(DEFAULTS.gpusPerNode),
    about: 'GPUs per node, for v1alpha1 jobs with spec.gpus and without spec.gpusPerNode.',
  },
  processingUnitsPerNode: {
    name: 'processing-units-per-node',
    kind: wholeNumber(1, 100_000),
    default: String(DEFAULTS.processingUnitsPerNode),
    about:
      'Processing units per node, for v1alpha1 jobs with spec.processingUnits and without spec.processingUnitsPerNode.',
  },
  processingResourceType: {
    name: 'processing-resource-type',
    kind: text('<resource>', 'the name of a resource'),
    default: DEFAULTS.processingResourceType,
    about: 'Resource name of a processing unit, for v1alpha1 jobs without spec.processingResourceType.',
  },
  launcherComputes: {
    name: 'v1alpha1-launcher-computes',
    kind: onOff(),
    default: String(DEFAULTS.launcherComputes),
    about:
      'Whether the launcher of a v1alpha1 job is one of the pods that compute. If false, all of these are workers, and the ' +
      'launcher requests no GPUs, so that all pods can be scheduled together.',
  },
} as const satisfies FlagSet;
