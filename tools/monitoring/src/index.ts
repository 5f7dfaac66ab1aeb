/**
 * Grafana dashboards and Prometheus alerts, built from the declarations of metrics. They cannot name a metric or label that does not exist.
 */
export type { Alert } from './alerts/alert.ts';
export { alerts } from './alerts/alerts.ts';
export { dashboards } from './dashboards/dashboards.ts';
export type { Subject } from './subject.ts';
