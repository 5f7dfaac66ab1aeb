import { TF_CONTAINER } from '@muster/job-api';

export const TF_MAIN = {
  containerName: TF_CONTAINER,
  port: { name: 'tfjob-port', number: 2222 },
} as const;
