import { notMatching } from './promql/matchers.ts';

/** Work queues of jobs: that of events, which are written beside the passes, is none. */
export const JOB_QUEUES = { name: notMatching('events') };
