import { MX_CONTAINER } from '@muster/job-api';

export const MX_MAIN = {
  containerName: MX_CONTAINER,
  port: { name: 'mxjob-port', number: 9091 },
} as const;
