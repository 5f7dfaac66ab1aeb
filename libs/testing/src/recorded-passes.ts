/** Where operators under test record their passes: in the folder that MUSTER_TEST_RECORD names, or nowhere. See docs/maintainers/replay.md. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** Of an operator in the process of the test: `JobOperatorOptions.record`. No file of it is removed. */
export function passRecord() {
  const folder = process.env['MUSTER_TEST_RECORD'];
  return folder === undefined ? undefined : { folder, files: 10_000 };
}

/** The same of one in a process of its own, as environment variables. Each has its own folder, because it removes old files. */
export function passRecordEnv(): NodeJS.ProcessEnv {
  const folder = process.env['MUSTER_TEST_RECORD'];
  return folder === undefined ? {} : { MUSTER_RECORD: join(folder, randomUUID()) };
}
