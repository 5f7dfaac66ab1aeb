/**
 * What the operator remembers of a job between passes: answers to its own writes. A restart may forget it: the next
 * write gets the same answer again.
 */
import type { Clock } from '@muster/controller';
import { TAKEN_NAME_RETRY_MS } from './children.ts';
import type { Refusal, World } from './world.ts';

export type Remembered = Pick<World, 'takenPods' | 'takenServices' | 'refusal' | 'told' | 'statusWrittenMs'>;

interface Memory {
  /** UID of the job: another job of the same name inherits nothing. */
  readonly owner: string;
  /** Name → when it was found to be taken. */
  readonly pods: Map<string, number>;
  readonly services: Map<string, number>;
  readonly told: Set<string>;
  statusWrittenMs: number | undefined;
  refusal: Refusal | undefined;
}

export class JobMemory {
  #jobs = new Map<string, Memory>();
  #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  recall(job: string, owner: string): Remembered {
    const memory = this.#jobs.get(job);
    if (memory !== undefined && memory.owner !== owner) this.#jobs.delete(job);
    const own = memory?.owner === owner ? memory : undefined;
    return {
      takenPods: this.#stillTaken(own?.pods),
      takenServices: this.#stillTaken(own?.services),
      refusal: own?.refusal,
      told: new Set(own?.told),
      statusWrittenMs: own?.statusWrittenMs,
    };
  }

  noteTaken(job: string, owner: string, kind: 'pods' | 'services', name: string): void {
    this.#of(job, owner)[kind].set(name, this.#clock.monotonic());
  }

  noteRefusal(job: string, owner: string, refusal: Omit<Refusal, 'told'>): void {
    this.#of(job, owner).refusal = { ...refusal, told: false };
  }

  noteRefusalTold(job: string): void {
    const memory = this.#jobs.get(job);
    if (memory?.refusal !== undefined) memory.refusal = { ...memory.refusal, told: true };
  }

  noteTold(job: string, owner: string, about: string): void {
    this.#of(job, owner).told.add(about);
  }

  noteStatusWritten(job: string, owner: string): void {
    this.#of(job, owner).statusWrittenMs = this.#clock.now();
  }

  forget(job: string): void {
    this.#jobs.delete(job);
  }

  #of(job: string, owner: string): Memory {
    const known = this.#jobs.get(job);
    if (known?.owner === owner) return known;
    const memory: Memory = {
      owner,
      pods: new Map(),
      services: new Map(),
      told: new Set(),
      statusWrittenMs: undefined,
      refusal: undefined,
    };
    this.#jobs.set(job, memory);
    return memory;
  }

  /** Those found not long ago; the others are forgotten. */
  #stillTaken(names: Map<string, number> | undefined): ReadonlySet<string> {
    const sinceMs = this.#clock.monotonic() - TAKEN_NAME_RETRY_MS;
    for (const [name, foundMs] of names ?? []) if (foundMs <= sinceMs) names?.delete(name);
    return new Set(names?.keys());
  }
}
