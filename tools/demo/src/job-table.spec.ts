import { describe, expect, it } from 'vitest';
import { type JobRow, jobLine, jobTable } from './job-table.ts';

const plain = { faint: (text: string) => text, good: (text: string) => text, bad: (text: string) => text };

const starting: JobRow = { name: 'pytorch-static', state: '', ready: '', restarts: 0, now: 'starting' };
const training: JobRow = {
  name: 'pytorch-elastic',
  state: 'Running',
  ready: '3/3',
  restarts: 2,
  epoch: { epoch: 8, total: 40, loss: 0.02, workers: 3 },
  now: 'losing worker-1',
};

describe('jobTable', () => {
  it('aligns values with their heads', () => {
    expect(jobTable([training, starting], 100, plain)).toEqual([
      '  JOB              STATE    READY  RESTARTS  EPOCH  LOSS    NOW',
      '· pytorch-elastic  Running  3/3    2         8/40   0.0200  losing worker-1',
      '· pytorch-static                   0                        starting',
    ]);
  });

  it('marks jobs that are over', () => {
    const [, good, bad] = jobTable(
      [
        { ...training, outcome: 'as expected' },
        { ...training, outcome: 'not as expected' },
      ],
      100,
      plain,
    );
    expect(good).toMatch(/^✓ /);
    expect(bad).toMatch(/^✗ /);
  });

  it('truncates lines at the width of the terminal', () => {
    for (const columns of [1, 20, 60, 80]) {
      for (const line of jobTable([training], columns, plain)) expect(line.length).toBeLessThan(Math.max(columns, 4));
    }
    expect(jobTable([training], 40, plain)[1]).toMatch(/…$/);
  });

  it('fits a terminal of 80 columns', () => {
    expect(jobTable([{ ...training, state: 'Succeeded' }], 80, plain)[1]).not.toContain('…');
  });
});

describe('jobLine', () => {
  it('has the values of the table in one line', () => {
    expect(jobLine(starting)).toBe('Pending, 0 ready, 0 restarts');
    expect(jobLine(training)).toBe('Running, 3/3 ready, 2 restarts, epoch 8/40, loss 0.02');
  });

  it('shows no pod count for a job without own pods', () => {
    const job = { ...training, ready: '0/0' };
    expect(jobLine(job)).toBe('Running, 2 restarts, epoch 8/40, loss 0.02');
    expect(jobTable([job], 80, plain)[1]).toMatch(/Running +- +2/);
  });
});
