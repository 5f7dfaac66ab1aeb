/** The training container, and its port. */
import { PADDLE_CONTAINER } from '@muster/job-api';

export const PADDLE_MAIN = {
  containerName: PADDLE_CONTAINER,
  port: { name: 'master', number: 36543 },
} as const;
