/** Execution starts with the status, before other writes can hide its cause, then events, then writes. */
import type { Decision } from '../model/decision.ts';
import type { StatusWrite } from '../model/status-write.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { PlanSettings, World } from '../world/world.ts';

export interface Plan extends Omit<Decision, 'status' | 'isPartial'> {
  /** If the write fails, the rest of the plan is not carried out. */
  readonly status?: StatusWrite;
  /** Keys such as `CreatePod` of the writes that are wanted and not in `writes`, such as delayed ones. */
  readonly pendingWrites: readonly string[];
}

export interface PlannedRun {
  readonly adapter: FrameworkAdapter;
  readonly settings: PlanSettings;
  readonly world: World;
  readonly plan: Plan;
}
