import type { JobOperator } from '@muster/common-job-controller';
import { Inject, Injectable } from '@nestjs/common';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { HealthIndicatorService } from '@nestjs/terminus';
import { JOB_OPERATOR } from '../tokens.ts';
import { upUnless } from './up-unless.ts';

/** Down while the operator lacks required rights; they are checked again until granted. */
@Injectable()
export class PermissionsIndicator {
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
    return upUnless(this.#operator.readiness().permissions, this.#indicators.check('permissions'));
  }
}
