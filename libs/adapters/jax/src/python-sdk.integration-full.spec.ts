import { describePythonSdk } from '@muster/testing';
import { jaxConformance } from '../test-support/jax-conformance.ts';

await describePythonSdk({
  framework: jaxConformance,
  field: 'jaxReplicaSpecs',
  roles: { Worker: 3 },
  releases: ['1.9.4'],
});
