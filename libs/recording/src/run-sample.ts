/** The shortest recorded run for each path of planning, to detect changes of planning. */
import { gzipSync } from 'node:zlib';
import type { RunRecord } from './run-record.ts';
import { taggedJson } from './tagged-json.ts';

export interface SampleText {
  readonly bytes: Buffer;
  readonly runs: number;
  readonly leftOut: number;
}

export class RunSample {
  readonly #shortest = new Map<string, string>();

  add(record: RunRecord): void {
    const line = taggedJson(record);
    const path = decisionPath(record);
    const known = this.#shortest.get(path);
    if (known === undefined || isBefore(line, known)) this.#shortest.set(path, line);
  }

  /** In a fixed order, so that the same runs give the same text. */
  text(mostBytes: number): SampleText {
    const byLength = [...this.#shortest].sort(([, a], [, b]) => (isBefore(a, b) ? -1 : 1));
    let count = byLength.length;
    for (;;) {
      const kept = byLength.slice(0, count).sort(([a], [b]) => (a < b ? -1 : 1));
      const bytes = gzipSync(kept.map(([, line]) => `${line}\n`).join(''), { level: 9 });
      if (bytes.length <= mostBytes) return { bytes, runs: count, leftOut: byLength.length - count };
      count = Math.floor(count * 0.9);
    }
  }
}

function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}

/** Similar runs have the same key, which has no names and messages. */
export function decisionPath({ kind, settings, world, plan }: RunRecord): string {
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
    later: Object.keys(plan).filter((key) => key !== 'events' && key !== 'writes' && key !== 'lacks'),
  });
}

function givenIn({ manifest, ...world }: RunRecord['world']): string[] {
  const { metadata } = manifest;
  const found = Object.entries(world).filter(([key, value]: [string, unknown]) => {
    if (key === 'nowMs' || key === 'seenForMs') return false;
    if (value instanceof Map || value instanceof Set) return value.size > 0;
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  return [...found.map(([key]) => key), ...(metadata?.deletionTimestamp === undefined ? [] : ['deletion'])].sort();
}

function counted(names: readonly string[]): string[] {
  const several = new Set(names.filter((name, at) => names.indexOf(name) < at));
  return [...new Set(names)].map((name) => (several.has(name) ? `${name}, several` : name)).sort();
}
