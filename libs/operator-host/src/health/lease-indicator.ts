import type { JobOperator } from '@muster/common-job-controller';
import { Inject, Injectable } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { HealthIndicatorService } from '@nestjs/terminus';
import { JOB_OPERATOR } from '../tokens.ts';
import { upUnless } from './up-unless.ts';

/** A follower is ready: it only waits for the Lease. */
@Injectable()
export class LeaseIndicator {
  readonly #indicators: HealthIndicatorService;
  readonly #operator: JobOperator;

  constructor(
    @Inject(HealthIndicatorService) indicators: HealthIndicatorService,
    @Inject(JOB_OPERATOR) operator: JobOperator,
  ) {
    this.#indicators = indicators;
    this.#operator = operator;
  }

  isReady(): HealthIndicatorResult {
    return upUnless(this.#operator.readiness().lease, this.#indicators.check('lease'));
  }

  /** Down if renewals are stuck: a restart helps. */
  isAlive(): HealthIndicatorResult {
    return upUnless(this.#operator.livenessProblems(), this.#indicators.check('lease'));
  }
}
