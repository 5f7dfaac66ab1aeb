import { testCluster } from '@muster/testing';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { PADDLE_ADMISSION } from '../test/paddle-job-cases.ts';

describeAdmission(PADDLE_ADMISSION, await testCluster());
