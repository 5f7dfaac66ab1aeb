/**
 * Leases of other elections whose leader would do the same work. At most one of their holders may act.
 *
 * The oldest Lease has precedence. The API server sets its creation time, so a forged Lease does not stop a running
 * operator. A process lists the others after taking its own Lease, and the list includes every write that was answered
 * before. So of two concurrent processes at least one sees the other.
 *
 * A holder is alive while its Lease changes, by this process's own clock. A deleted Lease counts as silent, not as
 * released.
 */
import type { Lease } from '@muster/job-api';
import type { Clock } from './clock.ts';
import { holderOf, validForMs } from './lease-record.ts';

export interface CompetingLeasesOptions {
  /** All Leases of other holders, without this election's own Lease. Must include every write that was answered before the call. */
  list: (signal: AbortSignal) => Promise<readonly Lease[]>;
  leaseDurationMs: number;
  clock: Clock;
}

/** Of the held Leases, the first on each side of the own Lease. */
export interface OtherControllers {
  /** Has precedence: while it is held, this process must not act. */
  readonly ahead: Lease | undefined;
  /** Has no precedence: its holder stops once it sees that the own Lease is held. */
  readonly behind: Lease | undefined;
}

export const NO_OTHERS: OtherControllers = { ahead: undefined, behind: undefined };

interface Observed {
  readonly lease: Lease;
  readonly changedMs: number;
}

export class CompetingLeases {
  readonly #options: CompetingLeasesOptions;
  #observed: ReadonlyMap<string, Observed> = new Map();

  constructor(options: CompetingLeasesOptions) {
    this.#options = options;
  }

  /** @param own undefined if it does not exist: then all others are older */
  async look(own: Lease | undefined, signal: AbortSignal): Promise<OtherControllers> {
    this.#observe(await this.#options.list(signal));
    const leases = [...this.#observed.values()].map(({ lease }) => lease);
    const held = leases.filter((lease) => this.remainingMs(lease) > 0).toSorted(byRank);
    const isAhead = (lease: Lease) => own === undefined || byRank(lease, own) < 0;
    return { ahead: held.find(isAhead), behind: held.find((lease) => !isAhead(lease)) };
  }

  remainingMs(lease: Lease): number {
    const observed = this.#observed.get(keyOf(lease));
    if (observed === undefined) return 0;
    const { clock } = this.#options;
    return Math.max(0, this.validForMs(observed.lease) - (clock.monotonic() - observed.changedMs));
  }

  validForMs(lease: Lease): number {
    return validForMs(lease, this.#options.leaseDurationMs);
  }

  #observe(leases: readonly Lease[]): void {
    const nowMs = this.#options.clock.monotonic();
    const listed = new Set(leases.map(keyOf));
    // An expired record that is still listed is kept; otherwise it would count as new.
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

/** Changes with each renewal. */
function recordOf({ metadata, spec }: Lease): string {
  return JSON.stringify([metadata?.uid, spec]);
}

function keyOf({ metadata }: Lease): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

/** The same total order for every process. */
function byRank(a: Lease, b: Lease): number {
  const [ofA, ofB] = [a, b].map((lease) => `${createdAt(lease)} ${keyOf(lease)}`) as [string, string];
  return ofA < ofB ? -1 : ofA > ofB ? 1 : 0;
}

/** RFC 3339 in UTC and without fractions sorts as text. */
function createdAt({ metadata }: Lease): string {
  return String(metadata?.creationTimestamp ?? '');
}
