/** `files/dashboards`: the framework's dashboards in the JSON of Grafana. */
import type { FrameworkName } from '@muster/job-api';
import { dashboards } from '@muster/monitoring';
import { subjectOf } from '../subject-of.ts';

/** By path in the chart. */
export function dashboardFiles(framework: FrameworkName): [path: string, content: string][] {
  return Object.entries(dashboards(subjectOf(framework))).map(([name, dashboard]) => [
    `files/dashboards/${name}.json`,
    `${JSON.stringify(dashboard, undefined, 2)}\n`,
  ]);
}
