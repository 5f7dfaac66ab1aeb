/**
 * `files/alerts.yaml`: what of each alert is the same for all values. The library chart makes a PrometheusRule of it, puts the
 * release in the place of placeholders, and adds what the values say.
 */
import type { FrameworkName } from '@muster/job-api';
import { alerts } from '@muster/monitoring';
import { stringify } from 'yaml';
import { subjectOf } from '../subject-of.ts';

export function alertsFile(framework: FrameworkName): string {
  const all = alerts(subjectOf(framework)).map(({ name, expression, summary, description, needs }) => ({
    name,
    ...(needs === undefined ? {} : { needs }),
    expr: expression.promql,
    summary,
    description,
  }));
  return stringify({ alerts: all }, { lineWidth: 0 });
}
