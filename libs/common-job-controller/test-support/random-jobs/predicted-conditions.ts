/**
 * The conditions that a job is predicted to have, in Kubeflow's order: what came about last stands last, and an end leaves
 * Running where it was, as false.
 */
import { conditionLine } from './standing.ts';

type ConditionType = 'Created' | 'Running' | 'Suspended' | 'Succeeded' | 'Failed';

interface PredictedCondition {
  readonly type: ConditionType;
  readonly holds: boolean;
  readonly reason: string;
}

export class PredictedConditions {
  #all: readonly PredictedCondition[] = [];

  created(): void {
    this.#say({ type: 'Created', holds: true, reason: 'PyTorchJobCreated' });
  }

  running(): void {
    if (this.#holds('Suspended')) this.#say({ type: 'Suspended', holds: false, reason: 'PyTorchJobResumed' });
    if (!this.#holds('Running')) this.#say({ type: 'Running', holds: true, reason: 'PyTorchJobRunning' });
  }

  suspended(): void {
    const reason = 'PyTorchJobSuspended';
    if (this.#holds('Running')) this.#say({ type: 'Running', holds: false, reason });
    this.#say({ type: 'Suspended', holds: true, reason });
  }

  ended(type: 'Succeeded' | 'Failed', reason: string): void {
    this.#all = this.#all.map((each) => (each.type === 'Running' ? { ...each, holds: false } : each));
    this.#say({ type, holds: true, reason });
  }

  /** Each in one line, as `conditionLine` writes it. */
  get lines(): string[] {
    return this.#all.map(({ type, holds, reason }) =>
      conditionLine({ type, reason, status: holds ? 'True' : 'False' }),
    );
  }

  #holds(type: ConditionType): boolean {
    return this.#all.some((each) => each.type === type && each.holds);
  }

  #say(next: PredictedCondition): void {
    this.#all = [...this.#all.filter(({ type }) => type !== next.type), next];
  }
}
