/** Elastic PyTorch: a job that changes its size and loses a worker while it trains, and a static one beside it. */
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
      // However slowly the third worker starts, there is training left for it to do and to be disturbed in.
      env: { FINISH_WORKERS: '3' },
      reporter: { pod: 'worker-0', container: PYTORCH_CONTAINER },
      // Not worker 0: it holds the store at which torchrun's agents meet, and its log is the one that is read.
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
