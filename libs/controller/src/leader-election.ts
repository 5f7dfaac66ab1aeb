/**
 * Elects one leader among the replicas of an operator by a Lease, with client-go's rules.
 *
 * At most one replica considers itself the leader. A leader that cannot renew stops after `renewDeadlineMs`, counted
 * from when the last successful request was sent. Others wait for `leaseDurationMs`, which is longer, since they last
 * saw the record change. Both use their own monotonic clock and no timestamp of the record, so clocks may differ and be
 * set, but must run at the same speed. A leader has to check `isLeader` or stop in `onLost`.
 *
 * A leader that stops releases the Lease, which the others watch, so the next one takes over at once.
 *
 * An elector serves one term. In `onLost` all work of the term has to end (see `leader-terms.ts`); then a new elector
 * with the same identity may start.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Lease } from '@muster/job-api';
import { isKubeError, type Cache, type Logger } from '@muster/kube';
import { ELECTION, gauge, type GaugeOf } from '@muster/metrics';
import type { Registry } from 'prom-client';
import { systemClock, type Clock } from './clock.ts';
import { errorFields } from './error-fields.ts';
import { LeaseClaim } from './lease-claim.ts';
import { holderOf } from './lease-record.ts';
import type { LeaseClient, LeaseMarks } from './lease-store.ts';
import { NO_OTHERS, CompetingLeases, type CompetingLeasesOptions, type OtherControllers } from './competing-leases.ts';
import { settlesWithin, sleep } from './wait.ts';

export interface LeaderElectionOptions {
  /** Preferably a separate client, so that renewals do not queue behind the writes of pods. */
  client: LeaseClient;
  /** Namespace of the Lease, which is created if missing. */
  namespace: string;
  name: string;
  /** Unique among processes. Default: host name and a UUID. */
  identity?: string;
  /** Labels and annotations that the leader sets on the Lease. */
  marks?: LeaseMarks;
  /** Other Leases whose holders would do the same work. This process leads only if none with precedence is held. */
  otherLeases?: CompetingLeasesOptions['list'];
  /** How long others wait for a silent leader. Default 15 s. */
  leaseDurationMs?: number;
  /** When a leader that cannot renew gives up. Less than the lease duration. Default 10 s. */
  renewDeadlineMs?: number;
  /** Interval of attempts; followers add up to 120 % at random. Default 2 s. */
  retryPeriodMs?: number;
  /** A watch on the Lease (`metadata.name=<name>`): a follower takes over as soon as the Lease is released. */
  leases?: Cache<Lease>;
  /** Called once when leadership is lost, but not upon `stop`. End all work of the leader. */
  onLost: (reason: string) => void;
  registry: Registry;
  logger: Logger;
  clock?: Clock;
}

const JITTER_FACTOR = 1.2;

/**
 * A holder checks for other holders once per lease duration and then has as long to stop. After this many lease durations a
 * holder is considered not to check.
 */
const YIELD_FACTOR = 3;

type Phase = 'idle' | 'following' | 'leading' | 'lost' | 'stopped';

export class LeaderElector {
  readonly name = 'leader election';
  readonly identity: string;
  #options: LeaderElectionOptions;
  #claim: LeaseClaim;
  #clock: Clock;
  #leaseDurationMs: number;
  #renewDeadlineMs: number;
  #retryPeriodMs: number;
  #status: GaugeOf<typeof ELECTION.masterStatus>;
  #phase: Phase = 'idle';
  #stopping = false;
  #pause = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #outcome = Promise.withResolvers<void>();
  #unsubscribe: (() => void) | undefined;
  #renewedMs = 0;
  #cancelDeadline: (() => void) | undefined;
  #failing = false;
  #competing: CompetingLeases | undefined;
  #seenOthers: OtherControllers = NO_OTHERS;
  #lookedMs = 0;
  /** Since when the Lease is held without leading, because another holder without precedence has not given up yet. */
  #waitingMs: number | undefined;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.identity = options.identity ?? `${hostname()}_${randomUUID()}`;
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2000;
    if (
      this.#leaseDurationMs <= this.#renewDeadlineMs ||
      this.#renewDeadlineMs <= JITTER_FACTOR * this.#retryPeriodMs
    ) {
      throw new Error(
        `leader election needs leaseDuration (${this.#leaseDurationMs} ms) > renewDeadline (${this.#renewDeadlineMs} ms) ` +
          `> ${JITTER_FACTOR} * retryPeriod (${this.#retryPeriodMs} ms): raise the former or lower the latter`,
      );
    }
    this.#claim = new LeaseClaim({
      client: options.client,
      key: { namespace: options.namespace, name: options.name },
      identity: this.identity,
      marks: options.marks ?? {},
      leaseDurationMs: this.#leaseDurationMs,
      clock: this.#clock,
      onNewHolder: (leader = '') => options.logger.info('the Lease has a new holder', { ...this.#fields(), leader }),
    });
    this.#competing =
      options.otherLeases &&
      new CompetingLeases({ list: options.otherLeases, leaseDurationMs: this.#leaseDurationMs, clock: this.#clock });
    this.#status = gauge(options.registry, ELECTION.masterStatus);
    this.#status.set({ name: options.name }, 0);
  }

  /** False as soon as the renew deadline has passed, even before `onLost` is called. */
  get isLeader(): boolean {
    return this.#phase === 'leading' && this.#clock.monotonic() - this.#renewedMs < this.#renewDeadlineMs;
  }

  get leader(): string | undefined {
    return this.#claim.holder;
  }

  /** The other holder's Lease because of which this process does not lead although its own is free. */
  get defersTo(): Lease | undefined {
    return this.#phase === 'leading' ? undefined : (this.#seenOthers.ahead ?? this.#awaited);
  }

  /** Milliseconds since the last renewal; undefined unless leading. Normally up to twice the retry period. */
  get lastRenewAgeMs(): number | undefined {
    return this.#phase === 'leading' ? this.#clock.monotonic() - this.#renewedMs : undefined;
  }

  /** Resolves when this process leads; rejects when `signal` is aborted or `stop` is called before. */
  async start(signal?: AbortSignal): Promise<void> {
    if (this.#phase !== 'idle') throw new Error('leader election was already started: create a new LeaderElector');
    this.#phase = 'following';
    this.#outcome.promise.catch(() => undefined);
    const abort = (): void => this.#end();
    signal?.addEventListener('abort', abort, { once: true });
    this.#unsubscribe = this.#watch();
    if (signal?.aborted === true) this.#end();
    this.#loop = this.#run();
    try {
      await this.#outcome.promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /**
   * With `release` the Lease is given up, so that another process takes over at once. Allowed only if this process does
   * not write any more. Without it others wait until it expires.
   */
  async stop(deadlineMs: number, release = true): Promise<void> {
    const startedMs = this.#clock.monotonic();
    this.#end();
    await settlesWithin(this.#clock, this.#loop, deadlineMs);
    this.#cancelDeadline?.();
    const wasLost = this.#phase === 'lost';
    if (!wasLost) this.#phase = 'stopped';
    this.#status.set({ name: this.#options.name }, 0);
    if (!release || wasLost || !this.#claim.mayHold) return;
    const remainingMs = deadlineMs - (this.#clock.monotonic() - startedMs);
    await this.#release(Math.max(0, Math.min(remainingMs, this.#requestTimeoutMs)));
  }

  get #requestTimeoutMs(): number {
    return this.#renewDeadlineMs / 2;
  }

  #end(): void {
    this.#stopping = true;
    this.#unsubscribe?.();
    this.#pause.abort();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      // Created before the attempt, so that a release observed during the attempt ends the pause after it.
      this.#pause = new AbortController();
      await this.#attempt();
      if (this.#stopping) break;
      await sleep(this.#clock, this.#pauseMs(), this.#pause.signal);
    }
    this.#outcome.reject(new Error('leader election was stopped before this process led'));
  }

  /** A follower's pause ends when the Lease expires, if that is sooner. */
  #pauseMs(): number {
    if (this.#phase === 'leading') return this.#retryPeriodMs;
    if (this.#claim.isOurs) return this.#retryPeriodMs;
    const pauseMs = this.#retryPeriodMs * (1 + Math.random() * JITTER_FACTOR);
    const { ahead } = this.#seenOthers;
    const otherMs = ahead && this.#competing?.remainingMs(ahead);
    return Math.min(pauseMs, this.#claim.remainingMs ?? pauseMs, otherMs ?? pauseMs);
  }

  /** Never throws: the next attempt or the deadline follows a failure. */
  async #attempt(): Promise<void> {
    const sentMs = this.#clock.monotonic();
    try {
      const isLeading = this.#phase === 'leading';
      // Taking a Lease is several requests, each of which may be retried.
      const held = await (isLeading
        ? this.#withTimeout(this.#requestTimeoutMs, (signal) => this.#claim.renew(signal))
        : this.#withTimeout(this.#renewDeadlineMs, (signal) => this.#acquire(signal)));
      if (this.#failing) this.#options.logger.info('the Lease can be reached again', this.#fields());
      this.#failing = false;
      if (held) this.#renewed(sentMs);
      else if (isLeading && this.#claim.isHeldByAnother) this.#lose(`${this.leader} holds the Lease`);
      if (isLeading && held) this.#lookWhileLeading();
    } catch (error) {
      this.#logFailure(error);
    }
  }

  /** True if this process leads: it holds its Lease, and no other holder acts. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    // Checked before taking the Lease, so as not to disturb another holder with precedence, and again after it, so that of two
    // concurrent processes at least one sees the other.
    const mayTake = async () => (await this.#look(signal)).ahead === undefined;
    const held = await this.#claim.acquire(signal, mayTake);
    if (held) await this.#look(signal);
    else if (this.#claim.isHeldByAnother) this.#seenOthers = NO_OTHERS;
    const { ahead, behind } = this.#seenOthers;
    if (this.#claim.isOurs && ahead !== undefined) await this.#claim.release(signal);
    this.#noteWaiting(held && ahead === undefined && behind !== undefined);
    return held && ahead === undefined && this.#awaited === undefined;
  }

  /** Another holder with precedence waits for this process to stop. Renewals do not wait for this check. */
  #lookWhileLeading(): void {
    if (this.#competing === undefined || this.#clock.monotonic() - this.#lookedMs < this.#leaseDurationMs) return;
    this.#lookedMs = this.#clock.monotonic();
    this.#withTimeout(this.#requestTimeoutMs, (signal) => this.#look(signal)).then(
      ({ ahead }) => {
        if (ahead !== undefined)
          this.#lose(`${holderOf(ahead)} holds the Lease ${nameOf(ahead)}, which has precedence`);
      },
      (error: unknown) => this.#options.logger.debug('other Leases cannot be read', errorFields(error)),
    );
  }

  async #look(signal: AbortSignal): Promise<OtherControllers> {
    if (this.#competing === undefined) return NO_OTHERS;
    const before = this.#seenOthers.ahead;
    this.#seenOthers = await this.#competing.look(this.#claim.lease, signal);
    this.#lookedMs = this.#clock.monotonic();
    const { ahead } = this.#seenOthers;
    if (ahead !== undefined && (before === undefined || nameOf(before) !== nameOf(ahead))) {
      const other = { otherLease: nameOf(ahead), otherHolder: holderOf(ahead) };
      this.#options.logger.info('another operator does the same work and has precedence', {
        ...this.#fields(),
        ...other,
      });
    }
    return this.#seenOthers;
  }

  #noteWaiting(isWaiting: boolean): void {
    if (!isWaiting) this.#waitingMs = undefined;
    else this.#waitingMs ??= this.#clock.monotonic();
  }

  /** The other holder to wait for. One that does not give up in time does not check for others and is ignored. */
  get #awaited(): Lease | undefined {
    const { behind } = this.#seenOthers;
    if (behind === undefined || this.#competing === undefined || this.#waitingMs === undefined) return undefined;
    const waitedMs = this.#clock.monotonic() - this.#waitingMs;
    return waitedMs < YIELD_FACTOR * this.#competing.validForMs(behind) ? behind : undefined;
  }

  #renewed(sentMs: number): void {
    if (this.#phase === 'lost') return;
    // If the process was suspended past the deadline, others may have led: a late answer does not count.
    if (this.#phase === 'leading' && !this.isLeader) {
      this.#lose('the Lease was renewed too late');
      return;
    }
    if (this.#clock.monotonic() - sentMs >= this.#renewDeadlineMs) return;
    this.#renewedMs = sentMs;
    this.#cancelDeadline?.();
    this.#cancelDeadline = this.#clock.setTimer(sentMs + this.#renewDeadlineMs - this.#clock.monotonic(), () =>
      this.#lose(`the Lease could not be renewed for ${this.#renewDeadlineMs} ms`),
    );
    if (this.#phase === 'leading' || this.#stopping) return;
    this.#phase = 'leading';
    this.#waitingMs = undefined;
    const { behind } = this.#seenOthers;
    if (behind !== undefined) {
      const other = { otherLease: nameOf(behind), otherHolder: holderOf(behind) };
      this.#options.logger.error('another operator does the same work and does not stop: both act. Stop one of them', {
        ...this.#fields(),
        ...other,
      });
    }
    this.#status.set({ name: this.#options.name }, 1);
    this.#options.logger.info('this process leads', this.#fields());
    this.#outcome.resolve();
  }

  #lose(reason: string): void {
    if (this.#phase !== 'leading') return;
    this.#phase = 'lost';
    this.#cancelDeadline?.();
    this.#status.set({ name: this.#options.name }, 0);
    this.#options.logger.error('leadership is lost', { ...this.#fields(), reason });
    this.#end();
    this.#options.onLost(reason);
  }

  async #release(timeoutMs: number): Promise<void> {
    try {
      const released = await this.#withTimeout(timeoutMs, (signal) => this.#claim.release(signal));
      if (released) this.#options.logger.info('the Lease is released', this.#fields());
    } catch (error) {
      const fields = { ...this.#fields(), ...errorFields(error) };
      this.#options.logger.warn('the Lease could not be released: others take over when it expires', fields);
    }
  }

  /** A follower that observes a free Lease ends its pause. */
  #watch(): (() => void) | undefined {
    const observe = (lease: Lease): void => {
      if (!this.#claim.isSame(lease) || this.#phase !== 'following') return;
      if (holderOf(lease) === undefined) this.#pause.abort();
      else this.#claim.note(lease);
    };
    return this.#options.leases?.subscribe({
      added: observe,
      updated: (_before, after) => observe(after),
      deleted: (lease) => {
        if (this.#claim.isSame(lease)) this.#pause.abort();
      },
    });
  }

  async #withTimeout<T>(timeoutMs: number, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const timeout = new AbortController();
    const cancel = this.#clock.setTimer(timeoutMs, () =>
      timeout.abort(new Error(`no answer about the Lease within ${timeoutMs} ms`)),
    );
    try {
      return await request(timeout.signal);
    } finally {
      cancel();
    }
  }

  #logFailure(error: unknown): void {
    const fields = { ...this.#fields(), ...errorFields(error) };
    if (this.#failing) this.#options.logger.debug('the Lease still cannot be read or written', fields);
    else if (isKubeError(error, 'Forbidden')) {
      this.#options.logger.error(
        'no right to read and write the Lease: grant get, create and update of leases (coordination.k8s.io) in its namespace',
        fields,
      );
    } else this.#options.logger.warn('the Lease cannot be read or written: retrying', fields);
    this.#failing = true;
  }

  #fields(): Record<string, unknown> {
    return { namespace: this.#options.namespace, lease: this.#options.name, identity: this.identity };
  }
}

function nameOf({ metadata }: Lease): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}
