/**
 * Detects changes of planning: reconcile runs of many decision paths, recorded during the tests of each kind of job. See
 * docs/maintainers/replay.md.
 */
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { FRAMEWORKS, VOLCANO_JOBS, type KindDefinition } from '@muster/job-api';
import { recordedLines, Replay, resourceKey } from '@muster/recording';
import { expect, it } from 'vitest';
import { recordedAdapter } from './recorded-adapters.ts';
import { leftOut, replayReport } from './replay-report.ts';

const SAMPLE = fileURLToPath(new URL('../../test-support/recorded-runs.jsonl.gz', import.meta.url));
const MOST_BYTES = 1024 * 1024;

it('plans the recorded reconcile runs of each kind of job as before', { timeout: 240_000 }, async () => {
  const replay = new Replay(recordedAdapter);
  const kinds = new Set<string>();
  for await (const { line, place } of recordedLines(SAMPLE)) {
    const run = replay.add(line, place);
    if (run !== undefined) kinds.add(run.record.kind.resource);
  }
  const accept = `npx muster replay ${SAMPLE} --accept --sample ${SAMPLE}`;
  expect(replay.groups, `If the change is intended, accept it: ${accept}\n${replayReport(replay)}`).toEqual([]);
  expect(leftOut(replay)).toEqual([]);
  const own = Object.values<readonly KindDefinition[]>(FRAMEWORKS).flat();
  const all = [...own.map(({ resource }) => resource), VOLCANO_JOBS].map(resourceKey);
  expect([...kinds].sort()).toEqual(all.sort());
  expect((await stat(SAMPLE)).size).toBeLessThanOrEqual(MOST_BYTES);
});
