/** MXNet: two workers with a parameter server and a scheduler. */
import { MX_CONTAINER, MX_JOBS } from '@muster/job-api';
import type { DemoFramework } from '../demo-job.ts';
import { endsSucceeded, endsWith, lossFalls } from '../expectations.ts';
import { trainsWith } from '../steps.ts';

export const mxnet: DemoFramework = {
  name: 'mxnet',
  image: { name: 'mxnet-examples', reference: 'muster.local/mxnet-examples:1.9.1' },
  program: 'train.py',
  operatorFlags: [],
  jobs: [
    {
      manifest: 'dist-sync.yaml',
      resource: MX_JOBS,
      reporter: { pod: 'worker-0', container: MX_CONTAINER },
      // Two workers, the scheduler and the server.
      steps: [trainsWith(2, 4)],
      expectations: [endsSucceeded, lossFalls, endsWith(2)],
    },
  ],
};
