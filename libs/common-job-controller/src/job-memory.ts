/**
 * What the operator remembers of a job between passes: answers to its own writes. None of it has to survive a restart;
 * the next write would get the same answer.
 */
import type { Clock } from '@muster/controller';
import { TAKEN_NAME_RETRY_MS } from './children.ts';
import type { Refusal, World } from './world.ts';

export type Remembered = Pick<World, 'takenPods' | 'takenServices' | 'refusal' | 'countedRestarts'>;

interface Memory {
  /** Name → when it was found to be taken. */
  readonly pods: Map<string, number>;
  readonly services: Map<string, number>;
  readonly countedRestarts: Set<string>;
  refusal: Refusal | undefined;
}

export class JobMemory {
  #jobs = new Map<string, Memory>();
  #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  recall(job: string): Remembered {
    const memory = this.#jobs.get(job);
    return {
      takenPods: this.#stillTaken(memory?.pods),
      takenServices: this.#stillTaken(memory?.services),
      refusal: memory?.refusal,
      countedRestarts: memory?.countedRestarts ?? new Set(),
    };
  }

  noteTaken(job: string, kind: 'pods' | 'services', name: string): void {
    this.#of(job)[kind].set(name, this.#clock.monotonic());
  }

  noteRefusal(job: string, refusal: Omit<Refusal, 'told'>): void {
    this.#of(job).refusal = { ...refusal, told: false };
  }

  noteRefusalTold(job: string): void {
    const memory = this.#jobs.get(job);
    if (memory?.refusal !== undefined) memory.refusal = { ...memory.refusal, told: true };
  }

  noteCountedRestarts(job: string, podUids: readonly string[]): void {
    if (podUids.length === 0) return;
    const { countedRestarts } = this.#of(job);
    for (const uid of podUids) countedRestarts.add(uid);
  }

  forget(job: string): void {
    this.#jobs.delete(job);
  }

  #of(job: string): Memory {
    const known = this.#jobs.get(job);
    if (known !== undefined) return known;
    const memory: Memory = { pods: new Map(), services: new Map(), countedRestarts: new Set(), refusal: undefined };
    this.#jobs.set(job, memory);
    return memory;
  }

  #stillTaken(names: Map<string, number> | undefined): ReadonlySet<string> {
    const sinceMs = this.#clock.monotonic() - TAKEN_NAME_RETRY_MS;
    return new Set([...(names ?? [])].filter(([, foundMs]) => foundMs > sinceMs).map(([name]) => name));
  }
}
