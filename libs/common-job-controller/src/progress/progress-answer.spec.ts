import { describe, expect, it } from 'vitest';
import { readProgress, type ToldProgress } from './progress-answer.ts';

const read = (body: unknown, status = 200) => readProgress({ status, body });

describe('what a program says of its progress', () => {
  it.each<[string, unknown, unknown]>([
    ['a step', { step: 41 }, { step: 41 }],
    ['a percentage, to the hundredth', { percent: 12.3456 }, { percent: 12.34 }],
    ['nothing that nobody knows', { step: 1, epoch: 3 }, { step: 1 }],
    ['nothing that is null', { step: 1, percent: null, metrics: null }, { step: 1 }],
    [
      'all of it',
      { step: 1, percent: 100, remainingSeconds: 0.5, metrics: { loss: 0.25, 'val/acc': 1, name: 'x' } },
      { step: 1, percent: 100, remainingSeconds: 1, metrics: { loss: 0.25 } },
    ],
  ])('is %s', (_what, body, told) => {
    expect(read(body)).toEqual(told);
  });

  it.each<[string, unknown, string]>([
    ['a text', 'step 41', 'no JSON object'],
    ['a list', [41], 'no JSON object'],
    ['neither', {}, 'neither percent nor step'],
    ['a step that is no number', { step: '41' }, 'step is no number'],
    ['more than all', { percent: 101 }, 'percent is no number from 0 to 100'],
    ['less than nothing', { step: -1 }, 'step is no number'],
  ])('is refused when it is %s', (_what, body, why) => {
    expect(read(body)).toContain(why);
  });

  it('is no refusal of HTTP', () => {
    expect(read({ step: 1 }, 404)).toContain('404');
  });

  it('has ten metrics at most', () => {
    const metrics = Object.fromEntries(Array.from({ length: 20 }, (_each, index) => [`m${index}`, index]));
    const told = read({ step: 1, metrics }) as ToldProgress;
    expect(Object.keys(told.metrics ?? {})).toHaveLength(10);
  });
});
