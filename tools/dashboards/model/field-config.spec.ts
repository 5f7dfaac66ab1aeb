import { describe, expect, it } from 'vitest';
import { displayName, fieldConfigOf, shownNumber, shownText, thresholdColor } from './field-config.ts';

const thresholds = {
  steps: [
    { color: 'green', value: null },
    { color: 'red', value: 5 },
  ],
};

describe('the configuration of a field', () => {
  it('is overridden by a matcher', () => {
    const panel = {
      fieldConfig: {
        defaults: { unit: 'short', custom: { lineWidth: 1 } },
        overrides: [
          { matcher: { id: 'byName', options: 'limit' }, properties: [{ id: 'custom.fillOpacity', value: 0 }] },
          { matcher: { id: 'byRegexp', options: '/^lim/' }, properties: [{ id: 'unit', value: 'bytes' }] },
          { matcher: { id: 'byFrameRefID', options: 'B' }, properties: [{ id: 'displayName', value: 'other' }] },
        ],
      },
    };
    expect(fieldConfigOf(panel, { name: 'limit', refId: 'A' })).toEqual({
      unit: 'bytes',
      custom: { lineWidth: 1, fillOpacity: 0 },
    });
    const other = { name: 'used', refId: 'B' };
    expect(displayName(fieldConfigOf(panel, other), other)).toBe('other');
  });
});

describe('the text of a value', () => {
  it.each([
    [5, { thresholds }, { text: '5', color: 'red' }],
    [4.9, { thresholds }, { text: '4.9', color: 'green' }],
    [1, { thresholds, color: { mode: 'fixed', fixedColor: 'blue' } }, { text: '1', color: 'blue' }],
    [
      1,
      { mappings: [{ type: 'value', options: { 1: { text: 'leads', color: 'green' } } }] },
      { text: 'leads', color: 'green' },
    ],
    [7, { mappings: [{ type: 'range', options: { from: 5, to: null, result: { text: 'many' } } }] }, { text: 'many' }],
    [undefined, {}, { text: 'no data' }],
    [undefined, { noValue: '0' }, { text: '0' }],
    [
      NaN,
      { mappings: [{ type: 'special', options: { match: 'null+nan', result: { text: 'none' } } }] },
      { text: 'none' },
    ],
  ])('%s of %j', (value, config, expected) => expect(shownNumber(value, config, 0)).toEqual(expected));

  it('can be a mapped text', () => {
    const mappings = [{ type: 'regex', options: { pattern: '^Run', result: { color: 'green' } } }];
    expect(shownText('Running', { mappings })).toEqual({ text: 'Running', color: 'green' });
  });

  it('has thresholds in percent of its bounds', () => {
    const steps = [
      { color: 'green', value: null },
      { color: 'red', value: 80 },
    ];
    expect(thresholdColor(9, { thresholds: { mode: 'percentage', steps }, min: 0, max: 10 })).toBe('red');
    expect(thresholdColor(7, { thresholds: { mode: 'percentage', steps }, min: 0, max: 10 })).toBe('green');
  });
});
