import { describe, expect, it } from 'vitest';
import {
  hasBegun,
  hasCondition,
  isFinished,
  timestamp,
  withCondition,
  withoutCondition,
  type NewCondition,
} from './conditions.ts';

const T0 = Date.UTC(2030, 0, 1);
const LATER = T0 + 90_000;

function of(type: NewCondition['type'], reason = `Job${type}`, status: 'True' | 'False' = 'True'): NewCondition {
  return { type, reason, message: `job is ${type}`, status };
}

/** The list after the conditions were set one after the other, as `type=status`. */
function after(...conditions: NewCondition[]): string[] {
  return conditions
    .reduce<ReturnType<typeof withCondition>>((list, condition) => withCondition(list, condition, T0), [])
    .map(({ type, status }) => `${type}=${status}`);
}

describe('withCondition', () => {
  it.each([
    { name: 'appends in order of time', set: [of('Created'), of('Running')], gives: ['Created=True', 'Running=True'] },
    {
      name: 'Restarting takes the place of Running',
      set: [of('Created'), of('Running'), of('Restarting')],
      gives: ['Created=True', 'Restarting=True'],
    },
    {
      name: 'Running takes the place of Restarting',
      set: [of('Created'), of('Restarting'), of('Running')],
      gives: ['Created=True', 'Running=True'],
    },
    {
      name: 'an end makes Running false and stands last',
      set: [of('Created'), of('Running'), of('Succeeded')],
      gives: ['Created=True', 'Running=False', 'Succeeded=True'],
    },
    {
      name: 'an end leaves no Restarting',
      set: [of('Created'), of('Restarting'), of('Failed')],
      gives: ['Created=True', 'Failed=True'],
    },
    {
      name: 'a suspension leaves no Restarting',
      set: [of('Created'), of('Restarting'), of('Suspended')],
      gives: ['Created=True', 'Suspended=True'],
    },
    {
      name: 'a suspension stands behind the Running that it makes false',
      set: [of('Created'), of('Running'), of('Running', 'JobSuspended', 'False'), of('Suspended')],
      gives: ['Created=True', 'Running=False', 'Suspended=True'],
    },
    {
      name: 'a resumption takes the place of the suspension, and Running comes after it',
      set: [of('Created'), of('Suspended'), of('Suspended', 'JobResumed', 'False'), of('Running')],
      gives: ['Created=True', 'Suspended=False', 'Running=True'],
    },
    {
      name: 'a condition beside the state leaves Running as it is',
      set: [of('Created'), of('Running'), of('ReplicaFailure')],
      gives: ['Created=True', 'Running=True', 'ReplicaFailure=True'],
    },
    {
      name: 'a restart leaves the resumption where it is',
      set: [of('Created'), of('Suspended', 'JobResumed', 'False'), of('Running'), of('Restarting')],
      gives: ['Created=True', 'Suspended=False', 'Restarting=True'],
    },
    {
      name: 'an end does not touch a Running that was false already',
      set: [of('Running', 'JobSuspended', 'False'), of('Succeeded')],
      gives: ['Running=False', 'Succeeded=True'],
    },
  ])('$name', ({ set, gives }) => {
    expect(after(...set)).toEqual(gives);
  });

  it('changes nothing where type, status and reason are the same', () => {
    const first = withCondition([], of('Running'), T0);
    expect(withCondition(first, { ...of('Running'), message: 'other words' }, LATER)).toEqual(first);
  });

  it('keeps the time of transition when only the reason changes', () => {
    const first = withCondition([], of('Suspended', 'A', 'False'), T0);
    expect(withCondition(first, of('Suspended', 'B', 'False'), LATER)).toMatchObject([
      { reason: 'B', lastTransitionTime: '2030-01-01T00:00:00Z', lastUpdateTime: '2030-01-01T00:01:30Z' },
    ]);
  });

  it('tells news of a condition that holds already, and keeps the time since when it does', () => {
    const first = withCondition([], of('Restarting'), T0);
    expect(withCondition(first, { ...of('Restarting'), message: 'another one', isNews: true }, LATER)).toEqual([
      { ...first[0], message: 'another one', lastUpdateTime: '2030-01-01T00:01:30Z' },
    ]);
  });

  it('has a new time of transition when the status changes, also on a Running that an end makes false', () => {
    const ended = withCondition(withCondition([], of('Running'), T0), of('Failed'), LATER);
    expect(ended.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Running', '2030-01-01T00:01:30Z'],
      ['Failed', '2030-01-01T00:01:30Z'],
    ]);
  });

  it('leaves a Running that was false before the end as it was', () => {
    const stopped = withCondition([], of('Running', 'JobSuspended', 'False'), T0);
    expect(withCondition(stopped, of('Failed'), LATER)[0]).toEqual(stopped[0]);
  });

  it('does not change the list that it is given', () => {
    const before = Object.freeze(withCondition([], of('Running'), T0).map((each) => Object.freeze(each)));
    withCondition(before, of('Failed'), LATER);
    expect(before[0]?.status).toBe('True');
  });
});

describe('questions about conditions', () => {
  const list = withCondition(withCondition([], of('Created'), T0), of('Suspended', 'JobResumed', 'False'), T0);

  it('hold when the type is there with status True', () => {
    expect([
      hasCondition(list, 'Created'),
      hasCondition(list, 'Suspended'),
      hasCondition(undefined, 'Created'),
    ]).toEqual([true, false, false]);
  });

  it.each([
    ['Succeeded', 'True', true],
    ['Failed', 'True', true],
    ['Failed', 'False', false],
    ['Running', 'True', false],
  ] as const)('say whether a job has ended: %s=%s', (type, status, expected) => {
    expect(isFinished({ conditions: withCondition(list, of(type, 'Job', status), T0) })).toBe(expected);
  });

  it.each([
    ['not before it has a start time', {}, false],
    ['with its start time', { startTime: '2030-01-01T00:00:00Z', conditions: list }, true],
    [
      'not while it is suspended',
      { startTime: '2030-01-01T00:00:00Z', conditions: withCondition(list, of('Suspended'), T0) },
      false,
    ],
  ])('say whether a job has begun: %s', (_when, status, expected) => {
    expect(hasBegun(status)).toBe(expected);
  });

  it('are gone with their type', () => {
    expect(withoutCondition(list, 'Suspended').map(({ type }) => type)).toEqual(['Created']);
  });
});

describe('timestamp', () => {
  it('is in whole seconds, as Kubernetes writes it', () => {
    expect(timestamp(T0 + 1999)).toBe('2030-01-01T00:00:01Z');
  });
});
