/**
 * Decides whether an event becomes a new object, a count in an existing series, or is not written.
 *
 * The rules are those of client-go's event correlator, as `events.k8s.io/v1` series. An object gets at most 25 writes
 * at once and then one in 5 minutes. A repeated event is counted in one line. Ten events that differ only in their note
 * within 10 minutes become one line "(combined from similar events)".
 *
 * Memory is bounded: the objects without events for longest are dropped and start again; `forget` drops deleted ones.
 * The count of the next write includes occurrences that were not written.
 */
import { TokenBucket } from '@muster/kube';
import type { Clock } from './clock.ts';
import { LruMap } from './lru-map.ts';
import type { ObjectReference } from './object-reference.ts';

export interface Occurrence {
  regarding: ObjectReference;
  type: 'Normal' | 'Warning';
  reason: string;
  action: string;
  note: string;
  related?: ObjectReference;
}

/** `occurrence` is the first one. */
export interface EventSeries {
  readonly name: string;
  readonly occurrence: Occurrence;
  readonly firstMs: number;
  lastMs: number;
  count: number;
}

const REMEMBERED = { objects: 4096, seriesOfObject: 128 };
/** Combines notes from this one on, for one reason, until there is none for the interval. */
const SIMILAR_LIMIT = 10;
const SIMILAR_INTERVAL_MS = 600_000;
/** After this pause a repeated event is a new object: the old one expires after an hour. */
const SERIES_INTERVAL_MS = 600_000;
const PER_OBJECT = { burst: 25, perSecond: 1 / 300 };

interface SimilarNotes {
  notes: Set<string>;
  lastMs: number;
}

class ObjectMemory {
  /** By type, reason and action. */
  readonly similar = new Map<string, SimilarNotes>();
  readonly series = new LruMap<EventSeries>(REMEMBERED.seriesOfObject);
  /** By type. */
  readonly budgets = new Map<string, TokenBucket>();
}

export class EventCorrelator {
  #clock: Clock;
  #nameOf: (occurrence: Occurrence) => string;
  #objects = new LruMap<ObjectMemory>(REMEMBERED.objects);

  constructor(clock: Clock, nameOf: (occurrence: Occurrence) => string) {
    this.#clock = clock;
    this.#nameOf = nameOf;
  }

  observe(occurrence: Occurrence): EventSeries | undefined {
    const memory = this.#memoryOf(occurrence.regarding);
    const group = [occurrence.type, occurrence.reason, occurrence.action].join('\n');
    const series = this.#isCombined(memory, group, occurrence.note)
      ? this.#count(memory, group, { ...occurrence, note: `(combined from similar events): ${occurrence.note}` })
      : this.#count(memory, [group, referenceKey(occurrence.related), occurrence.note].join('\n'), occurrence);
    return this.#mayWrite(memory, occurrence.type) ? series : undefined;
  }

  forget(regarding: ObjectReference): void {
    this.#objects.delete(referenceKey(regarding));
  }

  #memoryOf(regarding: ObjectReference): ObjectMemory {
    const key = referenceKey(regarding);
    const known = this.#objects.get(key);
    if (known !== undefined) return known;
    const memory = new ObjectMemory();
    this.#objects.set(key, memory);
    return memory;
  }

  #isCombined({ similar: groups }: ObjectMemory, group: string, note: string): boolean {
    const nowMs = this.#clock.monotonic();
    let similar = groups.get(group);
    if (similar === undefined || nowMs - similar.lastMs > SIMILAR_INTERVAL_MS) {
      similar = { notes: new Set(), lastMs: nowMs };
      groups.set(group, similar);
    }
    similar.lastMs = nowMs;
    // A note with its own series keeps it.
    if (similar.notes.has(note)) return false;
    if (similar.notes.size >= SIMILAR_LIMIT - 1) return true;
    similar.notes.add(note);
    return false;
  }

  #count({ series: all }: ObjectMemory, key: string, occurrence: Occurrence): EventSeries {
    const nowMs = this.#clock.now();
    const known = all.get(key);
    if (known !== undefined && nowMs - known.lastMs <= SERIES_INTERVAL_MS) {
      known.count += 1;
      known.lastMs = nowMs;
      return known;
    }
    const series = { name: this.#nameOf(occurrence), occurrence, firstMs: nowMs, lastMs: nowMs, count: 1 };
    all.set(key, series);
    return series;
  }

  #mayWrite({ budgets }: ObjectMemory, type: string): boolean {
    let budget = budgets.get(type);
    if (budget === undefined) {
      budget = new TokenBucket(PER_OBJECT, () => this.#clock.monotonic());
      budgets.set(type, budget);
    }
    return budget.tryTake();
  }
}

function referenceKey(reference: ObjectReference | undefined): string {
  const { apiVersion, kind, namespace, name, uid } = reference ?? {};
  return [apiVersion, kind, namespace, name, uid].join('/');
}
