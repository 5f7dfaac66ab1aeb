import { Inject, Injectable } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { HealthIndicatorService } from '@nestjs/terminus';
import { EventLoopLag } from './event-loop-lag.ts';
import { upUnless } from './up-unless.ts';

const MAX_LAG_MS = 1000;

/** Down if the event loop was blocked since the last probe: a restart helps. */
@Injectable()
export class EventLoopIndicator {
  readonly #indicators: HealthIndicatorService;
  readonly #lag: EventLoopLag;

  constructor(
    @Inject(HealthIndicatorService) indicators: HealthIndicatorService,
    @Inject(EventLoopLag) lag: EventLoopLag,
  ) {
    this.#indicators = indicators;
    this.#lag = lag;
  }

  isAlive(): HealthIndicatorResult {
    const lagMs = Math.round(this.#lag.takeWorstMs());
    const problems =
      lagMs > MAX_LAG_MS ? [`the event loop was blocked for ${lagMs} ms; the limit is ${MAX_LAG_MS} ms`] : [];
    return upUnless(problems, this.#indicators.check('event-loop'));
  }
}
