export { tfAdapter } from './tf-adapter.ts';
export { tensorflowPlugin } from './volcano-plugin.ts';
