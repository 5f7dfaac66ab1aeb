import type { Clock } from '@muster/controller';
import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { JobMemory } from './job-memory.ts';

/** The wall clock may be changed at any time without effect. */
function memoryAt() {
  const time = { ms: 0 };
  const clock = { monotonic: () => time.ms, now: () => -5 * time.ms } as unknown as Clock;
  return { time, memory: new JobMemory(clock) };
}

describe('the ages of states', () => {
  it('count from when the operator first saw each of them', () => {
    const { time, memory } = memoryAt();
    expect([...memory.ageStates('job', 'uid', ['a'])]).toEqual([['a', 0]]);
    time.ms = 1000;
    expect([...memory.ageStates('job', 'uid', ['a', 'b'])]).toEqual([
      ['a', 1000],
      ['b', 0],
    ]);
  });

  it.each<[what: string, change: (memory: JobMemory) => void, uid?: string]>([
    ['the state has ended', (memory) => memory.ageStates('job', 'uid', ['b'])],
    ['no state was seen', (memory) => memory.ageStates('job', 'uid', [])],
    ['another job has the same name', () => undefined, 'other'],
    ['the job was forgotten', (memory) => memory.forget('job')],
    ['another process has led', (memory) => memory.forgetAll()],
  ])('start again when %s', (_what, change, uid = 'uid') => {
    const { time, memory } = memoryAt();
    memory.ageStates('job', 'uid', ['a']);
    time.ms = 1000;
    change(memory);
    expect([...memory.ageStates('job', uid, ['a'])]).toEqual([['a', 0]]);
  });
});

describe('refused writes', () => {
  const refused = (...names: string[]) =>
    ({
      verb: 'Delete',
      kind: 'Pod',
      names: new Set(names),
      reason: 'FailedDelete',
      message: '',
      isOptional: true,
      generation: 1,
    }) as const;
  const namesOf = (memory: JobMemory) => memory.recall('job', 'uid').writeFailures.map(({ names }) => [...names]);

  it('wait together, until they are tried again', () => {
    const { time, memory } = memoryAt();
    memory.noteWriteFailure('job', 'uid', refused('a'));
    time.ms = 1000;
    memory.noteWriteFailure('job', 'uid', refused('b'));
    expect(namesOf(memory)).toEqual([['a', 'b']]);
    time.ms = 10_000;
    memory.noteWriteFailure('job', 'uid', refused('b'));
    expect(namesOf(memory)).toEqual([['b']]);
  });
});

describe('deleted pods', () => {
  const pod = (name: string): Pod => ({ metadata: { name, uid: name } });
  const deletedPods = (memory: JobMemory, owner = 'uid') =>
    memory.recall('job', owner).deletedPods?.map(({ metadata }) => metadata?.name);

  it('are remembered for a minute', () => {
    const { time, memory } = memoryAt();
    memory.noteDeleted('job', 'uid', pod('a'));
    time.ms = 1000;
    memory.noteDeleted('job', 'uid', pod('b'));
    time.ms = 60_000;
    expect(deletedPods(memory)).toEqual(['a', 'b']);
    time.ms = 60_500;
    expect(deletedPods(memory)).toEqual(['b']);
    time.ms = 61_500;
    expect(deletedPods(memory)).toEqual([]);
  });

  it('are forgotten for another job of the same name, and by a new leader', () => {
    const { memory } = memoryAt();
    memory.noteDeleted('job', 'uid', pod('a'));
    expect(deletedPods(memory, 'other')).toEqual([]);
    memory.noteDeleted('job', 'uid', pod('a'));
    memory.forgetAll();
    expect(deletedPods(memory)).toEqual([]);
  });

  it('are limited to 20', () => {
    const { memory } = memoryAt();
    for (let at = 0; at < 100; at++) memory.noteDeleted('job', 'uid', pod(`pod-${at}`));
    expect(deletedPods(memory)).toHaveLength(20);
  });
});
