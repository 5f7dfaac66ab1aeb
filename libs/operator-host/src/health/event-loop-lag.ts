/**
 * How late the event loop ran at worst since the last look. A probe that is answered at all says that the loop turns
 * now; this says whether it stood still in between, when leases and watches were not served either.
 *
 * Not `monitorEventLoopDelay`: after a reset that misses the first delay, which may be the one that counts.
 */
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Injectable } from '@nestjs/common';

/** A standstill of seconds is what counts, and each tick wakes an idle process. */
const TICK_MS = 1000;

@Injectable()
export class EventLoopLag implements OnApplicationBootstrap, OnApplicationShutdown {
  #ticks: NodeJS.Timeout | undefined;
  #tickedAt = 0;
  #worstMs = 0;

  onApplicationBootstrap(): void {
    this.#tickedAt = performance.now();
    this.#ticks = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#ticks);
  }

  takeWorstMs(): number {
    const worstMs = this.#worstMs;
    this.#worstMs = 0;
    return worstMs;
  }

  #tick(): void {
    const now = performance.now();
    this.#worstMs = Math.max(this.#worstMs, now - this.#tickedAt - TICK_MS);
    this.#tickedAt = now;
  }
}
