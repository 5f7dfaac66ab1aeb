import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { IdleMemory } from './idle-memory.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;

/** Lets the process look as if it had used so much of a processor since the last look. */
function used(processors: number): void {
  const before = process.cpuUsage();
  const since = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(since + 3000);
  vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: before.user + processors * 3_000_000, system: before.system });
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

  it('does so once: little that has come since is not worth it', () => {
    const { memory, collect } = watched();
    used(0.01);
    memory.look();
    memory.look();
    expect(collect).toHaveBeenCalledOnce();
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
