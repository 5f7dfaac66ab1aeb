/**
 * `files/alerts.yaml`: the parts of each alert that do not depend on values. The library chart renders a PrometheusRule from it and
 * replaces the placeholders.
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
