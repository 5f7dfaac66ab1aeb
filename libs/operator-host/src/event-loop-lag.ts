/**
 * How late the event loop ran at worst since the last look. A probe that is answered at all says that the loop turns
 * now; this says whether it stood still in between, when leases and watches were not served either.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 50;
const NANOSECONDS_PER_MS = 1e6;

export class EventLoopLag {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  start(): void {
    this.#histogram.enable();
  }

  stop(): void {
    this.#histogram.disable();
  }

  /** Milliseconds; 0 when nothing was measured since the last call. */
  takeWorstMs(): number {
    const worstMs = this.#histogram.count === 0 ? 0 : this.#histogram.max / NANOSECONDS_PER_MS - RESOLUTION_MS;
    this.#histogram.reset();
    return Math.max(0, worstMs);
  }
}
