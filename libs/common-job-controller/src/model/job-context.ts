/** What of the World a kind may look at beside its replicas. The same World gives the same context, so plans stay repeatable. */
import type { Pod } from '@muster/job-api';
import type { Facts } from './fact.ts';
import type { OwnedResource } from './owned-resources.ts';
import type { Referenced } from './reference.ts';
import type { StateAges } from './state-ages.ts';

export interface JobContext {
  /** With the job's labels, whoever controls them. */
  readonly pods: readonly Pod[];
  /** What the job controls beside pods and Services, as the caches show it. */
  readonly ownedResources: readonly OwnedResource[];
  /** What its spec refers to. */
  readonly references: readonly Referenced[];
  /** What was asked of the outside. */
  readonly facts: Facts;
  /** For how long the operator has seen what changes with time, see `agingStates`. */
  readonly stateAges: StateAges;
  /** When that was, by the wall clock. */
  readonly nowMs: number;
}

/** Of a job of which nothing is known but its manifest. */
export const NO_CONTEXT: JobContext = {
  ...{ pods: [], ownedResources: [], references: [] },
  ...{ facts: new Map(), stateAges: new Map(), nowMs: 0 },
};
