import { describe, expect, it } from 'vitest';
import { at, failed, observedCron, run, succeeded } from '../../test-support/cron-jobs.ts';
import { timeOf } from '../model/time-of.ts';
import { cronStep, type CronRecord, type CronStep } from './cron-step.ts';

const text = (ms: number | undefined) => (ms === undefined ? undefined : timeOf(ms));
const creates = ({ createsMs }: CronStep) => text(createsMs);
const next = ({ nextMs }: CronStep) => text(nextMs);
const keptNames = ({ keeps }: CronStep) => keeps.map(({ name }) => name);
const notes = ({ warnings }: CronStep) => warnings.map(({ note }) => note);

describe('a RayCronJob', () => {
  it('creates no run before its first time, and waits for that', () => {
    const step = cronStep(observedCron('2026-01-01T00:59:59Z'));
    expect(creates(step)).toBeUndefined();
    expect(next(step)).toBe('2026-01-01T01:00:00Z');
    expect(step).toMatchObject({ reason: 'OnSchedule', recheckAfterMs: 1000 });
    expect(step.message).toBe('The next run is at 2026-01-01T01:00:00Z.');
  });

  it('creates a run at its time', () => {
    const step = cronStep(observedCron('2026-01-01T01:00:00Z'));
    expect(creates(step)).toBe('2026-01-01T01:00:00Z');
    // Until the run exists.
    expect(next(step)).toBe('2026-01-01T01:00:00Z');
    expect(step.record.lastScheduleMs).toBeUndefined();
    expect(step.warnings).toEqual([]);
  });

  it('records the time of a run that exists, and does not create it again', () => {
    const step = cronStep(observedCron('2026-01-01T01:00:01Z', { runs: [run('2026-01-01T01:00:00Z')] }));
    expect(creates(step)).toBeUndefined();
    expect(text(step.record.lastScheduleMs)).toBe('2026-01-01T01:00:00Z');
    expect(next(step)).toBe('2026-01-01T02:00:00Z');
  });

  it('does not repeat a run that was deleted after it was recorded', () => {
    const record = { lastScheduleMs: at('2026-01-01T01:00:00Z') };
    expect(creates(cronStep(observedCron('2026-01-01T01:30:00Z', { record })))).toBeUndefined();
  });

  it('creates a run late if the operator did not run at its time', () => {
    const step = cronStep(observedCron('2026-01-01T01:40:00Z'));
    expect(creates(step)).toBe('2026-01-01T01:00:00Z');
    expect(step.warnings).toEqual([]);
  });

  it('creates only the latest of several missed runs, and reports the others once', () => {
    const record = { lastScheduleMs: at('2026-01-01T01:00:00Z') };
    const step = cronStep(observedCron('2026-01-01T05:10:00Z', { record }));
    expect(creates(step)).toBe('2026-01-01T05:00:00Z');
    expect(text(step.record.lastMissedMs)).toBe('2026-01-01T04:00:00Z');
    expect(notes(step)).toEqual([
      '3 runs up to that of 2026-01-01T04:00:00Z were not created; only the latest one that is due is created.',
    ]);
    const again = cronStep(observedCron('2026-01-01T05:10:01Z', { record: step.record }));
    expect(creates(again)).toBe('2026-01-01T05:00:00Z');
    expect(again.warnings).toEqual([]);
  });

  it('counts missed runs up to a limit', () => {
    const step = cronStep(observedCron('2026-01-05T00:00:30Z', { spec: { schedule: '* * * * *' } }));
    expect(creates(step)).toBe('2026-01-05T00:00:00Z');
    expect(notes(step)[0]).toContain('At least 100 runs up to that of 2026-01-04T23:59:00Z');
  });

  it('evaluates its schedule in its time zone', () => {
    const spec = { schedule: '0 3 * * *', timeZone: 'Asia/Tokyo' };
    expect(next(cronStep(observedCron('2026-01-01T00:00:00Z', { spec })))).toBe('2026-01-01T18:00:00Z');
  });
});

describe('startingDeadlineSeconds', () => {
  const spec = { startingDeadlineSeconds: 300 };

  it('does not affect a run within it', () => {
    expect(creates(cronStep(observedCron('2026-01-01T01:05:00Z', { spec })))).toBe('2026-01-01T01:00:00Z');
  });

  it('makes a later run missed', () => {
    const step = cronStep(observedCron('2026-01-01T03:05:01Z', { spec }));
    expect(creates(step)).toBeUndefined();
    expect(text(step.record.lastMissedMs)).toBe('2026-01-01T03:00:00Z');
    expect(next(step)).toBe('2026-01-01T04:00:00Z');
    expect(notes(step)).toEqual([
      '3 runs up to that of 2026-01-01T03:00:00Z were not created within startingDeadlineSeconds.',
    ]);
    expect(cronStep(observedCron('2026-01-01T03:05:02Z', { spec, record: step.record })).warnings).toEqual([]);
  });
});

describe('concurrencyPolicy', () => {
  const record: CronRecord = { lastScheduleMs: at('2026-01-01T01:00:00Z') };
  const runs = [succeeded('2026-01-01T00:00:00Z'), run('2026-01-01T01:00:00Z')];
  const withPolicy = (concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace', now = '2026-01-01T02:00:00Z', rest = {}) =>
    cronStep(observedCron(now, { spec: { concurrencyPolicy, ...rest }, record, runs }));

  it('Allow, the default, creates a run beside one that has not ended', () => {
    expect(creates(cronStep(observedCron('2026-01-01T02:00:00Z', { record, runs })))).toBe('2026-01-01T02:00:00Z');
    expect(keptNames(withPolicy('Allow'))).toEqual(runs.map(({ name }) => name));
  });

  it('Forbid waits, and creates only the latest run when the earlier one has ended', () => {
    const step = withPolicy('Forbid', '2026-01-01T04:10:00Z');
    expect(creates(step)).toBeUndefined();
    expect(step.reason).toBe('PreviousRunActive');
    expect(step.message).toContain(`waits until RayJob ${run('2026-01-01T01:00:00Z').name} has ended`);
    expect(next(step)).toBe('2026-01-01T04:00:00Z');
    expect(text(step.record.lastMissedMs)).toBe('2026-01-01T03:00:00Z');
    const ended = [succeeded('2026-01-01T01:00:00Z')];
    const after = cronStep(
      observedCron('2026-01-01T04:20:00Z', { spec: { concurrencyPolicy: 'Forbid' }, record: step.record, runs: ended }),
    );
    expect(creates(after)).toBe('2026-01-01T04:00:00Z');
  });

  it('Forbid waits for a run that is being deleted', () => {
    const going = [run('2026-01-01T01:00:00Z', { isBeingDeleted: true })];
    const spec = { concurrencyPolicy: 'Forbid' } as const;
    expect(cronStep(observedCron('2026-01-01T02:00:00Z', { spec, record, runs: going })).reason).toBe(
      'PreviousRunActive',
    );
  });

  it('Forbid with a deadline checks again when that has passed', () => {
    const step = withPolicy('Forbid', '2026-01-01T02:00:00Z', { startingDeadlineSeconds: 60 });
    expect(step.recheckAfterMs).toBe(60_001);
    expect(withPolicy('Forbid', '2026-01-01T02:01:01Z', { startingDeadlineSeconds: 60 })).toMatchObject({
      reason: 'OnSchedule',
      record: { lastMissedMs: at('2026-01-01T02:00:00Z') },
    });
  });

  it('Replace deletes the run that has not ended, and creates the next one', () => {
    const step = withPolicy('Replace');
    expect(creates(step)).toBe('2026-01-01T02:00:00Z');
    expect(keptNames(step)).toEqual([runs[0]?.name]);
  });

  it('Replace deletes nothing while no run is due', () => {
    expect(keptNames(withPolicy('Replace', '2026-01-01T01:59:00Z'))).toEqual(runs.map(({ name }) => name));
  });
});

describe('suspend', () => {
  it('creates no runs, deletes none that have not ended, and needs no recheck', () => {
    const runs = [run('2026-01-01T01:00:00Z')];
    const step = cronStep(observedCron('2026-01-01T02:00:00Z', { spec: { suspend: true }, runs }));
    expect(step).toMatchObject({ reason: 'Suspended', keeps: runs, warnings: [] });
    expect([creates(step), next(step), step.recheckAfterMs]).toEqual([undefined, undefined, undefined]);
  });

  it('leaves out the times that passed meanwhile, also after a restart of the operator', () => {
    const record = { lastScheduleMs: at('2026-01-01T01:00:00Z') };
    const step = cronStep(observedCron('2026-01-03T05:30:00Z', { record, wasSuspended: true }));
    expect(creates(step)).toBeUndefined();
    expect(step.warnings).toEqual([]);
    const later = cronStep(observedCron('2026-01-03T05:40:00Z', { record: step.record }));
    expect([creates(later), next(later)]).toEqual([undefined, '2026-01-03T06:00:00Z']);
  });

  it("counts from the engine's condition if the status has no field for it", () => {
    const resumedMs = at('2026-01-03T05:30:00Z');
    expect(creates(cronStep(observedCron('2026-01-03T05:40:00Z', { resumedMs })))).toBeUndefined();
  });
});

describe('a changed schedule', () => {
  const record = { lastScheduleMs: at('2026-01-01T01:00:00Z'), observedSchedule: '0 1 * * *' };

  it.each([
    ['schedule', { schedule: '*/10 * * * *' }],
    ['time zone', { schedule: '0 1 * * *', timeZone: 'Asia/Kolkata' }],
  ])('counts from the change of the %s', (_what, spec) => {
    const step = cronStep(observedCron('2026-01-01T23:45:00Z', { spec, record }));
    expect(creates(step)).toBeUndefined();
    expect(text(step.record.scheduleStartMs)).toBe('2026-01-01T23:45:00Z');
    const later = cronStep(observedCron('2026-01-01T23:46:00Z', { spec, record: step.record }));
    expect([creates(later), text(later.record.scheduleStartMs)]).toEqual([undefined, '2026-01-01T23:45:00Z']);
  });

  it('that is invalid creates no runs, and one that is corrected to the former one continues', () => {
    const invalid = cronStep(observedCron('2026-01-02T01:00:00Z', { spec: { schedule: '0 1 30 2 *' }, record }));
    expect(invalid).toMatchObject({ reason: 'InvalidChange', record });
    expect(creates(invalid)).toBeUndefined();
    const corrected = observedCron('2026-01-02T01:30:00Z', { spec: { schedule: '0 1 * * *' }, record: invalid.record });
    expect(creates(cronStep(corrected))).toBe('2026-01-02T01:00:00Z');
  });
});

describe('history limits', () => {
  const runs = ['01', '03', '02'].map((hour) => succeeded(`2026-01-01T${hour}:00:00Z`));
  const others = ['04', '05'].map((hour) => failed(`2026-01-01T${hour}:00:00Z`));
  const active = run('2026-01-01T00:00:00Z');
  const hours = (step: CronStep) => step.keeps.map(({ tickMs = 0 }) => new Date(tickMs).getUTCHours());
  const limited = (spec: object) =>
    cronStep(observedCron('2026-01-01T05:30:00Z', { spec, runs: [active, ...runs, ...others] }));

  it.each([
    ['no limits', {}, [0, 1, 3, 2, 4, 5]],
    ['a limit of successes', { successfulJobsHistoryLimit: 1 }, [0, 3, 4, 5]],
    ['a limit of failures', { failedJobsHistoryLimit: 1 }, [0, 1, 3, 2, 5]],
    ['both at 0', { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 }, [0]],
    ['both at 0, suspended', { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0, suspend: true }, [0]],
  ])('with %s keep the newest, and all that have not ended', (_what, spec, kept) => {
    expect(hours(limited(spec))).toEqual(kept);
  });
});
