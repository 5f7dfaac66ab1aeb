/**
 * What people watch operators by, made of the declarations of metrics: Grafana's dashboards, and Prometheus' alerts. None of it can name a metric or a
 * label that does not exist.
 */
export type { Alert } from './alerts/alert.ts';
export { alerts } from './alerts/alerts.ts';
export { dashboards } from './dashboards/dashboards.ts';
export type { Subject } from './subject.ts';
