import { describe, expect, it } from 'vitest';
import type { Observation } from './demo-job.ts';
import { endsLikeOneProcess, endsSucceeded, endsWith, lossFalls } from './expectations.ts';
import { parseTrainingLog } from './training-log.ts';

function ended(state: string, logText: string): Observation {
  return { status: { state }, pods: [], log: parseTrainingLog(logText), logText };
}

const WELL = 'epoch 40/40 loss 0.0035 workers 3\nworkers agree\ndone loss 1.7460 -> 0.0035 workers 3\n';

describe('endsSucceeded', () => {
  it('is met only by the state Succeeded', () => {
    expect(endsSucceeded.judge(ended('Succeeded', ''))).toEqual({ met: true, seen: 'Succeeded' });
    expect(endsSucceeded.judge(ended('Failed', WELL))).toEqual({ met: false, seen: 'Failed' });
  });
});

describe('lossFalls', () => {
  it('compares the first with the last loss', () => {
    expect(lossFalls.judge(ended('Succeeded', WELL))).toEqual({ met: true, seen: '1.746 → 0.0035' });
    expect(lossFalls.judge(ended('Succeeded', 'done loss 0.5 -> 0.5 workers 3\n')).met).toBe(false);
  });

  it('is not met without a result, whatever the epochs are', () => {
    const log = 'epoch 1/2 loss 0.9 workers 3\nepoch 2/2 loss 0.1 workers 3\n';
    expect(lossFalls.judge(ended('Succeeded', log))).toEqual({ met: false, seen: 'the log has no result' });
  });
});

describe('endsWith', () => {
  it('needs the number of workers, and the same parameters', () => {
    expect(endsWith(3).judge(ended('Succeeded', WELL)).met).toBe(true);
    expect(endsWith(2).judge(ended('Succeeded', WELL))).toEqual({ met: false, seen: '3 workers' });
    expect(endsWith(3).judge(ended('Succeeded', WELL.replace('workers agree\n', ''))).met).toBe(false);
  });
});

describe('endsLikeOneProcess', () => {
  it('needs the number of workers, and the comparison of the program', () => {
    const log = 'same as alone\ndone loss 11.0573 -> 0.0029 workers 3\n';
    expect(endsLikeOneProcess(3).judge(ended('Succeeded', log)).met).toBe(true);
    expect(endsLikeOneProcess(2).judge(ended('Succeeded', log))).toEqual({ met: false, seen: '3 workers' });
    expect(endsLikeOneProcess(3).judge(ended('Succeeded', log.replace('same as alone\n', ''))).met).toBe(false);
    expect(endsLikeOneProcess(3).judge(ended('Failed', '')).seen).toBe('the log has no result');
  });
});
