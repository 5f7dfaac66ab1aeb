/**
 * Starts the parts of an operator in order and stops them in the opposite one.
 *
 * Give the parts in the order of their needs: what comes later uses what comes before. For an operator that is: client,
 * informers (their start waits for the sync), leader election (its start waits for leadership), event recorder,
 * controllers. Stopping then drains the controllers, writes the last events, and releases the Lease only after that;
 * the client closes last.
 *
 * A part's `start` resolves when those after it may use it. A follower therefore stays within the start of its leader
 * election, with everything before it running; nothing that is meant for the leader runs.
 */
import type { Logger } from '@muster/kube';
import { systemClock, type Clock } from './clock.ts';
import { errorFields } from './error-fields.ts';
import { settlesWithin } from './wait.ts';

export interface Component {
  readonly name: string;
  /** Resolves when what comes after may start. `signal` is aborted when there is no more reason to wait. */
  start(signal: AbortSignal): Promise<void> | void;
  /**
   * Called once, also when `start` failed or has not finished. Ends within `deadlineMs`; throws when something goes on
   * after it. `clean` tells that everything which came after this part has ended without such trouble.
   */
  stop(deadlineMs: number, clean: boolean): Promise<void> | void;
}

export interface LifecycleOptions {
  /** In the order of their needs. */
  components: readonly Component[];
  /** How long stopping all of them may take: less than what the pod's terminationGracePeriodSeconds leaves. */
  stopDeadlineMs: number;
  logger: Logger;
  clock?: Clock;
}

/** Each part yet to stop keeps at least this share of the whole time, so that a stuck one cannot use it up. */
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

  /**
   * Starts one part after the other. Resolves when all run, or when `stop` was called meanwhile. When one fails, those
   * that were begun are stopped, and its error is thrown.
   */
  async start(): Promise<void> {
    const { signal } = this.#starting;
    for (const component of this.#components) {
      if (signal.aborted) return;
      this.#begun.push(component);
      try {
        await component.start(signal);
      } catch (error) {
        // What a part says about being interrupted is no news to whoever interrupted it.
        if (signal.aborted) return;
        await this.stop();
        throw new Error(`${component.name} did not start`, { cause: error });
      }
      this.#logger.debug('started', { component: component.name });
    }
  }

  /**
   * Stops what was begun, last first, within about the deadline. Never throws: a part that fails or takes too long is
   * logged and left behind. Calls after the first wait for the first.
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

  /** Whether the component ended. */
  async #stopOne(component: Component, deadlineMs: number, clean: boolean): Promise<boolean> {
    const fields = { component: component.name, deadlineMs };
    try {
      if (await settlesWithin(this.#clock, Promise.resolve(component.stop(deadlineMs, clean)), deadlineMs)) {
        this.#logger.debug('stopped', fields);
        return true;
      }
      this.#logger.error('did not stop in time and is left behind', fields);
    } catch (error) {
      this.#logger.error('could not be stopped properly and is left behind', { ...fields, ...errorFields(error) });
    }
    return false;
  }
}
