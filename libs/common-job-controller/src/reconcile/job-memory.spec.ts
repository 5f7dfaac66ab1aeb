import type { Clock } from '@muster/controller';
import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { JobMemory } from './job-memory.ts';

/** A wall clock that is set back or forth meanwhile changes nothing. */
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
    ['the state was left', (memory) => memory.ageStates('job', 'uid', ['b'])],
    ['no state was seen', (memory) => memory.ageStates('job', 'uid', [])],
    ['the job is another of its name', () => undefined, 'other'],
    ['the job was forgotten', (memory) => memory.forget('job')],
    ['another process has led', (memory) => memory.forgetAll()],
  ])('start anew when %s', (_what, change, uid = 'uid') => {
    const { time, memory } = memoryAt();
    memory.ageStates('job', 'uid', ['a']);
    time.ms = 1000;
    change(memory);
    expect([...memory.ageStates('job', uid, ['a'])]).toEqual([['a', 0]]);
  });
});

describe('pods that are deleted', () => {
  const pod = (name: string, deleted = false): Pod => ({
    metadata: { name, uid: name, ...(deleted && { deletionTimestamp: '2030-01-01T12:00:00Z' }) },
  });
  const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata?.name);

  it('are known for a minute after they have gone', () => {
    const { time, memory } = memoryAt();
    expect(memory.noteDeleted('job', 'uid', [pod('a', true), pod('b')])).toEqual([]);
    time.ms = 1000;
    expect(names(memory.noteDeleted('job', 'uid', [pod('b')]))).toEqual(['a']);
    time.ms = 61_000;
    expect(memory.noteDeleted('job', 'uid', [pod('b')])).toEqual([]);
  });

  it('are not those of another job of its name, nor those that went without a deletion', () => {
    const { memory } = memoryAt();
    memory.noteDeleted('job', 'uid', [pod('a', true), pod('b')]);
    expect(memory.noteDeleted('job', 'other', [])).toEqual([]);
    memory.noteDeleted('job', 'uid', [pod('b')]);
    expect(memory.noteDeleted('job', 'uid', [])).toEqual([]);
  });

  it('are not remembered where many are deleted together', () => {
    const { memory } = memoryAt();
    memory.noteDeleted(
      'job',
      'uid',
      Array.from({ length: 100 }, (_pod, at) => pod(`pod-${at}`, true)),
    );
    expect(memory.noteDeleted('job', 'uid', []).length).toBeLessThanOrEqual(20);
  });
});
