import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import type { RunResult } from '../run/run-campaign.ts';
import type { SoakResult } from '../soak/run-soak.ts';
import { NO_PAGE_DATA, type PageData, reliabilityPage, withManifests, withRun } from './page.ts';
import { withSoak } from './soak-section.ts';

const PAGE = join(import.meta.dirname, '../../../../docs/reliability.md');
const RESULT: RunResult = {
  ...{
    seed: 7,
    minutes: 1,
    frameworks: ['mpi'],
    kubernetesVersion: '1.37.2',
    previous: '89abcdef',
    clusterMinutes: 2.04,
    jobs: 3,
    pods: 9,
  },
  ...{
    changes: 100,
    operatorWrites: 40,
    previousWrites: 15,
    auditedRequests: 60,
    operatorKills: 2,
    refused: {},
    hasSettled: true,
    violations: [],
  },
  faults: [
    { index: 0, fault: 'quota', atMs: 0, forMs: 1, pick: 0, share: 0 },
    { index: 1, fault: 'quota', atMs: 0, forMs: 1, pick: 0, share: 0, failure: 'no namespace' },
  ],
};
const WHEN = { day: '2026-11-27', commit: '01234567' };

describe('the page of results', () => {
  it('counts the faults that were caused, and replaces an earlier run of the same seed', () => {
    const twice = withRun(withRun(NO_PAGE_DATA, RESULT, WHEN), { ...RESULT, jobs: 4 }, WHEN);
    expect(twice.runs).toMatchObject([{ seed: 7, jobs: 4, faults: { quota: 1 } }]);
    expect(reliabilityPage(twice)).toContain('| writes of operators of a previous version | 15 |');
    expect(reliabilityPage(twice)).toContain(
      '| 2026-11-27 | 01234567 | 89abcdef | 7 | 1 | 1 | 1.37.2 | 4 | 9 | 1 | 0 |',
    );
  });

  it('sums up generated manifests, and replaces earlier ones of the same kind, source and seed', () => {
    const row = {
      ...WHEN,
      kind: 'TFJob',
      source: 'mutated',
      seed: 1,
      manifests: 5,
      refused: 1,
      invalid: 1,
      accepted: 3,
      failed: 0,
    };
    const first = withManifests(NO_PAGE_DATA, [
      { ...row, failed: 9 },
      { ...row, kind: 'MXJob' },
    ]);
    const page = reliabilityPage(withManifests(withRun(first, RESULT, WHEN), [row]));
    expect(page).toContain('| TFJob | mutated | 1 | 5 | 1 | 1 | 3 | 0 | 01234567 | 2026-11-27 |');
    expect(page).toContain('| all |  |  | 10 | 2 | 2 | 6 | 0 |');
  });

  it('shows each soak with its failures, and the figures of the last one', () => {
    const row = { of: 'mpi/a (leader)', first: 40, last: 45, limit: 10, isGrowth: false };
    const soak: SoakResult = {
      ...{ seed: 7, minutes: 10, frameworks: ['mpi'], kubernetesVersion: '1.37.2', jobs: 400 },
      ...{ refused: {}, left: { pods: 2 }, exits: [], samples: [] },
      comparisons: [
        { ...row, figure: 'open files' },
        { ...row, figure: 'open files', of: 'mpi/b (standby)', last: 49 },
        { ...row, figure: 'CPU time per second', first: 0.1, last: 0.3, limit: 0.05, isGrowth: true },
      ],
    };
    const twice = { ...NO_PAGE_DATA, ...withSoak(withSoak({}, { ...soak, jobs: 1 }, WHEN), soak, WHEN) };
    expect(twice.soaks).toHaveLength(1);
    const page = reliabilityPage(twice);
    expect(page).toContain('| 2026-11-27 | 01234567 | 7 | 10 | mpi | 1.37.2 | 400 | 2 |');
    expect(page).toContain('| open files | mpi/b (standby) | 40 | 49 | 50 |');
    expect(page).toContain('| CPU time per second | mpi/a (leader) | 10.0 % | 30.0 % | 15.0 % |');
  });

  it('is the one in the repository, made from its data', async () => {
    const file = PAGE.replace(/md$/, 'json');
    const data = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PageData) : NO_PAGE_DATA;
    const page = await format(reliabilityPage(data), { ...(await resolveConfig(PAGE)), filepath: PAGE });
    expect(page).toBe(readFileSync(PAGE, 'utf8'));
  });
});
