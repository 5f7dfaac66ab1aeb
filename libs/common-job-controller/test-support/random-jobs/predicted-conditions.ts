/** In Kubeflow's order: the newest condition is last. At the end of the job, Running becomes false in its place. */
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
    this.#set({ type: 'Created', holds: true, reason: 'PyTorchJobCreated' });
  }

  running(): void {
    if (this.#holds('Suspended')) this.#set({ type: 'Suspended', holds: false, reason: 'PyTorchJobResumed' });
    if (!this.#holds('Running')) this.#set({ type: 'Running', holds: true, reason: 'PyTorchJobRunning' });
  }

  suspended(): void {
    const reason = 'PyTorchJobSuspended';
    if (this.#holds('Running')) this.#set({ type: 'Running', holds: false, reason });
    this.#set({ type: 'Suspended', holds: true, reason });
  }

  ended(type: 'Succeeded' | 'Failed', reason: string): void {
    this.#all = this.#all.map((each) => (each.type === 'Running' ? { ...each, holds: false } : each));
    this.#set({ type, holds: true, reason });
  }

  get lines(): string[] {
    return this.#all.map(({ type, holds, reason }) =>
      conditionLine({ type, reason, status: holds ? 'True' : 'False' }),
    );
  }

  #holds(type: ConditionType): boolean {
    return this.#all.some((each) => each.type === type && each.holds);
  }

  #set(next: PredictedCondition): void {
    this.#all = [...this.#all.filter(({ type }) => type !== next.type), next];
  }
}
