/** The number of failing jobs: a tile on each dashboard of several jobs, red from 1. */
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
    title: 'Failing',
    description:
      'Jobs that keep failing: in a crash loop, failed twice within ten minutes, waiting for a delayed restart, or not ready after a restart. They do not count as running.',
    unit: 'short',
    none: '0',
    queries: [{ vector: valueOf(JOBS.jobs, { ...jobs, state: 'Failing' }).sumBy(), legend: 'Failing' }],
    limits: { bad: 1 },
  });
}
