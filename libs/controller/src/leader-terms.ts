/**
 * Work that only the leader does, term after term.
 *
 * To all replicas: the work of a term has ended before the Lease that covered it can have run out. To users: a process
 * that has lost the Lease, because the API server was away, stands for election again and goes on; its caches and its
 * probes were there all the time. Only where work cannot be ended in time does the process have to end (`onStuck`).
 *
 * client-go ends the process with every loss, since Go cannot end what does not heed its context. Here all that a term
 * does hangs on one signal, and that it has ended is waited for. What neither way can do is to call back a request that
 * the API server has accepted: what is written must not depend on being alone.
 */
import type { Lease } from '@muster/job-api';
import type { Logger } from '@muster/kube';
import { systemClock, type Clock } from './clock.ts';
import type { LeaderElector } from './leader-election.ts';
import type { Component } from './lifecycle.ts';

/** What is done in one term. */
export interface TermWork {
  start(): void;
  /** Ends what is under way at once. */
  abort(reason: string): void;
  /** Resolves when nothing goes on any more; throws when something does after `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>;
}

export interface LeaderTermsOptions {
  /** Stands for election for one term; every time with the same identity. */
  elector(onLost: (reason: string) => void): LeaderElector;
  work(): TermWork;
  /** How long work may take to end after a loss: no more than lease duration less renew deadline. */
  endWithinMs: number;
  /** Called once when it takes longer. End the process. */
  onStuck(reason: string): void;
  logger: Logger;
  clock?: Clock;
}

export class LeaderTerms {
  /** Two parts of one lifecycle: what is told of the work can be written out between their stops. */
  readonly election: Component;
  readonly work: Component;
  #options: LeaderTermsOptions;
  #clock: Clock;
  #elector: LeaderElector;
  #work: TermWork | undefined;
  /** Set while the first part is up: says to the next election that there is no more reason to wait. */
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

  /** See `LeaderElector`. */
  get lastRenewAgeMs(): number | undefined {
    return this.#elector.lastRenewAgeMs;
  }

  /** See `LeaderElector`. */
  get standsBackFor(): Lease | undefined {
    return this.#elector.standsBackFor;
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
      logger.error('the work of the last term goes on: this process has to end', { reason, error: String(error) });
      this.#options.onStuck(reason);
      return;
    }
    if (this.#standing.signal.aborted) return;
    const seconds = (this.#clock.monotonic() - lostMs) / 1000;
    logger.warn('the work of the last term has ended; this process stands for election again', { reason, seconds });
    this.#elector = this.#newElector();
    try {
      await this.#elector.start(this.#standing.signal);
    } catch {
      // Stopped before it led again.
      return;
    }
    if (!this.#standing.signal.aborted) this.#begin();
  }
}
