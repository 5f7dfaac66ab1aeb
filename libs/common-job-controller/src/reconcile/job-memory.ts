/** What the process knows of a job beside the caches. Nothing of it may be needed after a restart. */
import type { Clock } from '@muster/controller';
import type { Pod } from '@muster/job-api';
import { INCIDENT_MS } from '../failures/first-failure.ts';
import { TAKEN_NAME_RETRY_MS } from '../children/plan-children.ts';
import type { StateAges } from '../model/state-ages.ts';
import { writeKey, writeRetryMs } from './write-failures.ts';
import type { InvalidObject, Remembered, WriteFailure } from '../world/world.ts';

interface TakenName {
  readonly kind: 'pods' | 'services';
  readonly name: string;
  readonly message: string;
  readonly foundMs: number;
}

/** Consecutive refusals of one verb and kind. */
interface Failures {
  readonly last: Omit<WriteFailure, 'waitMs'>;
  readonly count: number;
  readonly firstMs: number;
  readonly dueMs: number;
}

interface GonePod {
  readonly pod: Pod;
  readonly goneMs: number;
}

interface Memory extends Pick<Remembered, 'emittedEvents' | 'hasWrittenStatus' | 'invalidObject'> {
  /** UID of the job. A new job of the same name has no memory. */
  readonly owner: string;
  readonly seenSinceMs: number;
  readonly states: readonly (readonly [state: string, sinceMs: number])[];
  readonly deleted: readonly GonePod[];
  readonly taken: readonly TakenName[];
  readonly failures: ReadonlyMap<string, Failures>;
  /** Warnings of the API server, without replica numbers. */
  readonly warnings: readonly string[];
}

/** Shared by all jobs, most of which have nothing else to remember. */
const NOTHING: Omit<Memory, 'owner' | 'seenSinceMs'> = {
  states: [],
  deleted: [],
  taken: [],
  failures: new Map(),
  emittedEvents: new Set(),
  warnings: [],
  hasWrittenStatus: false,
  invalidObject: undefined,
};

const MOST_DELETED = 20;

/** Webhooks may put different text into each warning. */
const MOST_WARNINGS = 10;

export class JobMemory {
  #jobs = new Map<string, Memory>();
  #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  recall(job: string, owner: string): Remembered {
    const nowMs = this.#clock.monotonic();
    const before = this.#of(job, owner);
    const taken = before.taken.filter(({ foundMs }) => foundMs > nowMs - TAKEN_NAME_RETRY_MS);
    const deleted = recent(before.deleted, nowMs);
    const { emittedEvents, hasWrittenStatus, invalidObject, failures } = this.#change(job, owner, { taken, deleted });
    return {
      emittedEvents,
      hasWrittenStatus,
      invalidObject,
      seenForMs: nowMs - before.seenSinceMs,
      deletedPods: deleted.map(({ pod }) => pod),
      conflictingPods: messagesByName(taken, 'pods'),
      conflictingServices: messagesByName(taken, 'services'),
      writeFailures: [...failures.values()].map(({ last, dueMs }) => ({ ...last, waitMs: Math.max(0, dueMs - nowMs) })),
    };
  }

  ageStates(job: string, owner: string, names: readonly string[]): StateAges {
    const nowMs = this.#clock.monotonic();
    const before = new Map(this.#of(job, owner).states);
    const states = names.map((state) => [state, before.get(state) ?? nowMs] as const);
    this.#change(job, owner, { states });
    return new Map(states.map(([state, sinceMs]) => [state, nowMs - sinceMs]));
  }

  /** Kept for a minute, because it may be the cause of a peer's failure, and its success may not be counted yet. */
  noteDeleted(job: string, owner: string, pod: Pod): void {
    const goneMs = this.#clock.monotonic();
    const deleted = recent(this.#of(job, owner).deleted, goneMs);
    if (deleted.length < MOST_DELETED) this.#change(job, owner, { deleted: [...deleted, { pod, goneMs }] });
  }

  noteTaken(job: string, owner: string, kind: TakenName['kind'], name: string, message: string): void {
    const found = { kind, name, message, foundMs: this.#clock.monotonic() };
    this.#change(job, owner, { taken: [...this.#of(job, owner).taken, found] });
  }

  noteWriteFailure(job: string, owner: string, last: Omit<WriteFailure, 'waitMs'>): number {
    const { failures } = this.#of(job, owner);
    const nowMs = this.#clock.monotonic();
    const key = writeKey(last);
    const before = failures.get(key);
    const count = (before?.count ?? 0) + 1;
    const firstMs = before?.firstMs ?? nowMs;
    // After the wait, writes of all names were tried again.
    const isSame = before?.last.reason === last.reason && before.dueMs > nowMs;
    const names = isSame ? new Set([...before.last.names, ...last.names]) : last.names;
    const dueMs = nowMs + writeRetryMs(count, nowMs - firstMs);
    this.#change(job, owner, {
      failures: new Map(failures).set(key, { last: { ...last, names }, count, firstMs, dueMs }),
    });
    return count;
  }

  /** @param open keys by `writeKey`, of which the failures are kept */
  keepWriteFailures(job: string, owner: string, open: readonly string[]): void {
    const { failures } = this.#of(job, owner);
    if (failures.size === 0) return;
    this.#change(job, owner, { failures: new Map([...failures].filter(([key]) => open.includes(key))) });
  }

  noteInvalidObject(job: string, owner: string, invalidObject: InvalidObject): void {
    this.#change(job, owner, { invalidObject });
  }

  noteEmitted(job: string, owner: string, dedupKey: string): void {
    this.#change(job, owner, { emittedEvents: new Set([...this.#of(job, owner).emittedEvents, dedupKey]) });
  }

  /** False if the warning was noted before, or if the job has too many. */
  isNewWarning(job: string, owner: string, about: string): boolean {
    const { warnings } = this.#of(job, owner);
    if (warnings.includes(about) || warnings.length >= MOST_WARNINGS) return false;
    this.#change(job, owner, { warnings: [...warnings, about] });
    return true;
  }

  noteStatusWritten(job: string, owner: string): void {
    this.#change(job, owner, { hasWrittenStatus: true });
  }

  forget(job: string): void {
    this.#jobs.delete(job);
  }

  /** For when another process leads. */
  forgetAll(): void {
    this.#jobs.clear();
  }

  #of(job: string, owner: string): Memory {
    const known = this.#jobs.get(job);
    return known?.owner === owner ? known : { ...NOTHING, owner, seenSinceMs: this.#clock.monotonic() };
  }

  #change(job: string, owner: string, change: Partial<Memory>): Memory {
    const memory = { ...this.#of(job, owner), ...change };
    this.#jobs.set(job, memory);
    return memory;
  }
}

function recent(deleted: readonly GonePod[], nowMs: number): readonly GonePod[] {
  return deleted.filter(({ goneMs }) => goneMs >= nowMs - INCIDENT_MS);
}

function messagesByName(taken: readonly TakenName[], kind: TakenName['kind']): ReadonlyMap<string, string> {
  return new Map(taken.filter((each) => each.kind === kind).map(({ name, message }) => [name, message]));
}
