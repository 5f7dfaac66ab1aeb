import { describePythonSdk } from '@muster/testing';
import { xgboostConformance } from '../test-support/xgboost-conformance.ts';

await describePythonSdk({
  framework: xgboostConformance,
  field: 'xgbReplicaSpecs',
  roles: { Master: 1, Worker: 2 },
  releases: ['1.9.4'],
});
