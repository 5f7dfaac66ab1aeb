/** RayCluster and RayJob: what Ray's nodes are given, and when a job has succeeded or failed. */
export { rayAdapters } from './ray-adapters.ts';
export { rayPlugin } from './volcano-plugin.ts';
export { submitterWhenReady } from './job/submitter-when-ready.ts';
