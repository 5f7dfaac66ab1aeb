/**
 * Recorded reconcile runs of operator processes that tests start, in the folder of MUSTER_TEST_RECORD. Operators in the process of a test are
 * recorded by `libs/recording/test-support/record-plans.ts`. See docs/maintainers/replay.md.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** The environment variables for an operator process. Each has its own folder, because it removes old files. */
export function passRecordEnv(): NodeJS.ProcessEnv {
  const folder = process.env['MUSTER_TEST_RECORD'];
  return folder === undefined
    ? {}
    : { MUSTER_RECORD: join(folder, randomUUID()), MUSTER_RECORD_SIZE: '100000', MUSTER_RECORD_ENVIRONMENT: 'true' };
}
