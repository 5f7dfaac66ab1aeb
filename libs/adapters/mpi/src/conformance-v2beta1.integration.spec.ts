/** MPIJob of v2beta1 in the conformance suite of all frameworks: the launcher is a Job's, the workers are Muster's. */
import { describeMPIConformance } from '../test-support/mpi-conformance.ts';

await describeMPIConformance('v2beta1');
