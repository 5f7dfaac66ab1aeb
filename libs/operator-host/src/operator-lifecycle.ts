/**
 * Starts and stops the operator at the right moments of the process's life: after the probes can be asked, and before
 * they go away, so that a drain can be watched from outside.
 */
import type { JobOperator } from '@muster/common-job-controller';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { JOB_OPERATOR } from './tokens.ts';

@Injectable()
export class OperatorLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #operator: JobOperator;
  #stage: 'running' | 'stopping' | 'stopped' = 'running';

  constructor(@Inject(JOB_OPERATOR) operator: JobOperator) {
    this.#operator = operator;
  }

  async onApplicationBootstrap(): Promise<void> {
    // A signal may come while the process is still starting.
    if (this.#stage === 'running') await this.#operator.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stage = 'stopping';
    await this.#operator.stop();
    this.#stage = 'stopped';
  }

  get isShuttingDown(): boolean {
    return this.#stage !== 'running';
  }

  /** What a shutdown waits for now. */
  get waitingFor(): string {
    return this.#stage === 'stopped' ? 'the HTTP server' : 'the operator';
  }
}
