/** Logs each problem once, and when the operator becomes ready. Caches are always unsynced right after the start. */
import type { JobOperator } from '@muster/common-job-controller';
import type { Logger } from '@muster/kube';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { JOB_OPERATOR, LOGGER } from './tokens.ts';

/** Limits the wake-ups of an idle operator. */
const LOOK_EVERY_MS = 1000;
/** Observations in a row before a problem is logged. */
const LOOKS = 2;

@Injectable()
export class ProblemLog implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #operator: Pick<JobOperator, 'problems'>;
  readonly #logger: Logger;
  #looks: NodeJS.Timeout | undefined;
  #seen = new Map<string, number>();
  #logged = new Set<string>();
  #ready = false;

  constructor(@Inject(JOB_OPERATOR) operator: Pick<JobOperator, 'problems'>, @Inject(LOGGER) logger: Logger) {
    this.#operator = operator;
    this.#logger = logger;
  }

  onApplicationBootstrap(): void {
    this.#looks = setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.#looks);
  }

  look(): void {
    const problems = this.#operator.problems();
    if (problems.length === 0) {
      if (!this.#ready) this.#logger.info('ready');
      this.#logged.clear();
    }
    this.#seen = new Map(problems.map((problem) => [problem, (this.#seen.get(problem) ?? 0) + 1]));
    for (const [problem, looks] of this.#seen) {
      if (looks < LOOKS || this.#logged.has(problem)) continue;
      this.#logger.warn(`not ready: ${problem}`);
      this.#logged.add(problem);
    }
    this.#logged = new Set([...this.#logged].filter((problem) => problems.includes(problem)));
    this.#ready = problems.length === 0;
  }
}
