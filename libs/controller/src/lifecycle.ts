/**
 * Starts the components of an operator in order and stops them in reverse order.
 *
 * Each component uses those before it. An operator has: client, informers (start waits for the sync), leader election
 * (start waits for leadership), event recorder, controllers. A stop drains the controllers, writes the last events and
 * then releases the Lease; the client closes last.
 *
 * A follower stays in the start of its leader election: all components before it run, none after it.
 */
import type { Logger } from '@muster/kube';
import { systemClock, type Clock } from './clock.ts';
import { errorFields } from './error-fields.ts';
import { settlesWithin } from './wait.ts';

export interface Component {
  readonly name: string;
  /** Resolves when the next component may start. `signal` is aborted when the operator stops. */
  start(signal: AbortSignal): Promise<void> | void;
  /**
   * Called once, also if `start` failed or has not finished. Ends within `deadlineMs`; throws if work continues after
   * it. `clean` is true if all components after this one have stopped without an error.
   */
  stop(deadlineMs: number, clean: boolean): Promise<void> | void;
}

export interface LifecycleOptions {
  components: readonly Component[];
  /** Time for stopping all of them: less than the pod's terminationGracePeriodSeconds. */
  stopDeadlineMs: number;
  logger: Logger;
  clock?: Clock;
}

/** Each component has at least this share of the time, so that a stuck one cannot use it up. */
const RESERVED_SHARE = 0.25;

export class Lifecycle {
  #components: readonly Component[];
  #logger: Logger;
  #clock: Clock;
  #starting = new AbortController();
  #stopDeadlineMs: number;
  #begun: Component[] = [];
  #stopped: Promise<void> | undefined;

  constructor(options: LifecycleOptions) {
    this.#components = options.components;
    this.#stopDeadlineMs = options.stopDeadlineMs;
    this.#logger = options.logger;
    this.#clock = options.clock ?? systemClock;
  }

  /** Resolves when all components run, or upon `stop`. If one fails, the others are stopped and its error is thrown. */
  async start(): Promise<void> {
    const { signal } = this.#starting;
    for (const component of this.#components) {
      if (signal.aborted) return;
      this.#begun.push(component);
      try {
        await component.start(signal);
      } catch (error) {
        // Errors after an abort are expected.
        if (signal.aborted) return;
        await this.stop();
        throw new Error(`${component.name} did not start`, { cause: error });
      }
      this.#logger.debug('started', { component: component.name });
    }
  }

  /**
   * Stops started components within about the deadline. Never throws: one that fails or takes too long is logged and
   * abandoned. Later calls wait for the first.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll(this.#stopDeadlineMs);
    return this.#stopped;
  }

  async #stopAll(deadlineMs: number): Promise<void> {
    this.#starting.abort(new Error('stopped while starting'));
    const endMs = this.#clock.monotonic() + deadlineMs;
    const reserveMs = (deadlineMs * RESERVED_SHARE) / Math.max(1, this.#begun.length);
    let clean = true;
    for (let component = this.#begun.pop(); component !== undefined; component = this.#begun.pop()) {
      const remainingMs = endMs - this.#clock.monotonic() - reserveMs * this.#begun.length;
      const ended = await this.#stopOne(component, Math.max(reserveMs, remainingMs), clean);
      clean &&= ended;
    }
  }

  async #stopOne(component: Component, deadlineMs: number, clean: boolean): Promise<boolean> {
    const fields = { component: component.name, deadlineMs };
    try {
      if (await settlesWithin(this.#clock, Promise.resolve(component.stop(deadlineMs, clean)), deadlineMs)) {
        this.#logger.debug('stopped', fields);
        return true;
      }
      this.#logger.error('did not stop in time and is abandoned', fields);
    } catch (error) {
      this.#logger.error('failed to stop and is abandoned', { ...fields, ...errorFields(error) });
    }
    return false;
  }
}
