import type { DynamicModule, Type } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { CachesIndicator } from './health/caches-indicator.ts';
import { EventLoopIndicator } from './health/event-loop-indicator.ts';
import { EventLoopLag } from './health/event-loop-lag.ts';
import { HealthController } from './health/health.controller.ts';
import { LeaseIndicator } from './health/lease-indicator.ts';
import { PermissionsIndicator } from './health/permissions-indicator.ts';
import { ShutdownIndicator } from './health/shutdown-indicator.ts';
import { HttpListener } from './http-listener.ts';
import { MetricsController } from './metrics.controller.ts';
import { OperatorLifecycle } from './operator-lifecycle.ts';
import { ProblemLog } from './problem-log.ts';
import type { OperatorProcess } from './process.module.ts';
import { ProcessModule } from './process.module.ts';
import { ShadowController } from './shadow.controller.ts';
import { ShutdownGuard } from './shutdown-guard.ts';

@Module({
  // Terminus would log each failed probe; `ProblemLog` logs a problem once.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, MetricsController, ShadowController],
  providers: [
    CachesIndicator,
    LeaseIndicator,
    PermissionsIndicator,
    ShutdownIndicator,
    EventLoopIndicator,
    EventLoopLag,
    ProblemLog,
    OperatorLifecycle,
    ShutdownGuard,
    HttpListener,
  ],
})
export class OperatorModule {
  /** `app` provides `JOB_OPERATOR` globally, as `JobControllerModule` does. */
  static forApp(app: Type, process: OperatorProcess): DynamicModule {
    return { module: OperatorModule, imports: [ProcessModule.forProcess(process), app] };
  }
}
