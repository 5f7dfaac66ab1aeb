import { ManualClock } from '@muster/controller';
import { describe, expect, it } from 'vitest';
import { EXPECTATION_TIMEOUT_MS, Expectations } from './expectations.ts';

const OWNER = 'uid-of-job';

function setUp() {
  const clock = new ManualClock();
  const expectations = new Expectations(clock);
  const seen = new Set<string>();
  const expectAll = (...uids: string[]) =>
    uids.forEach((uid) => expectations.expect('ns/job', OWNER, { uid, isMet: () => seen.has(uid) }));
  return { clock, expectations, seen, expectAll };
}

describe('Expectations', () => {
  it('defer a job until the cache shows every write', () => {
    const { expectations, seen, expectAll } = setUp();
    expectAll('a', 'b');
    expect(expectations.remainingMs('ns/job', OWNER)).toBe(EXPECTATION_TIMEOUT_MS);
    seen.add('a');
    expect(expectations.remainingMs('ns/job', OWNER)).toBeGreaterThan(0);
    seen.add('b');
    expect(expectations.remainingMs('ns/job', OWNER)).toBe(0);
  });

  it('stay met for a write that the cache no longer shows', () => {
    const { expectations, seen, expectAll } = setUp();
    expectAll('a', 'b');
    seen.add('a');
    expectations.remainingMs('ns/job', OWNER);
    seen.delete('a');
    seen.add('b');
    expect(expectations.remainingMs('ns/job', OWNER)).toBe(0);
  });

  it('are dropped for an object that was deleted in the meantime', () => {
    const { expectations, expectAll } = setUp();
    expectAll('a');
    expectations.noteDeleted('ns/job', 'a');
    expect(expectations.remainingMs('ns/job', OWNER)).toBe(0);
  });

  it('end after the timeout, since an event may never come', () => {
    const { clock, expectations, expectAll } = setUp();
    expectAll('a');
    clock.advance(EXPECTATION_TIMEOUT_MS - 1);
    expect(expectations.remainingMs('ns/job', OWNER)).toBe(1);
    clock.advance(1);
    expect(expectations.remainingMs('ns/job', OWNER)).toBe(0);
  });

  it('do not defer a job that was recreated under the same name', () => {
    const { expectations, expectAll } = setUp();
    expectAll('a');
    expect(expectations.remainingMs('ns/job', 'uid-of-another')).toBe(0);
  });

  it('do not defer other jobs', () => {
    const { expectations, expectAll } = setUp();
    expectAll('a');
    expect(expectations.remainingMs('ns/other', OWNER)).toBe(0);
  });
});
