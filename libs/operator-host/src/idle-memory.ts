/**
 * Gives back, once the process rests, what its start or a burst of jobs has left: V8 keeps a heap as large as it was, and looks for
 * garbage only where something is allocated. So an operator without work, which most are for most of the time, would hold for days
 * what it needed for seconds.
 *
 * Only where Node was told to (`--expose-gc`, as bundled operators are), and only small heaps: this stops the process for some tens of
 * milliseconds, and with a heap of hundreds of megabytes it would be a second.
 */
import { getHeapStatistics } from 'node:v8';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { Injectable } from '@nestjs/common';

const LOOK_EVERY_MS = 5000;
/** The part of a processor that a process at rest uses at most. */
const AT_REST = 0.02;
/** What the heap has to have grown by since the last time, so that little is not swept again and again. */
const WORTH_BYTES = 4 * 2 ** 20;
/** So that a heap that grows at rest, as one of many jobs does a little, costs next to nothing. */
const AGAIN_MS = 180_000;
const LARGEST_HEAP_BYTES = 64 * 2 ** 20;

@Injectable()
export class IdleMemory implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #looks: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #cpu = process.cpuUsage();
  #heapBytes = 0;
  #collectedAt = -Infinity;

  onApplicationBootstrap(): void {
    if (globalThis.gc === undefined) return;
    this.#lookedAt = performance.now();
    this.#cpu = process.cpuUsage();
    this.#looks = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.#looks);
  }

  look(): void {
    const rests = this.#processorsSinceLastLook() <= AT_REST;
    const { total_heap_size: held, used_heap_size: used } = getHeapStatistics();
    if (!rests || this.#lookedAt - this.#collectedAt < AGAIN_MS) return;
    if (used > LARGEST_HEAP_BYTES || held < this.#heapBytes + WORTH_BYTES) return;
    this.#collectedAt = this.#lookedAt;
    // Of V8's ways to collect, the only one that also makes the young generation small again.
    void globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    this.#heapBytes = getHeapStatistics().total_heap_size;
  }

  #processorsSinceLastLook(): number {
    const now = performance.now();
    const cpu = process.cpuUsage();
    const usedMs = (cpu.user - this.#cpu.user + cpu.system - this.#cpu.system) / 1000;
    const part = usedMs / (now - this.#lookedAt);
    this.#lookedAt = now;
    this.#cpu = cpu;
    return part;
  }
}
