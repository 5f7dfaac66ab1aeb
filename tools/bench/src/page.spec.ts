import { expect, it } from 'vitest';
import { benchmarkPage } from './page.ts';

it('has a row for each figure beside its floor, and one for each cost', () => {
  const figures = {
    jobs: 100,
    succeededSeconds: { median: 15, min: 14, max: 16, floor: 10, ratio: 1.5, target: 12.5, met: false },
    createdSeconds: { median: 5, min: 5, max: 5, floor: 4, ratio: 1.25 },
    operatorCpuSeconds: { median: 4.3, min: 4, max: 5 },
    clusterCpuSeconds: { etcd: { median: 3, floor: 2 } },
    residentMB: { idle: 120, peak: 170 },
  };
  const result = { scenario: 'burst', summary: '100 jobs', runs: 3, figures };
  const page = benchmarkPage([result], { cpus: 2, memoryGiB: 24, node: 'v24' }, '2026-01-01');
  expect(page.split('\n').filter((line) => line.startsWith('| burst'))).toEqual([
    '| burst | succeeded seconds | 3 | 10 | 15 | 1.5 | 1.25, missed |',
    '| burst | created seconds | 3 | 4 | 5 | 1.25 |  |',
    '| burst | operator CPU seconds | 4.3 | 4 | 5 |',
    '| burst | cluster CPU seconds, etcd; floor 2 | 3 |  |  |',
    '| burst | resident MB, idle | 120 |  |  |',
    '| burst | resident MB, peak | 170 |  |  |',
  ]);
  expect(page).toContain('on 2 processors and 24 GiB with Node v24');
});
