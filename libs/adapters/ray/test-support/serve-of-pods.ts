/** Answers of Ray Serve for pods that do not run: it accepts each config, and its applications run. */
import type { JobOperatorOptions } from '@muster/common-job-controller';

const RUNNING = { applications: { fruit: { status: 'RUNNING', message: '', deployments: {} } } };

/** Replaces HTTP in an operator. */
export const serveOfPods: NonNullable<JobOperatorOptions['sendProbe']> = ({ method = 'GET' }) =>
  Promise.resolve({ status: 200, body: method === 'GET' ? RUNNING : '' });
