/** MPIJob of v1alpha1 in the conformance suite of all frameworks: the launcher is a Job's, the workers a StatefulSet's. */
import { describeMPIConformance } from '../test-support/mpi-conformance.ts';

await describeMPIConformance('v1alpha1');
