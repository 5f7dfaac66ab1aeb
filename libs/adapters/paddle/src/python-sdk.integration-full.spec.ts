import { describePythonSdk } from '@muster/testing';
import { paddleConformance } from '../test-support/paddle-conformance.ts';

await describePythonSdk({
  framework: paddleConformance,
  field: 'paddleReplicaSpecs',
  roles: { Master: 1, Worker: 2 },
  releases: ['1.9.4'],
});
