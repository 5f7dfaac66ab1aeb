/** JAX: three workers. */
import { JAX_CONTAINER, JAX_JOBS } from '@muster/job-api';
import type { DemoFramework } from '../demo-job.ts';
import { endsSucceeded, endsWith, lossFalls } from '../expectations.ts';
import { trainsWith } from '../steps.ts';

export const jax: DemoFramework = {
  name: 'jax',
  image: { name: 'jax-examples', reference: 'muster.local/jax-examples:0.10' },
  program: 'train.py',
  operatorFlags: [],
  jobs: [
    {
      manifest: 'train.yaml',
      resource: JAX_JOBS,
      reporter: { pod: 'worker-0', container: JAX_CONTAINER },
      steps: [trainsWith(3)],
      expectations: [endsSucceeded, lossFalls, endsWith(3)],
    },
  ],
};
