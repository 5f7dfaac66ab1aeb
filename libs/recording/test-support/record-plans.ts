/** Set-up of test processes. Property tests plan similar runs thousands of times, so each process records one run per decision path. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { recordOf } from '../src/run-record.ts';
import type { planJob as PlanJob, PlannedRun } from '@muster/common-job-controller';
import { decisionPath } from '../src/run-sample.ts';
import { taggedJson } from '../src/tagged-json.ts';

const folder = process.env['MUSTER_TEST_RECORD'] ?? '';
const file = join(folder, `test-${process.pid}.jsonl`);
mkdirSync(folder, { recursive: true });

const known = new Set<string>();

function record(run: PlannedRun): void {
  const recorded = recordOf(run);
  const path = decisionPath(recorded);
  if (known.has(path)) return;
  known.add(path);
  try {
    appendFileSync(file, `${taggedJson(recorded)}\n`);
  } catch {
    // Some tests plan with values that cannot be recorded.
  }
}

vi.doMock('../../common-job-controller/src/reconcile/plan-job.ts', async (importOriginal) => {
  const original = await importOriginal<{ planJob: typeof PlanJob }>();
  const planJob: typeof PlanJob = (adapter, world, settings) => {
    const plan = original.planJob(adapter, world, settings);
    record({ adapter, world, settings, plan });
    return plan;
  };
  return { ...original, planJob };
});

// This file's imports have loaded the original.
vi.resetModules();
