/** The dashboards of a framework, by file name. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { jobDashboard } from './job-dashboard.ts';
import { jobsDashboard } from './jobs-dashboard.ts';
import { operatorDashboard } from './operator-dashboard.ts';
import { timeDashboard } from './time-dashboard.ts';
import type { Subject } from '../subject.ts';

export function dashboards(subject: Subject): Readonly<Record<string, Dashboard>> {
  return {
    operator: operatorDashboard(subject),
    jobs: jobsDashboard(subject),
    job: jobDashboard(subject),
    time: timeDashboard(subject),
  };
}
