/** All alerts of a framework. */
import type { Subject } from '../subject.ts';
import type { Alert } from './alert.ts';
import { elasticAlerts, jobAlerts } from './job-alerts.ts';
import { operatorAlerts } from './operator-alerts.ts';

export function alerts({ title, isElastic }: Pick<Subject, 'title' | 'isElastic'>): readonly Alert[] {
  return [...operatorAlerts(title), ...jobAlerts(title), ...(isElastic ? elasticAlerts(title) : [])];
}
