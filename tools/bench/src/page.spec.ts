import { expect, it } from 'vitest';
import { benchmarkPage, NO_PAGE_DATA, withResult, type PageData, type Result } from './page.ts';

const MACHINE = { cpus: 2, memoryGiB: 24, node: 'v24' };

function measured(result: Result, day = '2026-01-01', before: PageData = NO_PAGE_DATA): PageData {
  return withResult(before, result, { day, machine: MACHINE, order: ['burst', 'small'] });
}

it('has a row for each figure beside its floor, and one for each cost', () => {
  const figures = {
    jobs: 100,
    succeededSeconds: { median: 15, min: 14, max: 16, floor: 10, ratio: 1.5, target: 12.5, met: false },
    createdSeconds: { median: 5, min: 5, max: 5, floor: 4, ratio: 1.25 },
    operatorCpuSeconds: { median: 4.3, min: 4, max: 5 },
    clusterCpuSeconds: { etcd: { median: 3, floor: 2 } },
    residentMB: { idle: 120, peak: 170 },
    requestsOfLastRun: { 'POST pods': 7 },
    goals: { memoryMet: true, noWritesMet: false },
  };
  const result = { scenario: 'burst', summary: '100 jobs', runs: 3, figures };
  const [now = '', past = ''] = benchmarkPage(measured(result)).split('## History');
  expect(now.split('\n').filter((line) => line.startsWith('| burst'))).toEqual([
    '| burst | succeeded seconds | 3 | 10 | 15 | 1.5 | 1.25, missed |',
    '| burst | created seconds | 3 | 4 | 5 | 1.25 |  |',
    '| burst | memory | yes |',
    '| burst | no writes | **no** |',
    '| burst | jobs | 100 |  |  |',
    '| burst | operator CPU seconds | 4.3 | 4 | 5 |',
    '| burst | cluster CPU seconds, etcd; floor 2 | 3 |  |  |',
    '| burst | resident MB, idle | 120 |  |  |',
    '| burst | resident MB, peak | 170 |  |  |',
    '| burst | 2026-01-01, 2 processors, 24 GiB, Node v24 | 100 jobs |',
  ]);
  expect(past).toContain('| 2026-01-01 | 2 processors, 24 GiB, Node v24 | burst | succeeded seconds | 1.5 |');
});

it('keeps measurements of other days, and replaces those of this day', () => {
  const result = (scenario: string, ratio: number) => ({
    ...{ scenario, summary: 'a job', runs: 1 },
    figures: { runningSeconds: { median: ratio, min: ratio, max: ratio, floor: 1, ratio } },
  });
  const first = measured(result('small', 3));
  const second = measured(result('small', 2), '2026-01-02', first);
  const third = measured(result('small', 1.5), '2026-01-02', second);
  const text = benchmarkPage(measured(result('burst', 4), '2026-01-02', third));
  expect(text.split('\n').filter((line) => line.startsWith('| 2026'))).toEqual([
    '| 2026-01-01 | 2 processors, 24 GiB, Node v24 | small | running seconds | 3 |',
    '| 2026-01-02 | 2 processors, 24 GiB, Node v24 | small | running seconds | 1.5 |',
    '| 2026-01-02 | 2 processors, 24 GiB, Node v24 | burst | running seconds | 4 |',
  ]);
  const now = text.split('## History')[0] ?? '';
  expect(now.split('\n').filter((line) => line.includes('running seconds'))).toEqual([
    '| burst | running seconds | 1 | 1 | 4 | 4 |  |',
    '| small | running seconds | 1 | 1 | 1.5 | 1.5 |  |',
  ]);
});
