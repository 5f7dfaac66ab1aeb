/** Elastic PyTorch: a job that changes its size and loses a worker while it trains, and a static job. */
import { PYTORCH_CONTAINER, PYTORCH_JOBS } from '@muster/job-api';
import type { DemoFramework } from '../demo-job.ts';
import { endsSucceeded, endsWith, lossFalls } from '../expectations.ts';
import { scalesTo, survivesLossOf, trainsWith } from '../steps.ts';

export const pytorchElastic: DemoFramework = {
  name: 'pytorch-elastic',
  image: { name: 'torch-examples', reference: 'muster.local/torch-examples:2.6' },
  program: 'train.py',
  operatorFlags: [],
  jobs: [
    {
      manifest: 'elastic.yaml',
      resource: PYTORCH_JOBS,
      // The job trains long enough for the third worker, however slowly that starts.
      env: { FINISH_WORKERS: '3' },
      reporter: { pod: 'worker-0', container: PYTORCH_CONTAINER },
      // Not worker 0, which runs the rendezvous store of torchrun's agents, and whose log is read.
      steps: [trainsWith(2), scalesTo(3), survivesLossOf('worker-1')],
      expectations: [endsSucceeded, lossFalls, endsWith(3)],
    },
    {
      manifest: 'static.yaml',
      resource: PYTORCH_JOBS,
      reporter: { pod: 'master-0', container: PYTORCH_CONTAINER },
      steps: [trainsWith(3)],
      expectations: [endsSucceeded, lossFalls, endsWith(3)],
    },
  ],
};
