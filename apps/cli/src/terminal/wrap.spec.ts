import { describe, expect, it } from 'vitest';
import { wrapped } from './wrap.ts';

const TEXT = 'worker-0 does not start: ImagePullBackOff: Back-off pulling image "registry.example/team/train:1"';

describe('wrapped text', () => {
  it('has no split words and indented following lines on a terminal', () => {
    expect(wrapped(TEXT, '  ', { isTTY: true, columns: 50 }).split('\n')).toEqual([
      '  worker-0 does not start: ImagePullBackOff:',
      '    Back-off pulling image',
      '    "registry.example/team/train:1"',
    ]);
  });

  it('keeps a word that is longer than a line', () => {
    const word = 'x'.repeat(60);
    expect(wrapped(`a ${word} b`, '', { isTTY: true, columns: 50 })).toBe(`a\n  ${word}\n  b`);
  });

  it('keeps all blanks', () => {
    expect(wrapped('a   b ', '', { isTTY: true, columns: 50 })).toBe('a   b ');
  });

  it.each([{ isTTY: false, columns: 50 }, {}, { isTTY: true, columns: 0 }, { isTTY: true }])(
    'is one line without a terminal or its width: %j',
    (terminal) => {
      expect(wrapped(TEXT, '  ', terminal)).toBe(`  ${TEXT}`);
    },
  );
});
