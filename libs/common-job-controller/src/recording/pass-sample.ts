/** Of many recorded passes one, the shortest, for each path that planning can take: what is kept as a safety net for changes of planning. */
import { gzipSync } from 'node:zlib';
import type { PassRecord } from './pass-record.ts';

export interface SampleText {
  /** Lines of JSON, compressed. */
  readonly bytes: Buffer;
  readonly passes: number;
  /** How many paths are left out because the sample would be too large. */
  readonly leftOut: number;
}

export class PassSample {
  readonly #shortest = new Map<string, string>();

  add(line: string, record: PassRecord): void {
    const path = decisionPath(record);
    const known = this.#shortest.get(path);
    if (known === undefined || isBefore(line, known)) this.#shortest.set(path, line);
  }

  /** The shortest passes, as many as fit; in an order of their own, so that the same passes give the same text. */
  text(mostBytes: number): SampleText {
    const byLength = [...this.#shortest].sort(([, a], [, b]) => (isBefore(a, b) ? -1 : 1));
    let count = byLength.length;
    for (;;) {
      const kept = byLength.slice(0, count).sort(([a], [b]) => (a < b ? -1 : 1));
      const bytes = gzipSync(kept.map(([, line]) => `${line}\n`).join(''), { level: 9 });
      if (bytes.length <= mostBytes) return { bytes, passes: count, leftOut: byLength.length - count };
      // The longest ones go, a tenth at a time.
      count = Math.floor(count * 0.9);
    }
  }
}

function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}

/** What was decided, without the objects and the words: alike passes have the same. */
export function decisionPath({ kind, plan }: PassRecord): string {
  const { status, events, writes, lacks, questions = [] } = plan;
  const { conditions = [], restarts = [] } = status?.status ?? {};
  return JSON.stringify({
    kind: [kind.resource, kind.framework],
    writes: [...new Set(writes.map(({ op, kind: object = '' }) => `${op} ${object}`))].sort(),
    conditions: conditions.map(({ type, status: value, reason = '' }) => `${type}=${value} ${reason}`).sort(),
    counters: [...(status?.counters ?? [])].sort(),
    restarts: [...new Set(restarts.map(({ scope = '' }) => scope))].sort(),
    events: [...new Set(events.map(({ reason }) => reason))].sort(),
    waits: [
      ...(status === undefined ? [] : ['status']),
      ...(plan.pendingStatus === undefined ? [] : ['pending status']),
      ...(plan.lookAgainMs === undefined ? [] : ['look again']),
      ...(plan.validForMs === undefined ? [] : ['deadline']),
      ...(questions.length === 0 ? [] : ['questions']),
    ],
    lacks: [...new Set([...lacks.writes, ...lacks.because.map(({ reason }) => reason)])].sort(),
  });
}
