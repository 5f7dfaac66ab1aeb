import { describeConformance } from '@muster/testing';
import { rayClusterConformance } from '../../test-support/ray-cluster-conformance.ts';

await describeConformance(rayClusterConformance);
