/** The launcher is a Job's pod, the workers are Muster's. */
import { describeMPIConformance } from '../test-support/mpi-conformance.ts';

await describeMPIConformance('v2beta1');
