import type { ElasticStatus } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { JobReplicas } from '../model/replica-pod.ts';
import type { Shortage } from '../model/shortage.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { PlanSettings, World } from './world.ts';

export interface PlanContext {
  readonly adapter: FrameworkAdapter;
  readonly world: World;
  readonly settings: PlanSettings;
}

/** The context after the manifest is read and the job's size and replicas are known. */
export interface JobPlanContext extends PlanContext, JobGang {
  readonly job: TrainingJob;
  readonly replicas: JobReplicas;
  /** Why the current spec cannot be applied to the running job. Undefined: it is applied. */
  readonly unapplied?: string | undefined;
  /** Why the queue does not allow pods to be created. */
  readonly queueShortage?: Shortage | undefined;
  readonly elastic?: ElasticStep | undefined;
}

export interface JobGang {
  readonly gang: GangScheduler | undefined;
  /** Why no pods can be created for the gang. */
  readonly gangShortage?: string;
}

export interface ElasticStep {
  readonly status: ElasticStatus;
  readonly size: number;
  /** Names of the pods that are deleted first if the size decreases. */
  readonly deletedFirst?: ReadonlySet<string>;
  readonly events: readonly PlannedEvent[];
  readonly requeueAfterMs: number | undefined;
}
