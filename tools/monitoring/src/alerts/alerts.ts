import type { Subject } from '../subject.ts';
import type { Alert } from './alert.ts';
import { cronAlerts, RAY_CRON_KIND } from './cron-alerts.ts';
import { elasticAlerts, jobAlerts, progressAlerts } from './job-alerts.ts';
import { operatorAlerts } from './operator-alerts.ts';
import { RAY_SERVICE_KIND, serveAlerts } from './serve-alerts.ts';

type Concerned = Pick<Subject, 'title' | 'kinds' | 'isElastic' | 'tellsProgress'>;

export function alerts({ title, kinds, isElastic, tellsProgress }: Concerned): readonly Alert[] {
  return [
    ...operatorAlerts(title, kinds),
    ...jobAlerts(title),
    ...(tellsProgress ? progressAlerts(title) : []),
    ...(isElastic ? elasticAlerts(title) : []),
    ...(kinds.includes(RAY_CRON_KIND) ? cronAlerts() : []),
    ...(kinds.includes(RAY_SERVICE_KIND) ? serveAlerts() : []),
  ];
}
