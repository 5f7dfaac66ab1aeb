/** The shell as a Nest module: probes, metrics and the operator's life around the one provider that a framework brings. */
import type { DynamicModule, Provider } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { EventLoopLag } from './event-loop-lag.ts';
import { HealthController } from './health.controller.ts';
import { MetricsController } from './metrics.controller.ts';
import { OperatorLifecycle } from './operator-lifecycle.ts';
import type { OperatorRuntime } from './operator-runtime.ts';
import { OPERATOR_RUNTIME } from './tokens.ts';

@Module({})
export class OperatorModule {
  /** `operatorProvider` is the framework's: it provides `JOB_OPERATOR`. */
  static forRuntime(runtime: OperatorRuntime, operatorProvider: Provider): DynamicModule {
    return {
      module: OperatorModule,
      // Terminus would log each failed probe; `ProblemLog` says it once.
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController, MetricsController],
      providers: [
        { provide: OPERATOR_RUNTIME, useValue: runtime },
        { provide: EventLoopLag, useFactory: () => new EventLoopLag() },
        operatorProvider,
        OperatorLifecycle,
      ],
    };
  }
}
