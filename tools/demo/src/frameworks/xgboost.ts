/** XGBoost: a master and two workers. */
import { XGBOOST_CONTAINER, XGBOOST_JOBS } from '@muster/job-api';
import type { DemoFramework } from '../demo-job.ts';
import { endsSucceeded, endsWith, lossFalls } from '../expectations.ts';
import { trainsWith } from '../steps.ts';

export const xgboost: DemoFramework = {
  name: 'xgboost',
  image: { name: 'xgboost-examples', reference: 'muster.local/xgboost-examples:3.2' },
  program: 'train.py',
  operatorFlags: [],
  jobs: [
    {
      manifest: 'train.yaml',
      resource: XGBOOST_JOBS,
      reporter: { pod: 'master-0', container: XGBOOST_CONTAINER },
      steps: [trainsWith(3)],
      expectations: [endsSucceeded, lossFalls, endsWith(3)],
    },
  ],
};
