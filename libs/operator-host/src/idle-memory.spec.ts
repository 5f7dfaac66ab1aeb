import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { IdleMemory } from './idle-memory.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;

/** Lets the process look as if it had used so much of a processor since the last look. */
function used(processors: number, seconds = 3): void {
  const before = process.cpuUsage();
  const since = performance.now();
  const user = before.user + processors * seconds * 1_000_000;
  vi.spyOn(performance, 'now').mockReturnValue(since + seconds * 1000);
  vi.spyOn(process, 'cpuUsage').mockReturnValue({ user, system: before.system });
}

function watched() {
  const collect = vi.fn<(options: object) => void>((options) => void gc(options as Parameters<typeof gc>[0]));
  vi.stubGlobal('gc', collect);
  const memory = new IdleMemory();
  memory.onApplicationBootstrap();
  return { memory, collect };
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('IdleMemory', () => {
  it('gives back what nobody needs, once the process rests', () => {
    let garbage: unknown[] | undefined = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const { memory, collect } = watched();
    const before = getHeapStatistics().total_heap_size;
    expect(garbage.length).toBeGreaterThan(0);
    garbage = undefined;
    used(0.01);
    memory.look();
    expect(collect).toHaveBeenCalledOnce();
    expect(getHeapStatistics().total_heap_size).toBeLessThan(before);
    memory.beforeApplicationShutdown();
  });

  it('does so again when the heap has grown, after three minutes at the earliest', () => {
    const { memory, collect } = watched();
    used(0.01);
    memory.look();
    used(0.01, 181);
    memory.look();
    expect(collect, 'little that has come since').toHaveBeenCalledTimes(1);
    const more = Array.from({ length: 200_000 }, (_, index) => ({ index }));
    used(0.01);
    memory.look();
    expect(collect).toHaveBeenCalledTimes(2);
    const yetMore = Array.from({ length: 200_000 }, (_, index) => ({ index }));
    used(0.01, 179);
    memory.look();
    expect(collect, 'too soon').toHaveBeenCalledTimes(2);
    expect([more.length, yetMore.length]).toEqual([200_000, 200_000]);
    memory.beforeApplicationShutdown();
  });

  it('leaves a process alone that works', () => {
    const { memory, collect } = watched();
    used(0.03);
    memory.look();
    expect(collect).not.toHaveBeenCalled();
    memory.beforeApplicationShutdown();
  });

  it('leaves a large heap alone, which would stop the process for long', () => {
    const large = Array.from({ length: 1_500_000 }, (_, index) => ({ index }));
    const { memory, collect } = watched();
    used(0.01);
    memory.look();
    expect(collect).not.toHaveBeenCalled();
    expect(large).toHaveLength(1_500_000);
    memory.beforeApplicationShutdown();
  });
});
