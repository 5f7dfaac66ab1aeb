import { testCluster } from '@muster/testing';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { XGBOOST_ADMISSION } from '../test/xgboost-job-cases.ts';

describeAdmission(XGBOOST_ADMISSION, await testCluster());
