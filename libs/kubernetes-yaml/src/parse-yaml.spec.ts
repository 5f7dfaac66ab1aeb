import { describe, expect, it } from 'vitest';
import { parseYaml } from './parse-yaml.ts';
import type { YamlValue } from './yaml-value.ts';

const valueOf = (text: string): YamlValue => parseYaml(text).value;

describe('parseYaml', () => {
  it.each<[text: string, value: YamlValue]>([
    ['0400', 256],
    ['0o400', 256],
    ['-0o17', -15],
    ['08', 8],
    ['0x1F', 31],
    ['0X1f', 31],
    ['0b101', 5],
    ['0b-11', -3],
    ['1_000', 1000],
    ['+7', 7],
    ['-0', 0],
    ['1:30', '1:30'],
    ['1e3', 1000],
    ['1e400', '1e400'],
    ['.5', 0.5],
    ['._5', '._5'],
    ['-0.0', 0],
    ['1.', 1],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709551615],
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['0xFFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFFF'],
    ['y', true],
    ['Yes', true],
    ['on', true],
    ['N', false],
    ['OFF', false],
    ['yEs', 'yEs'],
    ['~', null],
    ['', null],
    ['"yes"', 'yes'],
    ["'0400'", '0400'],
    ['2001-12-14', '2001-12-14'],
    ['2001-12-14T21:59:43Z', '2001-12-14T21:59:43Z'],
    ['<<', '<<'],
    ['=', '='],
    ['!!str 0400', '0400'],
    ['!!int "0400"', 256],
    ['!!float 3', 3],
    ['!!float 9007199254740993', 9007199254740992],
    ['!!bool "on"', true],
    ['!!binary aGVsbG8=', 'hello'],
    ['!own 7', '7'],
    ['! 7', '7'],
  ])('reads the scalar %s as kubectl does', (text, value) => {
    expect(valueOf(`- ${text}\n`)).toEqual([value]);
  });

  it.each<[text: string, key: string]>([
    ['0400', '256'],
    ['y', 'true'],
    ['off', 'false'],
    ['1.10', '1.1'],
    ['1e6', '1e+06'],
    ['0.00001', '1e-05'],
    ['2001-12-14', '2001-12-14'],
    ['9007199254740993', '9007199254740993'],
    ['.inf', '.inf'],
    ['"y"', 'y'],
    ['__proto__', '__proto__'],
  ])('writes the key %s as kubectl does', (text, key) => {
    expect(Object.keys(valueOf(`${text}: v\n`) as object)).toEqual([key]);
  });

  it('lets a merge key override keys above it, and keys below override the merge key', () => {
    const anchors = 'a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\n';
    expect(valueOf(`${anchors}c:\n  x: 0\n  <<: *a\n  y: 0\n`)).toMatchObject({ c: { x: 1, true: 0 } });
    expect(valueOf(`${anchors}c: {<<: [*a, *b]}\n`)).toMatchObject({ c: { x: 1, true: 1, z: 2 } });
    expect(valueOf(`${anchors}c: {"<<": *a}\n`)).toMatchObject({ c: { '<<': { x: 1, true: 1 } } });
  });

  it('resolves an alias to the last anchor of its name above it', () => {
    expect(valueOf('- &a 1\n- *a\n- &a 2\n- *a\n')).toEqual([1, 1, 2, 2]);
  });

  it('uses the last of two values of a key, and warns with its line', () => {
    const { value, warnings } = parseYaml('a: 1\nb: 2\na: 3\n');
    expect(value).toEqual({ a: 3, b: 2 });
    expect(warnings).toEqual([{ line: 3, problem: 'the key "a" occurs twice: the last value is used' }]);
    expect(parseYaml('x: &x {a: 1}\ny:\n  a: 2\n  <<: *x\n').warnings).toEqual([
      { line: 4, problem: '<< replaces the key "a" above it' },
    ]);
    expect(parseYaml('x: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n').warnings).toEqual([]);
  });

  it.each<[text: string, line: number, problem: string]>([
    ['a: 1\nb: [', 2, 'Flow sequence'],
    ['a: b: c', 1, 'Nested mappings'],
    ['a:\n  - .inf\n', 2, '.inf cannot be written as JSON'],
    ['a: 1\n[b]: 2\n', 2, 'a key must be a scalar'],
    ['~: 2\n', 1, 'a key must be a string'],
    ['a: *b\n', 1, 'there is no anchor &b'],
    ['a: &a [*a]\n', 1, 'contains itself'],
    ['<<: 3\n', 1, 'must be a map or a list of maps'],
    ['a: !!int 3.5\n', 1, 'is not a valid !!int'],
    ['a: !!binary "?"\n', 1, 'must be base64'],
    ['{a:, b: 1}\n', 1, 'put a space after the colon'],
    ['a: "\u0007"\n', 1, 'U+0007'],
    ['a: 1\nb: \u2028\n', 2, 'U+2028'],
  ])('refuses %j', (text, line, problem) => {
    expect(() => parseYaml(text)).toThrow(
      expect.objectContaining({ line, problem: expect.stringContaining(problem) as string }),
    );
  });

  it('refuses a document that comes almost entirely from aliases', () => {
    const lines = Array.from({ length: 9 }, (_, level) => {
      const item = level === 0 ? 'x' : `*l${level - 1}`;
      return `l${level}: &l${level} [${Array.from({ length: 9 }, () => item).join(', ')}]`;
    });
    expect(() => parseYaml(lines.join('\n'))).toThrow('too much of the document comes from aliases');
  });

  it('ignores text after the end of the document', () => {
    expect(valueOf('a: 1\n...\nb: [\n')).toEqual({ a: 1 });
  });

  it('returns the line of each item of a list', () => {
    expect(parseYaml('# containers\n- name: a\n  image: b\n- name: c\n').itemLines).toEqual([2, 4]);
  });
});
