/** PaddleJob: the environment of its pods, and when the job has succeeded or failed. */
export { paddleAdapter } from './paddle-adapter.ts';
