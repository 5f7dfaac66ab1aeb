import { PYTORCH_JOBS } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { ANSWERS } from './answers.ts';
import { faults } from './faults.ts';
import { faultTable, rowOf, rowsOf } from './fault-table.ts';
import { parseAnswer, repeatedSentences, wrongIn } from './why-answer.ts';

const PAGE = `PyTorchJob default/mnist has failed 3m12s ago: no data

First to fail: worker-1, 3m ago
  exit code 1
  The last lines of its log:
    | no data, and this line is long enough to count
    | no data, and this line is long enough to count

Next:
  muster logs pytorchjob/mnist --replica worker-1
`;
const fault = { name: 'no-data', what: 'there is no data', resource: PYTORCH_JOBS, spec: {} };

describe('the faults', () => {
  const all = faults('node-2');

  it('are at least forty, with unique names and expected answers', () => {
    const names = all.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(40);
    expect(names.filter((name) => ANSWERS[name] === undefined)).toEqual([]);
    expect(Object.keys(ANSWERS).filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('an answer of muster why', () => {
  const answer = parseAnswer(PAGE);

  it('is parsed from the output of muster why', () => {
    expect(answer.headline).toBe('has failed 3m12s ago: no data');
    expect(answer.findings[0]).toBe('First to fail: worker-1, 3m ago');
    expect(answer.next).toEqual(['muster logs pytorchjob/mnist --replica worker-1']);
  });

  it('is compared with the expected texts', () => {
    const expected = {
      headline: ['has failed', 'no data'],
      cause: ['exit code 1'],
      next: 'muster logs pytorchjob/mnist',
    };
    expect(wrongIn(answer, expected)).toEqual([]);
    expect(wrongIn(answer, { ...expected, headline: ['exit code 2'] })).toEqual(['the headline lacks "exit code 2"']);
    expect(wrongIn(answer, { ...expected, next: 'muster events' })).toEqual([
      'the first next step is not "muster events"',
    ]);
    expect(wrongIn(answer, undefined)).toHaveLength(1);
  });

  it('repeats no sentence except in log lines', () => {
    const sentence = 'It is restarted without any end.';
    expect(repeatedSentences(answer.findings)).toEqual([]);
    expect(repeatedSentences([sentence, `  Pod a: ${sentence}`])).toEqual(['It is restarted without any end']);
  });
});

describe('the page of faults', () => {
  const result = { fault, failure: undefined, answer: parseAnswer(PAGE), wrong: [] };

  it('keeps the rows of faults that are not played', () => {
    const page = faultTable(['no-data', 'other'], new Map([['no-data', rowOf(result)]]));
    expect(page).toContain('**1 of 2 are as expected.**');
    const rows = rowsOf(page);
    expect([...rows.keys()]).toEqual(['no-data']);
    rows.set('other', rowOf({ ...result, fault: { ...fault, name: 'other' }, wrong: ['no | answer'] }));
    const next = faultTable(['no-data', 'other'], rows);
    expect(next.split('\n').filter((line) => line.startsWith('| `'))).toEqual([rowOf(result), rows.get('other')]);
    expect(next).toContain('**1 of 2 are as expected.**');
  });

  it('contains no ages, and escapes column separators in messages', () => {
    expect(rowOf(result)).toContain('`has failed … ago: no data`');
    expect(rowOf({ ...result, wrong: ['a | b'] })).toContain('no: a \\| b');
  });
});
