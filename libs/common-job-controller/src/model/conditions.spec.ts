import { hasCondition, isFinished, timestamp } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { hasStarted, withCondition, withoutCondition, type NewCondition } from './conditions.ts';

const T0 = Date.UTC(2030, 0, 1);
const LATER = T0 + 90_000;

function of(type: NewCondition['type'], reason = `Job${type}`, status: 'True' | 'False' = 'True'): NewCondition {
  return { type, reason, message: `job is ${type}`, status };
}

/** Sets the conditions one after the other and formats the list as `type=status`. */
function after(...conditions: NewCondition[]): string[] {
  return conditions
    .reduce<ReturnType<typeof withCondition>>((list, condition) => withCondition(list, condition, T0), [])
    .map(({ type, status }) => `${type}=${status}`);
}

describe('withCondition', () => {
  it.each([
    {
      name: 'appends conditions in order of time',
      set: [of('Created'), of('Running')],
      gives: ['Created=True', 'Running=True'],
    },
    {
      name: 'Restarting replaces Running',
      set: [of('Created'), of('Running'), of('Restarting')],
      gives: ['Created=True', 'Restarting=True'],
    },
    {
      name: 'Running replaces Restarting',
      set: [of('Created'), of('Restarting'), of('Running')],
      gives: ['Created=True', 'Running=True'],
    },
    {
      name: 'an end sets Running to False and is appended last',
      set: [of('Created'), of('Running'), of('Succeeded')],
      gives: ['Created=True', 'Running=False', 'Succeeded=True'],
    },
    {
      name: 'an end removes Restarting',
      set: [of('Created'), of('Restarting'), of('Failed')],
      gives: ['Created=True', 'Failed=True'],
    },
    {
      name: 'a suspension removes Restarting',
      set: [of('Created'), of('Restarting'), of('Suspended')],
      gives: ['Created=True', 'Suspended=True'],
    },
    {
      name: 'a suspension is appended after the Running that it sets to False',
      set: [of('Created'), of('Running'), of('Running', 'JobSuspended', 'False'), of('Suspended')],
      gives: ['Created=True', 'Running=False', 'Suspended=True'],
    },
    {
      name: 'a resumption replaces the suspension, and Running is appended after it',
      set: [of('Created'), of('Suspended'), of('Suspended', 'JobResumed', 'False'), of('Running')],
      gives: ['Created=True', 'Suspended=False', 'Running=True'],
    },
    {
      name: 'a condition that is no state does not change Running',
      set: [of('Created'), of('Running'), of('ReplicaFailure')],
      gives: ['Created=True', 'Running=True', 'ReplicaFailure=True'],
    },
    {
      name: 'a restart does not move the resumption',
      set: [of('Created'), of('Suspended', 'JobResumed', 'False'), of('Running'), of('Restarting')],
      gives: ['Created=True', 'Suspended=False', 'Restarting=True'],
    },
    {
      name: 'an end does not change a Running that is False already',
      set: [of('Running', 'JobSuspended', 'False'), of('Succeeded')],
      gives: ['Running=False', 'Succeeded=True'],
    },
  ])('$name', ({ set, gives }) => {
    expect(after(...set)).toEqual(gives);
  });

  it('changes nothing if type, status and reason are equal', () => {
    const first = withCondition([], of('Running'), T0);
    expect(withCondition(first, { ...of('Running'), message: 'another message' }, LATER)).toEqual(first);
  });

  it('keeps lastTransitionTime when only the reason changes', () => {
    const first = withCondition([], of('Suspended', 'A', 'False'), T0);
    expect(withCondition(first, of('Suspended', 'B', 'False'), LATER)).toMatchObject([
      { reason: 'B', lastTransitionTime: '2030-01-01T00:00:00Z', lastUpdateTime: '2030-01-01T00:01:30Z' },
    ]);
  });

  it('replaces the message of an equal condition if it is news, and keeps lastTransitionTime', () => {
    const first = withCondition([], of('Restarting'), T0);
    expect(withCondition(first, { ...of('Restarting'), message: 'another one', isNews: true }, LATER)).toEqual([
      { ...first[0], message: 'another one', lastUpdateTime: '2030-01-01T00:01:30Z' },
    ]);
  });

  it('sets lastTransitionTime when the status changes, also on a Running that an end sets to False', () => {
    const ended = withCondition(withCondition([], of('Running'), T0), of('Failed'), LATER);
    expect(ended.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Running', '2030-01-01T00:01:30Z'],
      ['Failed', '2030-01-01T00:01:30Z'],
    ]);
  });

  it('does not change a Running that was False before the end', () => {
    const stopped = withCondition([], of('Running', 'JobSuspended', 'False'), T0);
    expect(withCondition(stopped, of('Failed'), LATER)[0]).toEqual(stopped[0]);
  });

  it('does not mutate its argument', () => {
    const before = Object.freeze(withCondition([], of('Running'), T0).map((each) => Object.freeze(each)));
    withCondition(before, of('Failed'), LATER);
    expect(before[0]?.status).toBe('True');
  });
});

describe('reading conditions', () => {
  const list = withCondition(withCondition([], of('Created'), T0), of('Suspended', 'JobResumed', 'False'), T0);

  it('hasCondition is true only for a condition with status True', () => {
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
  ] as const)('isFinished reads %s=%s', (type, status, expected) => {
    expect(isFinished({ conditions: withCondition(list, of(type, 'Job', status), T0) })).toBe(expected);
  });

  it.each([
    ['false without startTime', {}, false],
    ['true with startTime', { startTime: '2030-01-01T00:00:00Z', conditions: list }, true],
    [
      'false while the job is suspended',
      { startTime: '2030-01-01T00:00:00Z', conditions: withCondition(list, of('Suspended'), T0) },
      false,
    ],
  ])('hasStarted is %s', (_when, status, expected) => {
    expect(hasStarted(status)).toBe(expected);
  });

  it('withoutCondition removes the conditions of a type', () => {
    expect(withoutCondition(list, 'Suspended').map(({ type }) => type)).toEqual(['Created']);
  });
});

describe('timestamp', () => {
  it("has whole seconds, like Kubernetes' timestamps", () => {
    expect(timestamp(T0 + 1999)).toBe('2030-01-01T00:00:01Z');
  });
});
