/** Muster's Grafana dashboards in a page of our own, over a Prometheus that scrapes the operators. */
export { registerDashboardsCommand } from './dashboards-command.ts';
