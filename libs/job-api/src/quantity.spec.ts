import { describe, expect, it } from 'vitest';
import { addQuantities, formatQuantity, multiplyQuantity, NO_QUANTITY, parseQuantity } from './quantity.ts';

function canonical(text: string | number): string | undefined {
  const quantity = parseQuantity(text);
  return quantity && formatQuantity(quantity);
}

function sum(texts: readonly string[]): string {
  return formatQuantity(texts.map((text) => parseQuantity(text) ?? NO_QUANTITY).reduce(addQuantities, NO_QUANTITY));
}

describe('quantity', () => {
  it.each([
    ['0', '0'],
    ['0Gi', '0'],
    ['1', '1'],
    [' 1Gi ', '1Gi'],
    [4, '4'],
    [0.5, '500m'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['+2', '2'],
    ['-1500m', '-1500m'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['15e2', '1500'],
    ['12e-3', '12e-3'],
    ['1E', '1E'],
    ['1000M', '1G'],
    ['1024Mi', '1Gi'],
    ['1500Mi', '1500Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1Ki', '1Ki'],
    ['0.1Ki', '102400m'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['1.0000000001', '1000000001n'],
    ['1e-400', '1e-9'],
    ['1e400', '9223372036854775807'],
  ])('writes %s as %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it.each(['', 'x', '.', '1 Gi', '1KB', '1e', '1e1.5', '1ki', '--1', '1Gi2', 'Infinity', 'NaN'])(
    'does not read %j',
    (text) => {
      expect(parseQuantity(text)).toBeUndefined();
    },
  );

  it.each([
    { of: ['100m', '100m', '100m'], gives: '300m' },
    { of: ['100m', '0.9'], gives: '1' },
    { of: ['500m', '1e3'], gives: '1000500m' },
    { of: ['1e3', '500m'], gives: '1000500e-3' },
    { of: ['2Gi', '512Mi'], gives: '2560Mi' },
    { of: ['512Mi', '512Mi'], gives: '1Gi' },
    { of: ['1Gi', '1G'], gives: '2073741824' },
    { of: ['1G', '1Gi'], gives: '2073741824' },
    { of: ['0', '1Gi'], gives: '1Gi' },
    { of: ['9007199254740993', '1n'], gives: '9007199254740993000000001n' },
    { of: [], gives: '0' },
  ])('the sum of $of is $gives', ({ of, gives }) => {
    expect(sum(of)).toBe(gives);
  });

  it.each([[['100m']], [{ cpu: '100m' }], [Object.create(null)], [null], [true]])('is undefined of %j', (value) => {
    expect(parseQuantity(value as unknown as string)).toBeUndefined();
  });

  it('multiplies a third of a core by a thousand exactly', () => {
    const third = parseQuantity('333333333n') ?? NO_QUANTITY;
    expect(formatQuantity(multiplyQuantity(third, 1000))).toBe('333333333u');
  });
});
