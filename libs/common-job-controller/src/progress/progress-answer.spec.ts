import { describe, expect, it } from 'vitest';
import { readProgress, type ReportedProgress } from './progress-answer.ts';

const read = (body: unknown, status = 200) => readProgress({ status, body });

describe('readProgress', () => {
  it.each<[string, unknown, unknown]>([
    ['a step', { step: 41 }, { step: 41 }],
    ['a percentage, in hundredths', { percent: 12.3456 }, { percent: 12.34 }],
    ['no unknown fields', { step: 1, epoch: 3 }, { step: 1 }],
    ['no null fields', { step: 1, percent: null, metrics: null }, { step: 1 }],
    [
      'all fields',
      { step: 1, percent: 100, remainingSeconds: 0.5, metrics: { loss: 0.25, 'val/acc': 1, name: 'x' } },
      { step: 1, percent: 100, remainingSeconds: 1, metrics: { loss: 0.25 } },
    ],
  ])('reads %s', (_what, body, expected) => {
    expect(read(body)).toEqual(expected);
  });

  it.each<[string, unknown, string]>([
    ['a text', 'step 41', 'not a JSON object'],
    ['a list', [41], 'not a JSON object'],
    ['empty', {}, 'neither percent nor step'],
    ['a step that is not a number', { step: '41' }, 'step is not a number'],
    ['over 100 percent', { percent: 101 }, 'percent is not a number from 0 to 100'],
    ['negative', { step: -1 }, 'step is not a number'],
  ])('rejects an answer that is %s', (_what, body, why) => {
    expect(read(body)).toContain(why);
  });

  it('rejects an HTTP error status', () => {
    expect(read({ step: 1 }, 404)).toContain('404');
  });

  it('keeps ten metrics at most', () => {
    const metrics = Object.fromEntries(Array.from({ length: 20 }, (_each, index) => [`m${index}`, index]));
    const expected = read({ step: 1, metrics }) as ReportedProgress;
    expect(Object.keys(expected.metrics ?? {})).toHaveLength(10);
  });
});
