import { describe, expect, it } from 'vitest';
import { createLineSplitter } from './json-lines.ts';

const TEXT = '{"a":"ä€😀"}\n\n{"b":"\\n"}\r\n{"c":3}\n{"half":';
const LINES = ['{"a":"ä€😀"}', '{"b":"\\n"}\r', '{"c":3}'];

describe('createLineSplitter', () => {
  it('finds the same lines wherever the bytes are cut in three', () => {
    const bytes = Buffer.from(TEXT);
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        const splitter = createLineSplitter();
        const chunks = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
        const lines = chunks.flatMap((chunk) => splitter.push(chunk));
        if (lines.join('|') !== LINES.join('|')) expect.fail(`cut at ${first} and ${second}: ${lines.join('|')}`);
      }
    }
  });

  it('finds the same lines byte by byte', () => {
    const splitter = createLineSplitter();
    expect([...Buffer.from(TEXT)].flatMap((byte) => splitter.push(Uint8Array.of(byte)))).toEqual(LINES);
  });

  it('returns no incomplete line', () => {
    const splitter = createLineSplitter();
    expect(splitter.push(Buffer.from('{"half":'))).toEqual([]);
    expect(splitter.push(Buffer.from('1}\n'))).toEqual(['{"half":1}']);
  });
});
