import { eventually } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { RecordedLog } from '../test-support/recorded-log.ts';
import { ManualClock } from './clock.ts';
import { Lifecycle, type Component } from './lifecycle.ts';

function setUp(parts: Record<string, Partial<Omit<Component, 'name'>>>) {
  const calls: string[] = [];
  const log = new RecordedLog();
  const clock = new ManualClock();
  const components = Object.entries(parts).map(([name, part]): Component => ({
    name,
    start: (signal) => {
      calls.push(`start ${name}`);
      return part.start?.(signal);
    },
    stop: (deadlineMs, clean) => {
      calls.push(`stop ${name}${clean ? '' : ' after trouble'}`);
      return part.stop?.(deadlineMs, clean);
    },
  }));
  return { calls, log, clock, lifecycle: new Lifecycle({ components, stopDeadlineMs: 24_000, logger: log, clock }) };
}

const never = (): Promise<void> => new Promise(() => undefined);
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('interrupted'))));

describe('Lifecycle', () => {
  it('starts components in order and stops them in reverse order', async () => {
    const { calls, clock, lifecycle } = setUp({ informers: {}, lease: {}, controllers: {} });
    await lifecycle.start();
    await lifecycle.stop();
    expect(calls).toEqual([
      'start informers',
      'start lease',
      'start controllers',
      'stop controllers',
      'stop lease',
      'stop informers',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('starts a component only when the one before it is ready', async () => {
    const leading = Promise.withResolvers<void>();
    const { calls, lifecycle } = setUp({ lease: { start: () => leading.promise }, controllers: {} });
    const started = lifecycle.start();
    await Promise.resolve();
    expect(calls).toEqual(['start lease']);
    leading.resolve();
    await started;
    expect(calls).toEqual(['start lease', 'start controllers']);
  });

  it('stops started components when one fails to start, and names it', async () => {
    const { calls, lifecycle } = setUp({
      client: {},
      informers: { start: () => Promise.reject(new Error('no CRD')) },
      controllers: {},
    });
    const error: unknown = await lifecycle.start().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: 'informers did not start', cause: { message: 'no CRD' } });
    expect(calls).toEqual(['start client', 'start informers', 'stop informers', 'stop client']);
  });

  it('can be stopped while it starts, like a follower that waits to lead', async () => {
    const { calls, log, lifecycle } = setUp({ informers: {}, lease: { start: untilAborted }, controllers: {} });
    const started = lifecycle.start();
    await eventually(() => calls.includes('start lease'), { describe: 'it waits for the lease' });
    await lifecycle.stop();
    await started;
    expect(calls).toEqual(['start informers', 'start lease', 'stop lease', 'stop informers']);
    expect(log.at('error')).toEqual([]);
  });

  it('starts nothing after it was stopped, even if the starting component becomes ready', async () => {
    const leading = Promise.withResolvers<void>();
    const { calls, lifecycle } = setUp({ lease: { start: () => leading.promise }, controllers: {} });
    const started = lifecycle.start();
    await lifecycle.stop();
    leading.resolve();
    await started;
    expect(calls).toEqual(['start lease', 'stop lease']);
  });

  it('stops the others when one fails to stop, and reports it to those before it, so that no Lease is released', async () => {
    const { calls, log, lifecycle } = setUp({
      informers: {},
      lease: {},
      controllers: { stop: () => Promise.reject(new Error('still writing')) },
    });
    await lifecycle.start();
    await lifecycle.stop();
    expect(calls.slice(3)).toEqual(['stop controllers', 'stop lease after trouble', 'stop informers after trouble']);
    expect(log.at('error')[0]?.fields).toMatchObject({ component: 'controllers', error: 'still writing' });
  });

  it('abandons a component that does not stop in time, and reserves time for the others', async () => {
    const deadlines: number[] = [];
    const keep = { stop: (deadlineMs: number): void => void deadlines.push(deadlineMs) };
    const { calls, clock, log, lifecycle } = setUp({
      informers: keep,
      lease: keep,
      controllers: {
        stop: (deadlineMs) => {
          deadlines.push(deadlineMs);
          return never();
        },
      },
    });
    await lifecycle.start();
    const stopped = lifecycle.stop();
    clock.advance(20_000);
    await stopped;
    expect(deadlines).toEqual([20_000, 2000, 4000]);
    expect(calls.at(-1)).toBe('stop informers after trouble');
    expect(log.at('error')[0]?.message).toBe('did not stop in time and is abandoned');
  });

  it('stops once, however often stop is called', async () => {
    const { calls, lifecycle } = setUp({ controllers: {} });
    await lifecycle.start();
    await Promise.all([lifecycle.stop(), lifecycle.stop()]);
    await lifecycle.stop();
    expect(calls).toEqual(['start controllers', 'stop controllers']);
  });
});
