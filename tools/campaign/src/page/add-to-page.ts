/** Adds results to the data of the page, and writes the page. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '@muster/cluster';
import { format, resolveConfig } from 'prettier';
import { type MutantResult, withMutants } from '../mutants/run-mutants.ts';
import type { RunResult } from '../run/run-campaign.ts';
import type { SoakResult } from '../soak/run-soak.ts';
import { NO_PAGE_DATA, type PageData, type PageManifests, reliabilityPage, withManifests, withRun } from './page.ts';
import { withSoak } from './soak-section.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const PAGE = join(ROOT, 'docs/reliability.md');
const DATA = join(ROOT, 'docs/reliability.json');

interface Addition {
  readonly result?: RunResult;
  readonly mutants?: readonly MutantResult[];
  readonly soak?: SoakResult;
  readonly manifests?: readonly Omit<PageManifests, 'day' | 'commit'>[];
}

export async function addToPage({ result, mutants, soak, manifests = [] }: Addition): Promise<void> {
  const before = existsSync(DATA) ? (JSON.parse(readFileSync(DATA, 'utf8')) as PageData) : NO_PAGE_DATA;
  const { stdout } = await runCommand('git', ['-C', ROOT, 'rev-parse', '--short=8', 'HEAD']);
  const when = { day: new Date().toISOString().slice(0, 10), commit: stdout.trim() };
  const runs = result === undefined ? before : withRun(before, result, when);
  const added = manifests.map((row) => ({ ...row, ...when }));
  const data = withManifests(
    {
      ...runs,
      ...(mutants && { mutants: withMutants(before.mutants, mutants) }),
      ...(soak && withSoak(before, soak, when)),
    },
    added,
  );
  writeFileSync(DATA, await pretty(DATA, JSON.stringify(data)));
  writeFileSync(PAGE, await pretty(PAGE, reliabilityPage(data)));
}

async function pretty(file: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}
