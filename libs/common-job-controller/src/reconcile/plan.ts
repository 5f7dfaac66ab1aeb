/** Execution starts with the status, before other writes can hide its cause, then events, then writes. */
import type { Decision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { StatusWrite } from '../model/status-write.ts';
import type { Write } from '../model/write.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { PlanSettings, World } from '../world/world.ts';

export interface Plan extends Pick<Decision, 'needsAllPods' | 'validForMs' | 'probes' | 'requeueAfterMs'> {
  /** If the write fails, the rest of the plan is not carried out. */
  readonly status?: StatusWrite;
  readonly events: readonly PlannedEvent[];
  readonly writes: readonly Write[];
  /** Keys of pending writes such as `CreatePod`, including delayed ones, and why objects are not created. */
  readonly lacks: { readonly writes: readonly string[]; readonly because: Decision['shortages'] };
}

export interface PlannedRun {
  readonly adapter: FrameworkAdapter;
  readonly settings: PlanSettings;
  readonly world: World;
  readonly plan: Plan;
}
