/**
 * Every metric that an operator exports, declared once. The reference, dashboards and alerts are generated from these
 * declarations, and metrics can only be exported by their declaration.
 */
export * from './catalogue.ts';
export * from './declaration.ts';
export * from './declarations/election.ts';
export * from './declarations/job-time.ts';
export * from './declarations/jobs.ts';
export * from './declarations/per-job.ts';
export * from './declarations/process.ts';
export * from './declarations/ray-cron.ts';
export * from './declarations/ray-serve.ts';
export * from './declarations/ray.ts';
export * from './declarations/requests.ts';
export * from './declarations/runtime.ts';
export * from './declarations/recording.ts';
export * from './declarations/shadow.ts';
export * from './declarations/watches.ts';
export * from './declarations/work-queue.ts';
export * from './metrics-text.ts';
export * from './namespaced-series.ts';
export * from './registered.ts';
export { scrapedGauge, type Sample } from './scraped-gauge.ts';
