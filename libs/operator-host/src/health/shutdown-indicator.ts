import { Inject, Injectable } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { HealthIndicatorService } from '@nestjs/terminus';
import { OperatorLifecycle } from '../operator-lifecycle.ts';
import { upUnless } from './up-unless.ts';

/** Down while the operator drains after a signal. */
@Injectable()
export class ShutdownIndicator {
  readonly #indicators: HealthIndicatorService;
  readonly #lifecycle: OperatorLifecycle;

  constructor(
    @Inject(HealthIndicatorService) indicators: HealthIndicatorService,
    @Inject(OperatorLifecycle) lifecycle: OperatorLifecycle,
  ) {
    this.#indicators = indicators;
    this.#lifecycle = lifecycle;
  }

  isReady(): HealthIndicatorResult {
    const problems = this.#lifecycle.isShuttingDown ? ['the operator is shutting down'] : [];
    return upUnless(problems, this.#indicators.check('shutdown'));
  }
}
