/** The training container, and its port. */
import { XGBOOST_CONTAINER } from '@muster/job-api';

export const XGBOOST_MAIN = {
  containerName: XGBOOST_CONTAINER,
  port: { name: 'xgboostjob-port', number: 9999 },
} as const;
