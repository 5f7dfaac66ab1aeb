/**
 * Turns the operator's list of problems, which can be asked for at any time, into log lines: one when a problem
 * appears, one when the operator becomes ready. A problem has to be seen several times in a row before it is logged,
 * because for a moment after the start there always is one (caches that are still filling).
 */
import type { JobOperator } from '@muster/common-job-controller';
import type { Logger } from '@muster/kube';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { JOB_OPERATOR, LOGGER } from './tokens.ts';

/** Not more often: where nothing else happens, being woken is what an operator costs. */
const LOOK_EVERY_MS = 1000;
/** How many looks in a row make a problem. */
const LOOKS = 2;

@Injectable()
export class ProblemLog implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #operator: Pick<JobOperator, 'problems'>;
  readonly #logger: Logger;
  #looks: NodeJS.Timeout | undefined;
  /** How often in a row each was seen. */
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
