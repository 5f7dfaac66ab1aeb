import { describe, expect, it } from 'vitest';
import { table } from './table.ts';

const ROWS = [
  ['REPLICA', 'STATUS', 'WHY'],
  ['worker-0', 'ImagePullBackOff', 'Back-off pulling image "registry.example/team/train:1"'],
  ['worker-1', 'Running', ''],
];

describe('a table on a terminal', () => {
  it('wraps text of the last column at words, in its column', () => {
    expect(table(ROWS, { terminal: { isTTY: true, columns: 60 } }).split('\n')).toEqual([
      'REPLICA   STATUS            WHY',
      'worker-0  ImagePullBackOff  Back-off pulling image',
      '                            "registry.example/team/train:1"',
      'worker-1  Running',
      '',
    ]);
  });

  it('prints that text below the row if its column has no room', () => {
    expect(table(ROWS, { indent: '  ', terminal: { isTTY: true, columns: 50 } }).split('\n')).toEqual([
      '  REPLICA   STATUS            WHY',
      '  worker-0  ImagePullBackOff',
      '      Back-off pulling image',
      '        "registry.example/team/train:1"',
      '  worker-1  Running',
      '',
    ]);
  });

  it.each([{ isTTY: true, columns: 200 }, { isTTY: false, columns: 50 }, {}])(
    'has one line for each row if it fits or is no terminal: %j',
    (terminal) => {
      expect(table(ROWS, { terminal }).split('\n')).toEqual([
        'REPLICA   STATUS            WHY',
        'worker-0  ImagePullBackOff  Back-off pulling image "registry.example/team/train:1"',
        'worker-1  Running',
        '',
      ]);
    },
  );
});
