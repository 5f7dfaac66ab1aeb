/**
 * The plan of a reconcile run, made by `planJob` and carried out by `execute`: first the status, so that it is recorded
 * before other writes can hide its cause, then the events, then the writes in their order (`write-order.ts`).
 */
import type { Decision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { StatusWrite } from '../model/status-write.ts';
import type { Write } from '../model/write.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { PlanSettings, World } from '../world/world.ts';

export interface Plan extends Pick<Decision, 'validForMs' | 'questions' | 'requeueAfterMs'> {
  /** Undefined if the status does not change. If the write fails, the rest of the plan is not carried out. */
  readonly status?: StatusWrite;
  readonly events: readonly PlannedEvent[];
  /** In the order of execution. */
  readonly writes: readonly Write[];
  /**
   * What the job lacks: the keys of pending writes such as `CreatePod`, including delayed ones, and the reasons why
   * objects are not created.
   */
  readonly lacks: { readonly writes: readonly string[]; readonly because: Decision['shortages'] };
}

export interface PlannedPass {
  readonly adapter: FrameworkAdapter;
  readonly settings: PlanSettings;
  readonly world: World;
  readonly plan: Plan;
}
