import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { fromTaggedJson, SECRET_MARKER, taggedJson } from './tagged-json.ts';

const decoded = (value: unknown) => fromTaggedJson(taggedJson(value));

describe('tagged JSON', () => {
  it.each([
    ['a Map', new Map([['a', { b: 1 }]])],
    ['a Set', new Set(['a', 'b'])],
    ['a Map of Sets', new Map([['a', new Set([1])]])],
    ['an infinite number', { limit: Infinity }],
    ['undefined in a list', { list: [1, undefined, 2] }],
    ['an object that looks like a tag', { $map: [[1, 2]] }],
    ['an object that looks like an escaped tag', { $$set: { $number: 'x' } }],
    ['an object with a key that begins with $ among others', { $map: 1, other: 2 }],
  ])('keeps %s', (_what, value) => {
    expect(decoded(value)).toStrictEqual(value);
  });

  it('keeps any JSON, whatever its keys', () => {
    const key = fc.oneof(fc.constantFrom('$map', '$set', '$number', '$undefined', '$$map', '$'), fc.string());
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('tree'), { maxLength: 3 }),
      object: fc.dictionary(key, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(decoded(value)).toEqual(value);
      }),
    );
  });

  it('leaves out keys whose value is undefined', () => {
    expect(taggedJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  });

  it.each([
    ['a function', { trim: () => 1 }],
    ['a date', { at: new Date(0) }],
  ])('refuses %s, which no replay could restore', (_what, value) => {
    expect(() => taggedJson(value)).toThrow('cannot be recorded');
  });

  it('replaces the data of Secrets at any depth', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'keys',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":"hush"}' },
      },
      data: { key: 'hush' },
      stringData: { other: 'hush' },
    };
    const text = taggedJson({ deep: [new Map([['a', { object: secret }]])] });
    expect(text).not.toContain('hush');
    expect(text).toContain(`"data":{"key":"${SECRET_MARKER}"},"stringData":{"other":"${SECRET_MARKER}"}`);
  });

  it('keeps the data of other objects', () => {
    const configMap = { kind: 'ConfigMap', data: { hosts: 'a\nb' } };
    expect(decoded(configMap)).toEqual(configMap);
  });
});
