/** TFJob: the cluster that `TF_CONFIG` describes, which replica leads, and when the job has succeeded or failed. */
export { tfAdapter } from './tf-adapter.ts';
export { tensorflowPlugin } from './volcano-plugin.ts';
