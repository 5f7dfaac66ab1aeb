/**
 * What a reconcile run is going to do. `planJob` decides it, `execute` does it: first the status, so that what the job has become is on
 * record before anything is done that could hide why; then the events; then the writes in their order (`write-order.ts`).
 */
import type { Decision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { StatusWrite } from '../model/status-write.ts';
import type { Write } from '../model/write.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { PlanSettings, World } from '../world/world.ts';

export interface Plan extends Pick<Decision, 'validForMs' | 'questions' | 'requeueAfterMs'> {
  /** Undefined: it stays as it is. Where the write fails nothing of what follows is done. */
  readonly status?: StatusWrite;
  readonly events: readonly PlannedEvent[];
  /** In the order in which they are made. */
  readonly writes: readonly Write[];
  /** What the job lacks: its open writes, as `CreatePod`, those included that are not to be tried yet; and why objects are not created. */
  readonly lacks: { readonly writes: readonly string[]; readonly because: Decision['shortages'] };
}

export interface PlannedPass {
  readonly adapter: FrameworkAdapter;
  readonly settings: PlanSettings;
  readonly world: World;
  readonly plan: Plan;
}
