/** JAXJob: the environment of its pods, and when the job has succeeded or failed. */
export { jaxAdapter } from './jax-adapter.ts';
