/** The history and the page of `why` exist for each recorded decision path of each kind of job. */
import { fileURLToPath } from 'node:url';
import { recordedLines, recordIn, type RunRecord } from '@muster/recording';
import { expect, it } from 'vitest';
import { recordedAdapter } from '../replay/recorded-adapters.ts';
import { JobHistory } from './job-history.ts';
import { KnownAt, recordedPage } from './known-at.ts';
import { jobOf } from './recorded-job.ts';

const SAMPLE = fileURLToPath(new URL('../../test-support/recorded-runs.jsonl.gz', import.meta.url));

it('has sentences for each decision, and a page for each World', { timeout: 240_000 }, async () => {
  let before: RunRecord | undefined;
  const texts: string[] = [];
  for await (const { line, place } of recordedLines(SAMPLE)) {
    const record = recordIn(line);
    const history = new JobHistory(({ kind }) => recordedAdapter(kind));
    // Neighbours in the file are other jobs, so that every part of the World changes.
    if (before !== undefined) history.add(before, place);
    history.add(record, place);
    const { plan, world } = record;
    const isDecision = plan.status !== undefined || plan.events.length > 0 || plan.writes.length > 0;
    const { decisions = [], causes = [] } = history.entries.at(-1) ?? {};
    expect(isDecision ? decisions.length : 1, place).toBeGreaterThan(0);
    const known = new KnownAt(world.nowMs);
    known.add(record);
    const page = recordedPage(jobOf(record), known);
    expect(page, place).toContain(world.manifest.metadata?.name ?? '');
    texts.push(...decisions, ...causes, page);
    before = record;
  }
  expect(texts.filter((text) => /\[object |undefined|NaN/.test(text)).slice(0, 5)).toEqual([]);
});
