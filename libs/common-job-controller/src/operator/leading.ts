/** Whether this process acts on jobs now: with leader election one of an operator's processes at a time does. */
import type { TermWork } from '@muster/controller';

export class Leading {
  #isOn = false;

  get isOn(): boolean {
    return this.#isOn;
  }

  /** `work`; from its start to its end the process leads. */
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
