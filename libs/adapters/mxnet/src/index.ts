export { mxAdapter } from './mx-adapter.ts';
export { mxnetPlugin } from './volcano-plugin.ts';
