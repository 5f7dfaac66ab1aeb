/**
 * Turns the operator's list of problems, which can be asked for at any time, into log lines: one when a problem
 * appears, one when the operator becomes ready. A problem has to be seen twice in a row before it is logged, because
 * for a moment after the start there always is one (caches that are still filling).
 */
import type { Logger } from '@muster/kube';

export class ProblemLog {
  readonly #logger: Logger;
  #before: readonly string[] = [];
  #logged = new Set<string>();
  #ready = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  look(problems: readonly string[]): void {
    if (problems.length === 0) {
      if (!this.#ready) this.#logger.info('ready');
      this.#logged.clear();
    }
    for (const problem of problems) {
      if (this.#before.includes(problem) && !this.#logged.has(problem)) {
        this.#logger.warn(`not ready: ${problem}`);
        this.#logged.add(problem);
      }
    }
    this.#logged = new Set([...this.#logged].filter((problem) => problems.includes(problem)));
    this.#ready = problems.length === 0;
    this.#before = problems;
  }
}
