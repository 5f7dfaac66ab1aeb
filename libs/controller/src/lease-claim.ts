/** Takes, renews and releases a Lease for one process. `LeaderElector` decides what follows. */
import type { Lease, ObjectKey } from '@muster/job-api';
import type { Clock } from './clock.ts';
import { heldRecord, holderOf, releasedRecord, validForMs } from './lease-record.ts';
import { LeaseStore, type LeaseClient, type LeaseMarks } from './lease-store.ts';

export interface LeaseClaimOptions {
  client: LeaseClient;
  key: ObjectKey;
  identity: string;
  marks: LeaseMarks;
  leaseDurationMs: number;
  clock: Clock;
  /** Called when another holder, or none, is observed for the first time. */
  onNewHolder: (holder: string | undefined) => void;
}

export class LeaseClaim {
  #options: LeaseClaimOptions;
  #store: LeaseStore;
  /** The Lease as last observed, and when its record was last observed to change. */
  #lease: Lease | undefined;
  #observedMs = 0;
  #mayHold = false;

  constructor(options: LeaseClaimOptions) {
    this.#options = options;
    this.#store = new LeaseStore(options.client, options.key, options.marks);
  }

  get holder(): string | undefined {
    return this.#lease === undefined ? undefined : holderOf(this.#lease);
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  get isOurs(): boolean {
    return this.holder === this.#options.identity;
  }

  get isHeldByAnother(): boolean {
    return this.holder !== undefined && this.holder !== this.#options.identity;
  }

  /** A write was sent that may have made this process the holder, whatever its answer. */
  get mayHold(): boolean {
    return this.#mayHold;
  }

  isSame(lease: Lease): boolean {
    return this.#store.isSame(lease);
  }

  /** Milliseconds until the other holder's record expires; undefined without a holder, or if it has expired. */
  get remainingMs(): number | undefined {
    if (this.#lease === undefined || !this.isHeldByAnother) return undefined;
    const { clock, leaseDurationMs } = this.#options;
    const remainingMs = validForMs(this.#lease, leaseDurationMs) - (clock.monotonic() - this.#observedMs);
    return remainingMs > 0 ? remainingMs : undefined;
  }

  note(lease: Lease): void {
    if (this.#lease === undefined || isNewer(lease, this.#lease)) this.#observe(lease);
  }

  /** Takes the Lease if it is free or expired; returns true if this process holds it. @param mayTake called before */
  async acquire(signal: AbortSignal, mayTake: () => Promise<boolean>): Promise<boolean> {
    const lease = await this.#store.read(signal);
    if (lease === undefined) {
      this.#lease = undefined;
      return (await mayTake()) ? await this.#create(signal) : false;
    }
    this.#observe(lease);
    if (this.isHeldByAnother) this.#mayHold = false;
    if (this.remainingMs !== undefined || !(await mayTake())) return false;
    return await this.#replace(lease, signal);
  }

  /** Returns true if this process still holds the Lease. It does not take an expired one from another holder. */
  async renew(signal: AbortSignal): Promise<boolean> {
    if (this.#lease !== undefined && (await this.#replace(this.#lease, signal))) return true;
    const lease = await this.#store.read(signal);
    if (lease === undefined) return await this.#create(signal);
    this.#observe(lease);
    if (this.isHeldByAnother) {
      this.#mayHold = false;
      return false;
    }
    return await this.#replace(lease, signal);
  }

  async release(signal: AbortSignal): Promise<boolean> {
    const { identity, clock } = this.#options;
    const lease = await this.#store.read(signal);
    if (lease === undefined || holderOf(lease) !== identity) return false;
    if (!this.#observeOwn(await this.#store.replace(lease, releasedRecord(lease, clock.now()), signal))) return false;
    this.#mayHold = false;
    return true;
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    this.#mayHold = true;
    return this.#observeOwn(await this.#store.create(this.#record(undefined), signal));
  }

  async #replace(lease: Lease, signal: AbortSignal): Promise<boolean> {
    this.#mayHold = true;
    return this.#observeOwn(await this.#store.replace(lease, this.#record(lease), signal));
  }

  #record(previous: Lease | undefined): NonNullable<Lease['spec']> {
    const { identity, leaseDurationMs, clock } = this.#options;
    return heldRecord(previous, { identity, leaseDurationMs, nowMs: clock.now() });
  }

  #observeOwn(written: Lease | undefined): boolean {
    if (written !== undefined) this.#observe(written);
    return written !== undefined;
  }

  #observe(lease: Lease): void {
    if (this.#lease === undefined || JSON.stringify(lease.spec) !== JSON.stringify(this.#lease.spec)) {
      this.#observedMs = this.#options.clock.monotonic();
    }
    const before = this.holder;
    this.#lease = lease;
    if (this.holder !== before) this.#options.onNewHolder(this.holder);
  }
}

/** A watch may lag behind what was read or written meanwhile. */
function isNewer({ metadata: a }: Lease, { metadata: b }: Lease): boolean {
  return BigInt(a?.resourceVersion ?? 0) > BigInt(b?.resourceVersion ?? 0);
}
