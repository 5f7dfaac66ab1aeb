/** Prometheus and promtool for this machine, to scrape operators and to test rules. */
export { ensurePrometheus, type PrometheusPrograms } from './ensure-prometheus.ts';
export { startPrometheus, type PrometheusProcess } from './prometheus-process.ts';
