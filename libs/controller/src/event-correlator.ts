/**
 * Decides what becomes of an event: a new object, one more in the series of an object that exists, or nothing.
 *
 * To the API server: however wildly events come, an object gets at most 25 writes at once and then one in 5 minutes.
 * To users: the same thing said again is one line with a count; ten things that differ only in their words within 10
 * minutes become one line "(combined from similar events)". These are the rules of client-go's event correlator,
 * expressed as `events.k8s.io/v1` series. Memory is bounded: the objects that were quiet for longest are forgotten, and then start
 * anew. Whoever knows that an object is gone says so (`forget`), so that what is remembered follows what there is.
 *
 * Counting never stops: an occurrence for which no write was allowed is in the count of the next write.
 */
import { TokenBucket } from '@muster/kube';
import type { Clock } from './clock.ts';
import { LruMap } from './lru-map.ts';
import type { ObjectReference } from './object-reference.ts';

/** Something that happened, as it is reported. */
export interface Occurrence {
  regarding: ObjectReference;
  type: 'Normal' | 'Warning';
  reason: string;
  action: string;
  note: string;
  related?: ObjectReference;
}

/** An event object: what happened first, and how often it happened in all. */
export interface EventSeries {
  readonly name: string;
  readonly occurrence: Occurrence;
  readonly firstMs: number;
  lastMs: number;
  count: number;
}

const REMEMBERED = { objects: 4096, seriesOfObject: 128 };
/** Which different note for the same reason is combined with all after it, and the quiet that ends this. */
const SIMILAR_LIMIT = 10;
const SIMILAR_INTERVAL_MS = 600_000;
/** After this quiet the same thing is a new event: the old object may be close to its end of life (one hour). */
const SERIES_INTERVAL_MS = 600_000;
const PER_OBJECT = { burst: 25, perSecond: 1 / 300 };

interface SimilarNotes {
  notes: Set<string>;
  lastMs: number;
}

/** What is remembered of one object. */
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

  /** The series that has to be written now; undefined when nothing has to be. */
  observe(occurrence: Occurrence): EventSeries | undefined {
    const memory = this.#memoryOf(occurrence.regarding);
    const group = [occurrence.type, occurrence.reason, occurrence.action].join('\n');
    const series = this.#isCombined(memory, group, occurrence.note)
      ? this.#count(memory, group, { ...occurrence, note: `(combined from similar events): ${occurrence.note}` })
      : this.#count(memory, [group, referenceKey(occurrence.related), occurrence.note].join('\n'), occurrence);
    return this.#mayWrite(memory, occurrence.type) ? series : undefined;
  }

  /** The object is gone: nothing more happens to it. */
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
    // What has a line of its own keeps it.
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
