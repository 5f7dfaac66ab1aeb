/** Prometheus and promtool for this machine, to scrape operators with and to test rules by. */
export { ensurePrometheus, type PrometheusPrograms } from './ensure-prometheus.ts';
export { startPrometheus, type PrometheusProcess } from './prometheus-process.ts';
