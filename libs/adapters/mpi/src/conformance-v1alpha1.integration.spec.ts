/** The launcher is a Job's pod, the workers are a StatefulSet's. */
import { describeMPIConformance } from '../test-support/mpi-conformance.ts';

await describeMPIConformance('v1alpha1');
