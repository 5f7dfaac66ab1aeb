import { testCluster } from '@muster/testing';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { JAX_ADMISSION } from '../test/jax-job-cases.ts';

describeAdmission(JAX_ADMISSION, await testCluster());
