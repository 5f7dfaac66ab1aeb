import { describeConformance } from '@muster/testing';
import { pytorchConformance } from '../test-support/pytorch-conformance.ts';

await describeConformance(pytorchConformance);
