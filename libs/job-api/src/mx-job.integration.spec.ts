import { testCluster } from '@muster/testing';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { MX_ADMISSION } from '../test/mx-job-cases.ts';

describeAdmission(MX_ADMISSION, await testCluster());
