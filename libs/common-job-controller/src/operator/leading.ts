/** Whether this process is the leader, or runs without leader election. */
import type { TermWork } from '@muster/controller';

export class Leading {
  #isOn = false;

  get isOn(): boolean {
    return this.#isOn;
  }

  during(work: TermWork): TermWork {
    return {
      start: () => {
        this.#isOn = true;
        work.start();
      },
      abort: (reason) => {
        this.#isOn = false;
        work.abort(reason);
      },
      stop: (deadlineMs) => {
        this.#isOn = false;
        return work.stop(deadlineMs);
      },
    };
  }
}
