/**
 * Starts and stops the operator at the right moments of the process's life: after the probes can be asked, and before
 * they go away, so that a drain can be watched from outside.
 */
import type { JobOperator } from '@muster/common-job-controller';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { EventLoopLag } from './event-loop-lag.ts';
import type { OperatorRuntime } from './operator-runtime.ts';
import { ProblemLog } from './problem-log.ts';
import { JOB_OPERATOR, OPERATOR_RUNTIME } from './tokens.ts';

const LOOK_EVERY_MS = 500;

@Injectable()
export class OperatorLifecycle implements BeforeApplicationShutdown {
  readonly #operator: JobOperator;
  readonly #runtime: OperatorRuntime;
  readonly #lag: EventLoopLag;
  #looks: NodeJS.Timeout | undefined;
  #stopping = false;
  #stopped = false;

  constructor(
    @Inject(JOB_OPERATOR) operator: JobOperator,
    @Inject(OPERATOR_RUNTIME) runtime: OperatorRuntime,
    @Inject(EventLoopLag) lag: EventLoopLag,
  ) {
    this.#operator = operator;
    this.#runtime = runtime;
    this.#lag = lag;
  }

  async start(): Promise<void> {
    const problemLog = new ProblemLog(this.#runtime.logger);
    this.#lag.start();
    this.#looks = setInterval(() => problemLog.look(this.#operator.problems()), LOOK_EVERY_MS);
    await this.#operator.start();
  }

  /** What keeps it from being ready, in words; empty when ready. */
  problems(): string[] {
    return this.#stopping ? ['the operator is shutting down'] : this.#operator.problems();
  }

  /** What a shutdown waits for now. */
  get waitingFor(): string {
    return this.#stopped ? 'the HTTP server' : 'the operator';
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#looks);
    await this.#operator.stop();
    this.#stopped = true;
  }
}
