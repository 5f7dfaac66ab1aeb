import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { RecordedLog } from '../test-support/recorded-log.ts';
import type { LeaseClient } from './lease-store.ts';
import { LeaderElector } from './leader-election.ts';

describe('LeaderElector', () => {
  it.each([
    { leaseDurationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 },
    { leaseDurationMs: 15_000, renewDeadlineMs: 2400, retryPeriodMs: 2000 },
  ])('refuses times with which two could lead, or a leader would give up at the first failure: %o', (times) => {
    const options = { client: {} as LeaseClient, namespace: 'ns', name: 'lease', onLost: () => {}, ...times };
    expect(() => new LeaderElector({ ...options, registry: new Registry(), logger: new RecordedLog() })).toThrow(
      'raise the former or lower the latter',
    );
  });
});
