import { describeConformance } from '@muster/testing';
import { jaxConformance } from '../test-support/jax-conformance.ts';

await describeConformance(jaxConformance);
