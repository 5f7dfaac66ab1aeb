/** Detects changes of planning with runs recorded in the engine's unit tests. See docs/maintainers/replay.md. */
import { stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { MOST_BYTES, RECORDED_PLANS, recordedPlainAdapter } from '../test-support/recorded-plans.ts';
import { recordedLines } from './record-files.ts';
import { Replay } from './replay.ts';

const ACCEPT =
  'If the change is intended, accept the plans of this version: npx node libs/recording/test-support/sample-plans.ts --accept';

it('plans the recorded runs of the engine as before', { timeout: 600_000 }, async () => {
  const replay = new Replay(recordedPlainAdapter);
  for await (const { line, place } of recordedLines(RECORDED_PLANS)) replay.add(line, place);
  expect(replay.groups, `${ACCEPT}\n${JSON.stringify(replay.groups.slice(0, 10), null, 1)}`).toEqual([]);
  expect([...replay.unreadable, ...replay.unknownKinds]).toEqual([]);
  expect(replay.runs).toBeGreaterThan(1000);
  expect((await stat(RECORDED_PLANS)).size).toBeLessThanOrEqual(MOST_BYTES);
});
