/** The answers to the operator's writes. They may be lost in a restart, because the next write gets the same answer. */
import type { Clock } from '@muster/controller';
import type { Pod } from '@muster/job-api';
import { INCIDENT_MS } from '../failures/first-failure.ts';
import { TAKEN_NAME_RETRY_MS } from '../children/plan-children.ts';
import type { StateAges } from '../model/state-ages.ts';
import { writeKey, writeRetryMs } from './write-failures.ts';
import type { Refusal, World, WriteFailure } from '../world/world.ts';

export type Remembered = Pick<
  World,
  | 'seenForMs'
  | 'deletedPods'
  | 'conflictingPods'
  | 'conflictingServices'
  | 'refusal'
  | 'writeFailures'
  | 'emittedEvents'
  | 'hasWrittenStatus'
>;

type TakenNames = Map<string, { readonly message: string; readonly foundMs: number }>;

/** Consecutive refusals of one verb and kind. */
interface Failures {
  readonly last: Omit<WriteFailure, 'waitMs'>;
  readonly count: number;
  readonly firstMs: number;
  readonly dueMs: number;
}

interface Memory {
  /** UID of the job. A new job of the same name has no memory. */
  readonly owner: string;
  readonly pods: TakenNames;
  readonly services: TakenNames;
  readonly failures: Map<string, Failures>;
  readonly emitted: Set<string>;
  /** Warnings of the API server, without replica numbers. */
  readonly warnings: Set<string>;
  hasWrittenStatus: boolean;
  refusal: Refusal | undefined;
}

interface GonePod {
  readonly pod: Pod;
  readonly goneMs: number;
}

const MOST_DELETED = 20;

/** Webhooks may put different text into each warning. */
const MOST_WARNINGS = 10;

export class JobMemory {
  #jobs = new Map<string, Memory>();
  #seen = new Map<string, { readonly owner: string; readonly sinceMs: number }>();
  #states = new Map<string, { readonly owner: string; readonly sinceMs: ReadonlyMap<string, number> }>();
  #deleted = new Map<string, { readonly owner: string; readonly pods: readonly GonePod[] }>();
  #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  recall(job: string, owner: string): Remembered {
    const memory = this.#jobs.get(job);
    if (memory !== undefined && memory.owner !== owner) this.#jobs.delete(job);
    const own = memory?.owner === owner ? memory : undefined;
    return {
      seenForMs: this.#seenForMs(job, owner),
      deletedPods: this.#keepRecentlyDeleted(job, owner),
      conflictingPods: this.#stillTaken(own?.pods),
      conflictingServices: this.#stillTaken(own?.services),
      refusal: own?.refusal,
      writeFailures: [...(own?.failures.values() ?? [])].map(({ last, dueMs }) => ({
        ...last,
        waitMs: Math.max(0, dueMs - this.#clock.monotonic()),
      })),
      emittedEvents: new Set(own?.emitted),
      hasWrittenStatus: own?.hasWrittenStatus === true,
    };
  }

  ageStates(job: string, owner: string, states: readonly string[]): StateAges {
    const nowMs = this.#clock.monotonic();
    const known = this.#states.get(job);
    const before = known?.owner === owner ? known.sinceMs : undefined;
    const sinceMs = new Map(states.map((state) => [state, before?.get(state) ?? nowMs]));
    if (sinceMs.size > 0) this.#states.set(job, { owner, sinceMs });
    else this.#states.delete(job);
    return new Map([...sinceMs].map(([state, ms]) => [state, nowMs - ms]));
  }

  /** A peer may fail because of it, so it stays in the job's Worlds for a minute. Of many, none is the single cause. */
  noteDeleted(job: string, owner: string, pod: Pod): void {
    const recent = this.#recentlyDeleted(job, owner);
    if (recent.length >= MOST_DELETED) return;
    this.#deleted.set(job, { owner, pods: [...recent, { pod, goneMs: this.#clock.monotonic() }] });
  }

  noteTaken(job: string, owner: string, kind: 'pods' | 'services', name: string, message: string): void {
    this.#of(job, owner)[kind].set(name, { message, foundMs: this.#clock.monotonic() });
  }

  noteWriteFailure(job: string, owner: string, last: Omit<WriteFailure, 'waitMs'>): number {
    const { failures } = this.#of(job, owner);
    const nowMs = this.#clock.monotonic();
    const key = writeKey(last);
    const before = failures.get(key);
    const { count, firstMs } = { count: (before?.count ?? 0) + 1, firstMs: before?.firstMs ?? nowMs };
    const isSame = before?.last.reason === last.reason;
    const names = isSame ? new Set([...before.last.names, ...last.names]) : last.names;
    const dueMs = nowMs + writeRetryMs(count, nowMs - firstMs);
    failures.set(key, { last: { ...last, names }, count, firstMs, dueMs });
    return count;
  }

  /** @param open keys by `writeKey`, of which the failures are kept */
  keepWriteFailures(job: string, open: readonly string[]): void {
    const failures = this.#jobs.get(job)?.failures;
    for (const key of failures?.keys() ?? []) if (!open.includes(key)) failures?.delete(key);
  }

  noteRefusal(job: string, owner: string, refusal: Refusal): void {
    this.#of(job, owner).refusal = refusal;
  }

  noteEmitted(job: string, owner: string, about: string): void {
    this.#of(job, owner).emitted.add(about);
  }

  /** False if the warning was noted before, or if the job has too many. */
  isNewWarning(job: string, owner: string, about: string): boolean {
    const { warnings } = this.#of(job, owner);
    if (warnings.has(about) || warnings.size >= MOST_WARNINGS) return false;
    warnings.add(about);
    return true;
  }

  noteStatusWritten(job: string, owner: string): void {
    this.#of(job, owner).hasWrittenStatus = true;
  }

  forget(job: string): void {
    this.#jobs.delete(job);
    this.#seen.delete(job);
    this.#states.delete(job);
    this.#deleted.delete(job);
  }

  /** For when another process leads. */
  forgetAll(): void {
    this.#jobs.clear();
    this.#seen.clear();
    this.#states.clear();
    this.#deleted.clear();
  }

  #of(job: string, owner: string): Memory {
    const known = this.#jobs.get(job);
    if (known?.owner === owner) return known;
    const memory: Memory = {
      owner,
      pods: new Map(),
      services: new Map(),
      failures: new Map(),
      emitted: new Set(),
      warnings: new Set(),
      hasWrittenStatus: false,
      refusal: undefined,
    };
    this.#jobs.set(job, memory);
    return memory;
  }

  #seenForMs(job: string, owner: string): number {
    const nowMs = this.#clock.monotonic();
    const known = this.#seen.get(job);
    if (known?.owner === owner) return nowMs - known.sinceMs;
    this.#seen.set(job, { owner, sinceMs: nowMs });
    return 0;
  }

  #keepRecentlyDeleted(job: string, owner: string): readonly Pod[] {
    const recent = this.#recentlyDeleted(job, owner);
    if (recent.length > 0) this.#deleted.set(job, { owner, pods: recent });
    else this.#deleted.delete(job);
    return recent.map(({ pod }) => pod);
  }

  #recentlyDeleted(job: string, owner: string): readonly GonePod[] {
    const known = this.#deleted.get(job);
    const sinceMs = this.#clock.monotonic() - INCIDENT_MS;
    return known?.owner === owner ? known.pods.filter(({ goneMs }) => goneMs >= sinceMs) : [];
  }

  #stillTaken(names: TakenNames | undefined): ReadonlyMap<string, string> {
    const sinceMs = this.#clock.monotonic() - TAKEN_NAME_RETRY_MS;
    for (const [name, { foundMs }] of names ?? []) if (foundMs <= sinceMs) names?.delete(name);
    return new Map([...(names ?? [])].map(([name, { message }]) => [name, message] as const));
  }
}
