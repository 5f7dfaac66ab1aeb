import { describePythonSdk } from '@muster/testing';
import { pytorchConformance } from '../test-support/pytorch-conformance.ts';

await describePythonSdk({
  framework: pytorchConformance,
  field: 'pytorchReplicaSpecs',
  roles: { Master: 1, Worker: 2 },
  releases: ['1.8.1', '1.9.4'],
});
