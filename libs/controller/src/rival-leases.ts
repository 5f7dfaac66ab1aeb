/**
 * Leases of other elections whose winner would do the same work. At most one of their holders may act.
 *
 * The Lease that was created first comes first. The API server sets that time, so the content of a forged Lease does not stop an operator that
 * runs. A process that has taken its own Lease lists the others afterwards, and the list shows every write that was answered before. So of two
 * processes that take theirs at the same time at least one sees the other.
 *
 * A holder is alive as long as its Lease changes, measured on this process' own clock. A Lease that was deleted counts as silent, not as given up.
 */
import type { Lease } from '@muster/job-api';
import type { Clock } from './clock.ts';
import { holderOf, validForMs } from './lease-record.ts';

export interface RivalLeasesOptions {
  /** All of them, without this election's own. Has to show every write that was answered before the call. */
  list: (signal: AbortSignal) => Promise<readonly Lease[]>;
  leaseDurationMs: number;
  clock: Clock;
}

/** Leases that are held by others; of each side the one that comes first. */
export interface Rivals {
  /** Comes before the own Lease: as long as it is held, this process must not act. */
  readonly ahead: Lease | undefined;
  /** Comes after the own Lease: its holder gives up once it sees the own Lease held. */
  readonly behind: Lease | undefined;
}

export const NO_RIVALS: Rivals = { ahead: undefined, behind: undefined };

interface Observed {
  readonly lease: Lease;
  readonly changedMs: number;
}

export class RivalLeases {
  readonly #options: RivalLeasesOptions;
  #observed: ReadonlyMap<string, Observed> = new Map();

  constructor(options: RivalLeasesOptions) {
    this.#options = options;
  }

  /** @param own undefined while it does not exist: all others are older then */
  async look(own: Lease | undefined, signal: AbortSignal): Promise<Rivals> {
    this.#observe(await this.#options.list(signal));
    const leases = [...this.#observed.values()].map(({ lease }) => lease);
    const held = leases.filter((lease) => this.remainingMs(lease) > 0).toSorted(byRank);
    const isAhead = (lease: Lease) => own === undefined || byRank(lease, own) < 0;
    return { ahead: held.find(isAhead), behind: held.find((lease) => !isAhead(lease)) };
  }

  /** Milliseconds until the holder of `lease` has been silent for too long. */
  remainingMs(lease: Lease): number {
    const observed = this.#observed.get(keyOf(lease));
    if (observed === undefined) return 0;
    const { clock } = this.#options;
    return Math.max(0, this.validForMs(observed.lease) - (clock.monotonic() - observed.changedMs));
  }

  /** For how long a record of `lease` is valid. */
  validForMs(lease: Lease): number {
    return validForMs(lease, this.#options.leaseDurationMs);
  }

  #observe(leases: readonly Lease[]): void {
    const nowMs = this.#options.clock.monotonic();
    const listed = new Set(leases.map(keyOf));
    // A silent record that is still listed is kept: forgotten, it would be taken for a new one.
    const kept = [...this.#observed].filter(([key, { lease }]) => listed.has(key) || this.remainingMs(lease) > 0);
    const next = new Map(kept);
    for (const lease of leases) {
      const before = next.get(keyOf(lease));
      if (holderOf(lease) === undefined) next.delete(keyOf(lease));
      else if (before === undefined || recordOf(lease) !== recordOf(before.lease)) {
        next.set(keyOf(lease), { lease, changedMs: nowMs });
      }
    }
    this.#observed = next;
  }
}

/** What changes with each renewal. */
function recordOf({ metadata, spec }: Lease): string {
  return JSON.stringify([metadata?.uid, spec]);
}

function keyOf({ metadata }: Lease): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

/** A total order that everybody sees alike. */
function byRank(a: Lease, b: Lease): number {
  const [ofA, ofB] = [a, b].map((lease) => `${createdAt(lease)} ${keyOf(lease)}`) as [string, string];
  return ofA < ofB ? -1 : ofA > ofB ? 1 : 0;
}

/** RFC 3339 in UTC and without fractions, which sorts as text. */
function createdAt({ metadata }: Lease): string {
  return String(metadata?.creationTimestamp ?? '');
}
