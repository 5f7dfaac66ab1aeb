import { expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import type { PlainPod } from '../../test-support/plain-pod.ts';
import { NOW } from '../../test-support/plain-pod.ts';
import { planOf, SETTINGS, statusAfter, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import { NO_CHANGE } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import { planOf as planOfDecision } from './plan-of-decision.ts';

it('leaves out an event that was emitted before, and keeps one without a dedupKey', () => {
  const event: PlannedEvent = { type: 'Warning', reason: 'Test', note: 'a note', action: 'Test' };
  const events = [event, { ...event, dedupKey: 'first' }, { ...event, dedupKey: 'second' }];
  const context = { adapter: plainAdapter({}), world: worldOf({ emittedEvents: ['first'] }), settings: SETTINGS };
  expect(planOfDecision(context, { ...NO_CHANGE, events }).events).toEqual([event, events[2]]);
});

it('reports a pod that was not restarted in place once, also if its deletion is refused', () => {
  const job: PlainWorld = {
    workers: 2,
    runPolicy: { failurePolicy: { rules: [{ action: 'RestartJob', inPlace: true }] } },
  };
  const failed: PlainPod = { index: 1, restarter: true, exit: 137, ended: -5 };
  const status = statusAfter(
    { ...job, pods: [{ restarter: true }, { index: 1, restarter: true }] },
    { ...job, pods: [{ restarter: true }, failed] },
  );
  const requested = { attempt: 1, restarter: `1/0/${NOW / 1000 - 61}` };
  const pods: PlainPod[] = [
    { restarts: 1, exitBefore: 137, ...requested },
    { ...failed, ...requested },
  ];
  const eventsIn = (emittedEvents: readonly string[]) =>
    planOf({ ...job, status, pods, emittedEvents }).events.filter(({ reason }) => reason === 'NotRestartedInPlace');
  const [event, ...others] = eventsIn([]);
  expect([event?.note, others]).toEqual([expect.stringContaining('job-worker-1'), []]);
  expect(eventsIn([event?.dedupKey ?? ''])).toEqual([]);
});
