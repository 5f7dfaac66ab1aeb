import { describe, expect, it } from 'vitest';
import { withCondition, type NewCondition } from './conditions.ts';

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

  it('does not change the list that it is given', () => {
    const before = Object.freeze(withCondition([], of('Running'), T0).map((each) => Object.freeze(each)));
    withCondition(before, of('Failed'), LATER);
    expect(before[0]?.status).toBe('True');
  });
});
