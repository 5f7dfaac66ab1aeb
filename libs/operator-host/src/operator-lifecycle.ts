/** Starts the operator after the probes are served, and stops it before they close, so that a drain can be observed. */
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
    // A signal may arrive during the start.
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

  get waitingFor(): string {
    return this.#stage === 'stopped' ? 'the HTTP server' : 'the operator';
  }
}
