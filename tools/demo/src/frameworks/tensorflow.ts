/** TensorFlow: two workers, each with a copy of the model. */
import { TF_CONTAINER, TF_JOBS } from '@muster/job-api';
import type { DemoFramework } from '../demo-job.ts';
import { endsSucceeded, endsWith, lossFalls } from '../expectations.ts';
import { trainsWith } from '../steps.ts';

export const tensorflow: DemoFramework = {
  name: 'tensorflow',
  image: { name: 'tensorflow-examples', reference: 'muster.local/tensorflow-examples:2.21' },
  program: 'multi_worker.py',
  operatorFlags: [],
  jobs: [
    {
      manifest: 'multi-worker.yaml',
      resource: TF_JOBS,
      reporter: { pod: 'worker-0', container: TF_CONTAINER },
      steps: [trainsWith(2)],
      expectations: [endsSucceeded, lossFalls, endsWith(2)],
    },
  ],
};
