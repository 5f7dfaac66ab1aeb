import { describeConformance } from '@muster/testing';
import { paddleConformance } from '../test-support/paddle-conformance.ts';

await describeConformance(paddleConformance);
