export { rayAdapters } from './ray-adapters.ts';
export { rayPlugin } from './volcano-plugin.ts';
export { submitterWhenReady } from './job/submitter-when-ready.ts';
export { servicesWhenReady } from './service/services-when-ready.ts';
export { nextCronRun } from './cron-job/next-run.ts';
