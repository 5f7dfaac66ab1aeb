/** Samples recorded runs: the shortest for each path of planning. The sample detects changes of planning. */
import { gzipSync } from 'node:zlib';
import type { PassRecord } from './pass-record.ts';
import { taggedJson } from './tagged-json.ts';

export interface SampleText {
  /** Compressed lines of JSON. */
  readonly bytes: Buffer;
  readonly passes: number;
  /** The number of paths left out because of the size limit. */
  readonly leftOut: number;
}

export class PassSample {
  readonly #shortest = new Map<string, string>();

  add(record: PassRecord): void {
    const line = taggedJson(record);
    const path = decisionPath(record);
    const known = this.#shortest.get(path);
    if (known === undefined || isBefore(line, known)) this.#shortest.set(path, line);
  }

  /** The shortest runs that fit, in a fixed order, so that the same runs give the same text. */
  text(mostBytes: number): SampleText {
    const byLength = [...this.#shortest].sort(([, a], [, b]) => (isBefore(a, b) ? -1 : 1));
    let count = byLength.length;
    for (;;) {
      const kept = byLength.slice(0, count).sort(([a], [b]) => (a < b ? -1 : 1));
      const bytes = gzipSync(kept.map(([, line]) => `${line}\n`).join(''), { level: 9 });
      if (bytes.length <= mostBytes) return { bytes, passes: count, leftOut: byLength.length - count };
      // Drops the longest tenth.
      count = Math.floor(count * 0.9);
    }
  }
}

function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}

/** A key of the decisions and of the kinds of input, without names and messages. Similar runs have the same key. */
export function decisionPath({ kind, settings, world, plan }: PassRecord): string {
  const { status, events, writes, lacks } = plan;
  const { conditions = [], restarts = [] } = status?.status ?? {};
  return JSON.stringify({
    kind: [kind.resource, kind.framework, settings.serviceMode, settings.gang ?? '', settings.kueue === true],
    given: givenIn(world),
    writes: counted(writes.map(({ op, kind: object = '' }) => `${op} ${object}`)),
    conditions: conditions.map(({ type, status: value, reason = '' }) => `${type}=${value} ${reason}`).sort(),
    counters: [...(status?.counters ?? [])].sort(),
    restarts: counted(restarts.map(({ scope = '' }) => scope)),
    events: counted(events.map(({ reason }) => reason)),
    lacks: counted([...lacks.writes, ...lacks.because.map(({ reason }) => reason)]),
    // The scheduled rechecks: the keys that are set.
    later: Object.keys(plan).filter((key) => key !== 'events' && key !== 'writes' && key !== 'lacks'),
  });
}

/** The names of those parts of the World that are usually empty. */
function givenIn({ manifest, ...world }: PassRecord['world']): string[] {
  const { metadata } = manifest;
  const found = Object.entries(world).filter(([key, value]: [string, unknown]) => {
    if (key === 'nowMs' || key === 'seenForMs') return false;
    if (value instanceof Map || value instanceof Set) return value.size > 0;
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  return [...found.map(([key]) => key), ...(metadata?.deletionTimestamp === undefined ? [] : ['deletion'])].sort();
}

/** The unique names, each marked if it occurs several times. */
function counted(names: readonly string[]): string[] {
  const several = new Set(names.filter((name, at) => names.indexOf(name) < at));
  return [...new Set(names)].map((name) => (several.has(name) ? `${name}, several` : name)).sort();
}
