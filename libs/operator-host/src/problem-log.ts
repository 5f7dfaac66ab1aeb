/**
 * Turns the operator's list of problems, which can be asked for at any time, into log lines: one when a problem
 * appears, one when the operator becomes ready. A problem has to be seen several times in a row before it is logged,
 * because for a moment after the start there always is one (caches that are still filling).
 */
import type { Logger } from '@muster/kube';

/** How many looks in a row make a problem. */
const LOOKS = 4;

export class ProblemLog {
  readonly #logger: Logger;
  /** How often in a row each was seen. */
  #seen = new Map<string, number>();
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
