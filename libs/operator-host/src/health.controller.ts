/**
 * The probes. `/healthz` fails when a restart would help (lease renewals are stuck, the event loop stood still);
 * `/readyz` fails while something keeps the operator from its work, and says in words what. A replica that does not
 * lead is ready: it only waits for its turn.
 */
import type { JobOperator } from '@muster/common-job-controller';
import { Controller, Get, Inject } from '@nestjs/common';
import type { HealthCheckResult } from '@nestjs/terminus';
import { HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { EventLoopLag } from './event-loop-lag.ts';
import { OperatorLifecycle } from './operator-lifecycle.ts';
import { JOB_OPERATOR } from './tokens.ts';

const MAX_LAG_MS = 1000;

@Controller()
export class HealthController {
  readonly #health: HealthCheckService;
  readonly #indicators: HealthIndicatorService;
  readonly #operator: JobOperator;
  readonly #lifecycle: OperatorLifecycle;
  readonly #lag: EventLoopLag;

  constructor(
    @Inject(HealthCheckService) health: HealthCheckService,
    @Inject(HealthIndicatorService) indicators: HealthIndicatorService,
    @Inject(JOB_OPERATOR) operator: JobOperator,
    @Inject(OperatorLifecycle) lifecycle: OperatorLifecycle,
    @Inject(EventLoopLag) lag: EventLoopLag,
  ) {
    this.#health = health;
    this.#indicators = indicators;
    this.#operator = operator;
    this.#lifecycle = lifecycle;
    this.#lag = lag;
  }

  @Get('healthz')
  healthz(): Promise<HealthCheckResult> {
    const lagMs = Math.round(this.#lag.takeWorstMs());
    const stalls =
      lagMs > MAX_LAG_MS ? [`the event loop stood still for ${lagMs} ms; ${MAX_LAG_MS} ms is the limit`] : [];
    return this.#check('alive', [...this.#operator.sickness(), ...stalls]);
  }

  @Get('readyz')
  readyz(): Promise<HealthCheckResult> {
    return this.#check('ready', this.#lifecycle.problems());
  }

  #check(name: string, problems: string[]): Promise<HealthCheckResult> {
    const indicator = this.#indicators.check(name);
    return this.#health.check([() => (problems.length === 0 ? indicator.up() : indicator.down({ problems }))]);
  }
}
