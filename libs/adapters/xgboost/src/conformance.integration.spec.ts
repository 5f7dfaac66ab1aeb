import { describeConformance } from '@muster/testing';
import { xgboostConformance } from '../test-support/xgboost-conformance.ts';

await describeConformance(xgboostConformance);
