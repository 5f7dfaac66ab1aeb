/** The training container, and its port. */
import { JAX_CONTAINER } from '@muster/job-api';

export const JAX_MAIN = {
  containerName: JAX_CONTAINER,
  port: { name: 'jaxjob-port', number: 6666 },
} as const;
