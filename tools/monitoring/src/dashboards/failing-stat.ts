/** How many jobs keep failing: a tile that is red on each dashboard of several jobs. */
import { JOBS } from '@muster/metrics';
import { valueOf } from '../promql/metric-query.ts';
import type { Matchers } from '../promql/matchers.ts';
import { stat, type PanelOf } from './panel.ts';

export function failingStat(
  jobs: Matchers<typeof JOBS.jobs>,
  size: { readonly width: number; readonly height: number },
): PanelOf {
  return stat({
    ...size,
    title: 'Failing jobs',
    description:
      'Jobs that keep failing: in a crash loop, failed twice within ten minutes, or restarted and not ready. They are not counted as running.',
    unit: 'short',
    none: '0',
    queries: [{ vector: valueOf(JOBS.jobs, { ...jobs, state: 'Failing' }).sumBy(), legend: 'Failing' }],
    limits: { bad: 1 },
  });
}
