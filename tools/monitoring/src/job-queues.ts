import { notMatching } from './promql/matchers.ts';

/** Work queues of jobs, without the queue of events. */
export const JOB_QUEUES = { name: notMatching('events') };
