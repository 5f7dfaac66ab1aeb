import { fileURLToPath } from 'node:url';
import type { FrameworkAdapter } from '@muster/common-job-controller';
import { resourceKey, type RecordedKind } from '../src/run-record.ts';
import { PLAIN_JOBS, plainAdapter } from '@muster/common-job-controller/testing';

export const RECORDED_PLANS = fileURLToPath(new URL('recorded-plans.jsonl.gz', import.meta.url));

export const MOST_BYTES = 1024 * 1024;

export function recordedPlainAdapter({ resource, madeWith = {} }: RecordedKind): FrameworkAdapter | undefined {
  return resource === resourceKey(PLAIN_JOBS) ? plainAdapter(madeWith) : undefined;
}
