import { describe, expect, it } from 'vitest';
import type { Variable } from './dashboard.ts';
import { ALL, arranged, chosenOf, fixedValues, interpolated, labelValuesQuery } from './variables.ts';

const query = (more: Partial<Variable> = {}): Variable => ({ name: 'namespace', type: 'query', ...more });

describe('label_values', () => {
  it.each([
    ['label_values(pod)', { label: 'pod' }],
    ['label_values(up, job)', { selector: 'up', label: 'job' }],
    ['label_values(up{a="b,c",d=~"$e"}, job)', { selector: 'up{a="b,c",d=~"$e"}', label: 'job' }],
    ['query_result(up)', undefined],
  ])('%s', (text, expected) => {
    expect(labelValuesQuery(query({ query: text }))).toEqual(expected);
    expect(labelValuesQuery(query({ query: { query: text } }))).toEqual(expected);
  });
});

describe('the values of a variable', () => {
  it('are those that match the regex, without duplicates, in the order of the variable', () => {
    expect(arranged(query({ regex: '/(team-.*)/', sort: 2 }), ['team-a', 'team-b', 'kube', 'team-a'])).toEqual([
      'team-b',
      'team-a',
    ]);
    expect(arranged(query({ sort: 7 }), ['job-10', 'job-9'])).toEqual(['job-9', 'job-10']);
    expect(arranged(query({ sort: 3 }), ['10', '9'])).toEqual(['9', '10']);
  });

  it('can be in the dashboard', () => {
    expect(fixedValues({ name: 'q', type: 'custom', query: '0.5, 0.99' })).toEqual(['0.5', '0.99']);
    expect(fixedValues({ name: 'q', type: 'constant', query: 'a, b' })).toEqual(['a, b']);
  });
});

describe('the selection of a variable', () => {
  const several = query({ multi: true, includeAll: true });

  it.each([
    ['the requested value', several, ['a', 'b'], ['b'], ['b']],
    ['all instead of a value that no longer exists', several, ['a', 'b'], ['c'], [ALL]],
    ['one of a variable that takes one', query(), ['a', 'b'], ['b', 'a'], ['b']],
    ['the value in the dashboard', query({ current: { value: 'b' } }), ['a', 'b'], undefined, ['b']],
    ['the first', query(), ['a', 'b'], undefined, ['a']],
    ['empty without values', query(), [], undefined, []],
    ['not all if the variable does not support it', query(), ['a'], [ALL], ['a']],
  ])('is %s', (_name, variable, values, requested, expected) =>
    expect(chosenOf(variable, values, requested)).toEqual(expected),
  );
});

describe('text with variables', () => {
  const one = { variable: query({ name: 'job' }), values: ['a.b', 'c'], chosen: ['a.b'] };
  const several = { variable: query({ multi: true, includeAll: true }), values: ['a.b', 'c'], chosen: ['a.b', 'c'] };
  const all = { ...several, chosen: [ALL] };

  it.each([
    ['up{job="$job"}', one, 'up{job="a.b"}'],
    ['up{job="${job}"}', one, 'up{job="a.b"}'],
    ['up{job="[[job]]"}', one, 'up{job="a.b"}'],
    ['up{n=~"$namespace"}', several, 'up{n=~"(a\\\\.b|c)"}'],
    ['up{n=~"$namespace"}', { ...several, chosen: ['a.b'] }, 'up{n=~"a\\\\.b"}'],
    ['up{n=~"$namespace"}', all, 'up{n=~"(a\\\\.b|c)"}'],
    ['up{n=~"$namespace"}', { ...all, variable: { ...all.variable, allValue: '.*' } }, 'up{n=~".*"}'],
    ['up{n=~"$namespace"}', { ...all, values: [] }, 'up{n=~".*"}'],
    ['${namespace:pipe}', several, 'a.b|c'],
    ['up{cluster="$job"}', { ...one, values: [], chosen: [] }, 'up{cluster=""}'],
    ['$unknown', one, '$unknown'],
  ])('%s', (text, state, expected) => expect(interpolated(text, [state])).toBe(expected));

  it('escapes quotes', () => {
    expect(interpolated('up{job="$job"}', [{ ...one, chosen: ['x"} or up{a="'] }])).toBe('up{job="x\\"} or up{a=\\""}');
  });

  it('has the variables of time', () => {
    expect(interpolated('rate(a[$__rate_interval])', [], { __rate_interval: '20s' })).toBe('rate(a[20s])');
  });
});
