import { fileURLToPath } from 'node:url';
import type { FrameworkAdapter } from '../src/contract/adapter.ts';
import { resourceKey, type RecordedKind } from '../src/recording/pass-record.ts';
import { PLAIN_JOBS, plainAdapter } from './plain-adapter.ts';

export const RECORDED_PLANS = fileURLToPath(new URL('recorded-plans.jsonl.gz', import.meta.url));

export const MOST_BYTES = 1024 * 1024;

export function recordedPlainAdapter({ resource, madeWith = {} }: RecordedKind): FrameworkAdapter | undefined {
  return resource === resourceKey(PLAIN_JOBS) ? plainAdapter(madeWith) : undefined;
}
