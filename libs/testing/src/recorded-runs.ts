/** Recorded reconcile runs of tests, in the folder of MUSTER_TEST_RECORD. See docs/maintainers/replay.md. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** `JobOperatorOptions.record` for an operator in the test's process. Keeps all its files. */
export function passRecord() {
  const folder = process.env['MUSTER_TEST_RECORD'];
  return folder === undefined ? undefined : { folder, files: 10_000 };
}

/** The environment variables for an operator process. Each has its own folder, because it removes old files. */
export function passRecordEnv(): NodeJS.ProcessEnv {
  const folder = process.env['MUSTER_TEST_RECORD'];
  return folder === undefined ? {} : { MUSTER_RECORD: join(folder, randomUUID()) };
}
