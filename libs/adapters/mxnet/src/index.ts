/** MXJob: how the tasks of a parameter server find one another, and when the job has succeeded or failed. */
export { mxAdapter } from './mx-adapter.ts';
export { mxnetPlugin } from './volcano-plugin.ts';
