/** Any life of a RayCronJob: its operator stops and starts, its runs last any time, it is suspended and edited. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, CREATED, cronSpec } from '../../test-support/cron-jobs.ts';
import { runName, type CronRun } from './cron-run.ts';
import { parseSchedule } from './cron-schedule.ts';
import { cronStep, type CronRecord, type CronStep, type ObservedCronJob } from './cron-step.ts';

const MINUTE_MS = 60_000;
const START_MS = at(CREATED);
const HOURS = 4;

interface Life {
  readonly schedule: string;
  readonly policy: 'Allow' | 'Forbid' | 'Replace';
  readonly deadlineSeconds?: number | undefined;
  readonly limit?: number | undefined;
  /** Minutes that each run lasts, in turn. */
  readonly lasts: readonly number[];
  readonly pauses: readonly {
    readonly what: 'down' | 'suspended';
    readonly fromMinute: number;
    readonly minutes: number;
  }[];
}

const lives: fc.Arbitrary<Life> = fc.record({
  schedule: fc.constantFrom('* * * * *', '*/7 * * * *', '0 * * * *', '@every 3m', '30 1,2 * * *'),
  policy: fc.constantFrom('Allow', 'Forbid', 'Replace'),
  deadlineSeconds: fc.option(fc.nat(600), { nil: undefined }),
  limit: fc.option(fc.nat(3), { nil: undefined }),
  lasts: fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 4 }),
  pauses: fc.array(
    fc.record({
      what: fc.constantFrom('down', 'suspended'),
      fromMinute: fc.nat(HOURS * 60),
      minutes: fc.integer({ min: 1, max: 120 }),
    }),
    { maxLength: 3 },
  ),
});

interface Played {
  readonly created: readonly { readonly tickMs: number; readonly atMs: number; readonly active: number }[];
  readonly steps: readonly { readonly nowMs: number; readonly step: CronStep; readonly observed: ObservedCronJob }[];
}

/** Four hours, with a reconcile run at each full minute and ten seconds after it. */
function play({ schedule, policy, deadlineSeconds, limit, lasts, pauses }: Life): Played {
  let runs: (CronRun & { readonly endsMs: number })[] = [];
  let record: CronRecord = {};
  let wasSuspended = false;
  const created: { tickMs: number; atMs: number; active: number }[] = [];
  const steps: { nowMs: number; step: CronStep; observed: ObservedCronJob }[] = [];
  const isPaused = (what: string, minute: number) =>
    pauses.some(
      (pause) => pause.what === what && minute >= pause.fromMinute && minute < pause.fromMinute + pause.minutes,
    );
  for (let seconds = 0; seconds < HOURS * 3600; seconds += seconds % 60 === 0 ? 10 : 50) {
    const nowMs = START_MS + seconds * 1000;
    runs = runs.map((each) =>
      each.end === undefined && nowMs >= each.endsMs ? { ...each, end: 'Succeeded', endMs: each.endsMs } : each,
    );
    const minute = Math.floor(seconds / 60);
    if (isPaused('down', minute)) continue;
    const spec = cronSpec({
      ...{ schedule, concurrencyPolicy: policy, suspend: isPaused('suspended', minute) },
      ...(deadlineSeconds !== undefined && { startingDeadlineSeconds: deadlineSeconds }),
      ...(limit !== undefined && { successfulJobsHistoryLimit: limit }),
    });
    const observed = { name: 'nightly', spec, record, createdMs: START_MS, wasSuspended, runs, nowMs };
    const step = cronStep(observed);
    steps.push({ nowMs, step, observed });
    record = step.record;
    wasSuspended = spec.suspend === true;
    runs = runs.filter(({ name }) => step.keeps.some((kept) => kept.name === name));
    if (step.createsMs === undefined) continue;
    const tickMs = step.createsMs;
    const name = runName('nightly', tickMs);
    created.push({ tickMs, atMs: nowMs, active: runs.filter(({ end }) => end === undefined).length });
    const endsMs = nowMs + (lasts[created.length % lasts.length] ?? 0) * MINUTE_MS;
    runs = [...runs, { name, uid: name, tickMs, isBeingDeleted: false, endsMs }];
  }
  return { created, steps };
}

describe('in any life of a RayCronJob', () => {
  const holds = (check: (life: Life, played: Played) => void, numRuns = 25) =>
    fc.assert(
      fc.property(lives, (life) => check(life, play(life))),
      { numRuns },
    );

  it('each run is created once, in the order of time, at or after its time', () => {
    holds((_life, { created }) => {
      for (const [index, { tickMs, atMs }] of created.entries()) {
        expect(tickMs).toBeLessThanOrEqual(atMs);
        expect(tickMs).toBeGreaterThan(created[index - 1]?.tickMs ?? START_MS);
      }
      expect(new Set(created.map(({ tickMs }) => runName('nightly', tickMs))).size).toBe(created.length);
    });
  });

  it('runs do not overlap under Forbid and Replace', () => {
    holds(({ policy }, { created }) => {
      if (policy !== 'Allow') expect(created.filter(({ active }) => active > 0)).toEqual([]);
    });
  });

  it('no run is late by more than the deadline', () => {
    holds(({ deadlineSeconds = Infinity }, { created }) => {
      expect(created.filter(({ tickMs, atMs }) => atMs - tickMs > deadlineSeconds * 1000)).toEqual([]);
    });
  });

  it('no run has a time at which it was suspended', () => {
    holds(({ pauses }, { created }) => {
      for (const { tickMs } of created) {
        const minute = (tickMs - START_MS) / MINUTE_MS;
        for (const { what, fromMinute, minutes } of pauses) {
          // The operator may have been down during the whole suspension.
          const isSeen = !pauses.some(
            (other) =>
              other.what === 'down' &&
              other.fromMinute <= fromMinute + minutes &&
              other.fromMinute + other.minutes >= fromMinute,
          );
          if (what === 'suspended' && isSeen)
            expect(minute > fromMinute && minute < fromMinute + minutes - 1).toBe(false);
        }
      }
    });
  });

  it('every time has a run if nothing interrupts it and runs may overlap', () => {
    fc.assert(
      fc.property(lives, ({ schedule, lasts }) => {
        const { created } = play({ schedule, lasts, policy: 'Allow', pauses: [] });
        const { schedule: parsed } = parseSchedule(schedule, 'UTC');
        const expected: number[] = [];
        for (
          let tick = parsed!.next(START_MS, START_MS);
          tick < START_MS + HOURS * 3_600_000;
          tick = parsed!.next(tick, START_MS)
        )
          expected.push(tick);
        expect(created.map(({ tickMs }) => tickMs)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('a time without a run is reported, unless it was suspended', () => {
    holds(({ pauses }, { created, steps }) => {
      if (pauses.some(({ what }) => what === 'suspended')) return;
      const [first, last] = [created[0], created.at(-1)];
      if (first === undefined || last === undefined) return;
      const { observed } = steps[0]!;
      const { schedule } = parseSchedule(observed.spec.schedule, 'UTC');
      const between = schedule!.countBetween(first.tickMs, last.tickMs, 10_000) + 2;
      if (created.length === 1 || between === created.length) return;
      expect(steps.some(({ step }) => step.warnings.length > 0)).toBe(true);
    });
  });

  it('a second reconcile run at the same time, with the run of the first, changes nothing', () => {
    holds((_life, { steps }) => {
      for (const { step, observed } of steps) {
        const { createsMs } = step;
        const name = runName('nightly', createsMs ?? 0);
        const made: CronRun[] =
          createsMs === undefined ? [] : [{ name, uid: name, tickMs: createsMs, isBeingDeleted: false }];
        const runs = [...step.keeps, ...made];
        const again = cronStep({
          ...observed,
          record: step.record,
          wasSuspended: observed.spec.suspend === true,
          runs,
        });
        expect(again.createsMs).toBeUndefined();
        expect(again.warnings).toEqual([]);
        expect(again.keeps).toEqual(runs);
      }
    });
  });

  it('the next check is in the future, and not after the next time of the schedule', () => {
    holds((_life, { steps }) => {
      for (const { nowMs, step, observed } of steps) {
        if (observed.spec.suspend === true) continue;
        expect(step.recheckAfterMs).toBeGreaterThan(0);
        const { schedule } = parseSchedule(observed.spec.schedule, 'UTC');
        const startMs = Math.max(
          START_MS,
          step.record.lastScheduleMs ?? 0,
          step.record.lastMissedMs ?? 0,
          step.record.scheduleStartMs ?? 0,
        );
        expect(nowMs + step.recheckAfterMs!).toBeLessThanOrEqual(schedule!.next(nowMs, startMs));
      }
    });
  });
});
