import { expect, it } from 'vitest';
import { metricsIn, promqlProblems } from './promql-problems.ts';

it.each<[promql: string, problems: string[]]>([
  ['sum by (kind) (muster_jobs{state="Running",pod=~"x"})', []],
  ['histogram_quantile(0.9, sum by (le, kind) (rate(muster_job_start_latency_seconds_bucket[5m])))', []],
  ['max_over_time(workqueue_depth[10m]) > 1', []],
  ['sum by (kind (muster_jobs)', ['syntax error at 13']],
  ['sum by (kind) (muster_job)', ['unknown metric muster_job', 'by (kind): no metric has this label']],
  ['muster_jobs{name="x"}', ['muster_jobs has no label name']],
  ['muster_jobs{state="Runs"}', ['label state of muster_jobs never has the value Runs']],
  ['sum by (job_name) (muster_jobs)', ['by (job_name): no metric has this label']],
  ['rate(workqueue_depth[5m])', ['rate() of the gauge workqueue_depth']],
  ['increase(muster_job_restarts[5m])', []],
  ['rate(muster_job_restarts[5m])', ['rate() of the gauge muster_job_restarts']],
  ['increase(muster_jobs[5m])', ['increase() of the gauge muster_jobs']],
  [
    'training_operator_jobs_failed_total > 3',
    ['training_operator_jobs_failed_total is a counter, and is used without rate() or increase()'],
  ],
  ['sum by (pod) (training_operator_jobs_failed_total) > 0', []],
  ['rate(muster_job_start_latency_seconds[5m])', ['unknown metric muster_job_start_latency_seconds']],
  ['deriv(workqueue_depth[5m])', ['deriv() of the gauge workqueue_depth']],
  ['1 + 1', ['no metric is queried']],
])('finds in %s the problems %j', (promql, problems) => {
  expect(promqlProblems(promql)).toEqual(problems);
});

it('maps parts of a histogram to their metric', () => {
  expect(metricsIn('rate(muster_job_start_latency_seconds_count[5m]) / muster_jobs')).toEqual([
    'muster_job_start_latency_seconds',
    'muster_jobs',
  ]);
});
