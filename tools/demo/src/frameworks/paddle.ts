/** Paddle: three workers. */
import { PADDLE_CONTAINER, PADDLE_JOBS } from '@muster/job-api';
import type { DemoFramework } from '../demo-job.ts';
import { endsSucceeded, endsWith, lossFalls } from '../expectations.ts';
import { trainsWith } from '../steps.ts';

export const paddle: DemoFramework = {
  name: 'paddle',
  image: { name: 'paddle-examples', reference: 'muster.local/paddle-examples:3.3' },
  program: 'train.py',
  operatorFlags: [],
  jobs: [
    {
      manifest: 'train.yaml',
      resource: PADDLE_JOBS,
      reporter: { pod: 'worker-0', container: PADDLE_CONTAINER },
      steps: [trainsWith(3)],
      expectations: [endsSucceeded, lossFalls, endsWith(3)],
    },
  ],
};
