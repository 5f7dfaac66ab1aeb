import type { MetricSet } from '../declaration.ts';

export const SHADOW = {
  jobs: {
    type: 'gauge',
    name: 'muster_shadow_jobs',
    labels: ['kind', 'result'],
    help: 'Jobs of another operator, by the result of the latest comparison with what Muster would do. Includes up to 5000 jobs, also deleted ones.',
    unit: 'count',
    values: {
      result: {
        waiting: 'Not compared yet: the job has changed in the last seconds.',
        same: 'Muster would do the same.',
        documented: 'All differences are documented.',
        unknown: 'Has a difference that is not documented.',
      },
    },
    appears: 'The operator runs in shadow mode (--shadow).',
  },
} as const satisfies MetricSet;
