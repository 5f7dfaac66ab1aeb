/** The part of the World that an adapter may read beside replicas. It must be a function of the World, so that plans are repeatable. */
import type { Pod } from '@muster/job-api';
import type { ProbeResults } from '@muster/probes';
import type { OwnedResource } from './owned-resources.ts';
import type { Referenced } from './reference.ts';
import type { StateAges } from './state-ages.ts';

export interface JobContext {
  /** Pods with the job's labels, also those of other controllers. */
  readonly pods: readonly Pod[];
  readonly ownedResources: readonly OwnedResource[];
  readonly references: readonly Referenced[];
  readonly probeResults: ProbeResults;
  /** How long the operator has observed each state, see `agingStates`. */
  readonly stateAges: StateAges;
  readonly nowMs: number;
}

export const NO_CONTEXT: JobContext = {
  ...{ pods: [], ownedResources: [], references: [] },
  ...{ probeResults: new Map(), stateAges: new Map(), nowMs: 0 },
};
