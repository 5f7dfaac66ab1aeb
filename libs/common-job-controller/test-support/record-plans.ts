/**
 * A setup file of the unit tests, where the environment names a folder by MUSTER_TEST_RECORD: what they plan is recorded there. Property tests
 * plan the like of it thousands of times, so of each decision path only a shorter pass follows.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { lineOf, recordIn, type PlannedPass } from '../src/recording/pass-record.ts';
import { decisionPath } from '../src/recording/pass-sample.ts';
import type * as planJobModule from '../src/reconcile/plan-job.ts';

const folder = process.env['MUSTER_TEST_RECORD'] ?? '';
const file = join(folder, `unit-${process.pid}.jsonl`);
mkdirSync(folder, { recursive: true });

const shortest = new Map<string, number>();

function record(pass: PlannedPass): void {
  let line: string;
  try {
    line = lineOf(pass);
  } catch {
    // Some tests plan with what no operator has, as an object with functions.
    return;
  }
  const path = decisionPath(recordIn(line));
  if ((shortest.get(path) ?? Infinity) <= line.length) return;
  shortest.set(path, line.length);
  appendFileSync(file, `${line}\n`);
}

vi.doMock('../src/reconcile/plan-job.ts', async (importOriginal) => {
  const original = await importOriginal<typeof planJobModule>();
  const planJob: typeof original.planJob = (adapter, world, settings) => {
    const plan = original.planJob(adapter, world, settings);
    record({ adapter, world, settings, plan });
    return plan;
  };
  return { ...original, planJob };
});
