import { testCluster } from '@muster/testing';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { TF_ADMISSION } from '../test/tf-job-cases.ts';

describeAdmission(TF_ADMISSION, await testCluster());
