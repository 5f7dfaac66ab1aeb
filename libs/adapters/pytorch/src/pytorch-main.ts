import { PYTORCH_CONTAINER } from '@muster/job-api';

export const PYTORCH_MAIN = {
  containerName: PYTORCH_CONTAINER,
  port: { name: 'pytorchjob-port', number: 23456 },
} as const;
