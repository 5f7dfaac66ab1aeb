import type { MetricSet } from '../declaration.ts';

/** Of an operator that records its reconcile runs. */
export const RECORDING = {
  runs: {
    type: 'counter',
    name: 'muster_recording_runs_total',
    labels: ['result'],
    help: 'Reconcile runs, and deletions of jobs, by whether they were recorded.',
    unit: 'count',
    values: {
      result: {
        recorded: 'Passed on to be written.',
        left_out:
          'Not recorded: recording takes too much time, the disk is too slow, or the plan depends on values that are not recorded.',
        failed: 'Not written after an error of the file system.',
      },
    },
    appears: 'The operator records (--record).',
  },
} as const satisfies MetricSet;
