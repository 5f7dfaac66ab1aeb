/** `/healthz` fails if a restart would help; `/readyz` fails while the operator cannot work. */
import { Controller, Get, Inject } from '@nestjs/common';
import type { HealthCheckResult } from '@nestjs/terminus';
import { HealthCheckService } from '@nestjs/terminus';
import { CachesIndicator } from './caches-indicator.ts';
import { EventLoopIndicator } from './event-loop-indicator.ts';
import { LeaseIndicator } from './lease-indicator.ts';
import { PermissionsIndicator } from './permissions-indicator.ts';
import { ShutdownIndicator } from './shutdown-indicator.ts';

@Controller()
export class HealthController {
  readonly #health: HealthCheckService;
  readonly #caches: CachesIndicator;
  readonly #lease: LeaseIndicator;
  readonly #permissions: PermissionsIndicator;
  readonly #shutdown: ShutdownIndicator;
  readonly #eventLoop: EventLoopIndicator;

  constructor(
    @Inject(HealthCheckService) health: HealthCheckService,
    @Inject(CachesIndicator) caches: CachesIndicator,
    @Inject(LeaseIndicator) lease: LeaseIndicator,
    @Inject(PermissionsIndicator) permissions: PermissionsIndicator,
    @Inject(ShutdownIndicator) shutdown: ShutdownIndicator,
    @Inject(EventLoopIndicator) eventLoop: EventLoopIndicator,
  ) {
    this.#health = health;
    this.#caches = caches;
    this.#lease = lease;
    this.#permissions = permissions;
    this.#shutdown = shutdown;
    this.#eventLoop = eventLoop;
  }

  @Get('healthz')
  healthz(): Promise<HealthCheckResult> {
    return this.#health.check([() => this.#lease.isAlive(), () => this.#eventLoop.isAlive()]);
  }

  @Get('readyz')
  readyz(): Promise<HealthCheckResult> {
    return this.#health.check([
      () => this.#shutdown.isReady(),
      () => this.#caches.isReady(),
      () => this.#lease.isReady(),
      () => this.#permissions.isReady(),
    ]);
  }
}
