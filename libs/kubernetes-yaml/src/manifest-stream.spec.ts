import { describe, expect, it } from 'vitest';
import { parseManifestStream } from './manifest-stream.ts';

const valuesOf = (bytes: string | Uint8Array) =>
  parseManifestStream(typeof bytes === 'string' ? Buffer.from(bytes) : bytes).map(({ value }) => value);

describe('parseManifestStream', () => {
  it.each<[what: string, text: string, values: unknown[]]>([
    [
      'documents, without the empty ones',
      '---\na: 1\n---\n# nothing\n---\n\n--- # two\nb: 2\n---\n',
      [{ a: 1 }, { b: 2 }],
    ],
    ['Windows line ends', 'a: |\r\n  x\r\n  y\r\n---\r\nb: 2\r\n', [{ a: 'x\ny\n' }, { b: 2 }]],
    ['a last line without an end', 'a: 1\n---\nb: |+\n  x', [{ a: 1 }, { b: 'x\n' }]],
    ['one JSON object', '{"a": 1, "b": "}\\""}', [{ a: 1, b: '}"' }]],
    ['JSON with tabs', '{\n\t"a": [\n\t\t1\n\t]\n}\n', [{ a: [1] }]],
    ['JSON objects one after another', '{"a": 0}{"b": {}}\n{"c": 1}', [{ a: 0 }, { b: {} }, { c: 1 }]],
    ['JSON and then YAML', '{"a": 1}\n---\nb: 0400\n', [{ a: 1 }, { b: 256 }]],
    ['YAML that starts with a brace', '{a: 0400, b: yes}\n---\nc: 1\n', [{ a: 256, b: true }, { c: 1 }]],
    ['large integers in JSON', '{"a": 9007199254740993, "b": 1e3}', [{ a: 9007199254740993n, b: 1000 }]],
    ['surrogate pairs in JSON', '{"a": "\\ud83d\\ude00"}', [{ a: '\u{1F600}' }]],
    ['nothing', '# nothing\n', []],
  ])('reads %s', (_what, text, values) => {
    expect(valuesOf(text)).toEqual(values);
  });

  it('reads UTF-8 and UTF-16 with a byte order mark', () => {
    const text = '\ufeffa: é\n';
    const bigEndian = Buffer.from(text, 'utf16le').swap16();
    for (const bytes of [Buffer.from(text), Buffer.from(text, 'utf16le'), bigEndian])
      expect(valuesOf(bytes)).toEqual([{ a: 'é' }]);
  });

  it('counts the lines of errors and warnings from the start of the file', () => {
    expect(() => valuesOf('a: 1\n---\nb: [\n')).toThrow('line 4');
    expect(() => valuesOf('{"a": 1}\n---\nb: "\u0007"\n')).toThrow('line 3');
    expect(() => valuesOf('a: 1\n--- b: 2\n')).toThrow('line 2: only a comment may follow ---');
    const [, { warnings } = { warnings: [] }] = parseManifestStream(Buffer.from('a: 1\n---\nb: 1\nb: 2\n'));
    expect(warnings).toMatchObject([{ line: 4 }]);
  });
});
