/**
 * Runs work while this process leads, in one term after the other.
 *
 * The work of a term ends before its Lease can expire. After losing the Lease, for example without an API server, the
 * process stays up, with its caches and probes, and starts another election. Only if the work does not end in time, the
 * process has to end (`onStuck`).
 *
 * client-go ends the process with every loss, since Go cannot cancel what ignores its context. Here all work of a term
 * uses one signal, and its end is awaited. A request that the API server has accepted cannot be revoked either way: the
 * correctness of a write must not depend on leadership.
 */
import type { Lease } from '@muster/job-api';
import type { Logger } from '@muster/kube';
import { systemClock, type Clock } from './clock.ts';
import type { LeaderElector } from './leader-election.ts';
import type { Component } from './lifecycle.ts';

export interface TermWork {
  start(): void;
  /** Cancels the work at once. */
  abort(reason: string): void;
  /** Resolves when the work has ended; throws if it has not after `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>;
}

export interface LeaderTermsOptions {
  elector(onLost: (reason: string) => void): LeaderElector;
  work(): TermWork;
  /** Time for the work to end after a loss: at most lease duration less renew deadline. */
  endWithinMs: number;
  /** Called once if it takes longer. End the process. */
  onStuck(reason: string): void;
  logger: Logger;
  clock?: Clock;
}

export class LeaderTerms {
  /** Two components of one lifecycle: pending events can be written between their stops. */
  readonly election: Component;
  readonly work: Component;
  #options: LeaderTermsOptions;
  #clock: Clock;
  #elector: LeaderElector;
  #work: TermWork | undefined;
  /** Aborted when the first component stops, which ends the next election. */
  #standing = new AbortController();

  constructor(options: LeaderTermsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#elector = this.#newElector();
    this.election = {
      name: this.#elector.name,
      start: (signal) => this.#elector.start(signal),
      stop: (deadlineMs, clean) => {
        this.#standing.abort();
        return this.#elector.stop(deadlineMs, clean);
      },
    };
    this.work = {
      name: 'work of the leader',
      start: () => this.#begin(),
      stop: async (deadlineMs) => {
        this.#standing.abort();
        await this.#work?.stop(deadlineMs);
      },
    };
  }

  get lastRenewAgeMs(): number | undefined {
    return this.#elector.lastRenewAgeMs;
  }

  get defersTo(): Lease | undefined {
    return this.#elector.defersTo;
  }

  #newElector(): LeaderElector {
    return this.#options.elector((reason) => void this.#nextTerm(reason));
  }

  #begin(): void {
    this.#work = this.#options.work();
    this.#work.start();
  }

  async #nextTerm(reason: string): Promise<void> {
    const { logger, endWithinMs } = this.#options;
    const lostMs = this.#clock.monotonic();
    const work = this.#work;
    this.#work = undefined;
    work?.abort(reason);
    try {
      await work?.stop(endWithinMs);
    } catch (error) {
      logger.error('the work of the last term did not end in time: this process exits', {
        reason,
        error: String(error),
      });
      this.#options.onStuck(reason);
      return;
    }
    if (this.#standing.signal.aborted) return;
    const seconds = (this.#clock.monotonic() - lostMs) / 1000;
    logger.warn('the work of the last term has ended; this process takes part in the election again', {
      reason,
      seconds,
    });
    this.#elector = this.#newElector();
    try {
      await this.#elector.start(this.#standing.signal);
    } catch {
      return;
    }
    if (!this.#standing.signal.aborted) this.#begin();
  }
}
