/** All pods are Muster's, the launcher last. */
import { describeMPIConformance } from '../test-support/mpi-conformance.ts';

await describeMPIConformance('v1');
