import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from './parse-yaml.ts';
import { yamlText } from './yaml-text.ts';

const NUMBER_LIKE = fc.string({ unit: fc.constantFrom(...'0123456789_-+.eExXoObBfF:~<= yn'), maxLength: 8 });

describe('yamlText', () => {
  it.each([
    '0400',
    '0X1F',
    '0B11',
    '0b-11',
    '1_0',
    'y',
    'NO',
    '<<',
    '~',
    '',
    '1e3',
    '2001-12-14',
    '#',
    '- a',
    ' a ',
    '\t.',
    'a\n\tb\n',
    ' \n',
    'a\x9bb',
    'a\x85b',
    '\x1b[31m',
    'a\u2028b',
    'a\u202eb',
    '\ufeffa',
  ])('writes the string %j so that it is read as a string, also as a key', (text) => {
    expect(parseYaml(yamlText({ value: text, [`${text}`]: 1 })).value).toEqual({ value: text, [text]: 1 });
  });

  it('writes any object so that it is read as the same object', () => {
    const text = fc.oneof(NUMBER_LIKE, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
    const scalar = fc.oneof(
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 62n }),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (object) => {
        expect(parseYaml(yamlText({ object })).value).toEqual({ object });
      }),
    );
  });
});
