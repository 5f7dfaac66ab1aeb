/** PyTorchJob in the conformance suite of all frameworks. */
import { describeConformance } from '@muster/testing';
import { pytorchConformance } from '../test-support/pytorch-conformance.ts';

await describeConformance(pytorchConformance);
