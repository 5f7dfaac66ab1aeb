/**
 * What the operator remembers of a job between passes: answers to its own writes. A restart may forget it: the next
 * write gets the same answer again.
 */
import type { Clock } from '@muster/controller';
import { TAKEN_NAME_RETRY_MS } from './plan-children.ts';
import { createRetryMs } from './create-failures.ts';
import type { CreateFailure, Refusal, World } from './world.ts';

export type Remembered = Pick<
  World,
  'takenPods' | 'takenServices' | 'refusal' | 'createFailures' | 'told' | 'unwritten' | 'statusWrittenMs'
>;

type TakenNames = Map<string, { readonly words: string; readonly foundMs: number }>;

/** How often in a row objects of a kind could not be made, and when they are tried again. */
interface Failures {
  readonly last: Omit<CreateFailure, 'waitMs'>;
  readonly count: number;
  readonly firstMs: number;
  readonly dueMs: number;
}

interface Memory {
  /** UID of the job: another job of the same name inherits nothing. */
  readonly owner: string;
  readonly pods: TakenNames;
  readonly services: TakenNames;
  /** By kind. */
  readonly failures: Map<string, Failures>;
  readonly told: Set<string>;
  /** With the version of the job that it goes with: whatever is written after that knows more. */
  unwritten: { readonly version: string; readonly replicaStatuses: World['unwritten'] } | undefined;
  statusWrittenMs: number | undefined;
  refusal: Refusal | undefined;
}

export class JobMemory {
  #jobs = new Map<string, Memory>();
  #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param version of the job as the cache shows it */
  recall(job: string, owner: string, version: string): Remembered {
    const memory = this.#jobs.get(job);
    if (memory !== undefined && memory.owner !== owner) this.#jobs.delete(job);
    const own = memory?.owner === owner ? memory : undefined;
    return {
      takenPods: this.#stillTaken(own?.pods),
      takenServices: this.#stillTaken(own?.services),
      refusal: own?.refusal,
      createFailures: [...(own?.failures.values() ?? [])].map(({ last, dueMs }) => ({
        ...last,
        waitMs: Math.max(0, dueMs - this.#clock.monotonic()),
      })),
      told: new Set(own?.told),
      unwritten: own?.unwritten?.version === version ? own.unwritten.replicaStatuses : undefined,
      statusWrittenMs: own?.statusWrittenMs,
    };
  }

  noteTaken(job: string, owner: string, kind: 'pods' | 'services', name: string, words: string): void {
    this.#of(job, owner)[kind].set(name, { words, foundMs: this.#clock.monotonic() });
  }

  /** Returns how often in a row that has happened. */
  noteCreateFailure(job: string, owner: string, last: Omit<CreateFailure, 'waitMs'>): number {
    const { failures } = this.#of(job, owner);
    const nowMs = this.#clock.monotonic();
    const { count: before, firstMs } = failures.get(last.kind) ?? { count: 0, firstMs: nowMs };
    const count = before + 1;
    failures.set(last.kind, { last, count, firstMs, dueMs: nowMs + createRetryMs(count, nowMs - firstMs) });
    return count;
  }

  /** Of the other kinds nothing is missing: what failed before starts anew. */
  keepCreateFailures(job: string, missing: readonly string[]): void {
    const failures = this.#jobs.get(job)?.failures;
    for (const kind of failures?.keys() ?? []) if (!missing.includes(kind)) failures?.delete(kind);
  }

  noteRefusal(job: string, owner: string, refusal: Refusal): void {
    this.#of(job, owner).refusal = refusal;
  }

  noteEmitted(job: string, owner: string, about: string): void {
    this.#of(job, owner).told.add(about);
  }

  noteUnwritten(job: string, owner: string, version: string, replicaStatuses: World['unwritten']): void {
    this.#of(job, owner).unwritten = { version, replicaStatuses };
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
      failures: new Map(),
      told: new Set(),
      unwritten: undefined,
      statusWrittenMs: undefined,
      refusal: undefined,
    };
    this.#jobs.set(job, memory);
    return memory;
  }

  /** Those found not long ago; the others are forgotten. */
  #stillTaken(names: TakenNames | undefined): ReadonlyMap<string, string> {
    const sinceMs = this.#clock.monotonic() - TAKEN_NAME_RETRY_MS;
    for (const [name, { foundMs }] of names ?? []) if (foundMs <= sinceMs) names?.delete(name);
    return new Map([...(names ?? [])].map(([name, { words }]) => [name, words] as const));
  }
}
