/** What the planning of one reconcile run goes by: made once, and given to each stage. */
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

/** The same once the manifest is read, and the job has its size and its replicas. */
export interface JobPlanContext extends PlanContext, JobGang {
  readonly job: TrainingJob;
  readonly replicas: JobReplicas;
  /** Why the present spec cannot be applied to a job that runs. Undefined: it is applied. */
  readonly unapplied?: string | undefined;
  /** Why no pods can be created, by the queue. */
  readonly queueLack?: Shortage | undefined;
  /** Of an elastic job that may run. */
  readonly elastic?: ElasticStep | undefined;
}

export interface JobGang {
  /** Undefined where none does. */
  readonly gang: GangScheduler | undefined;
  /** Why no pods can be made for it. */
  readonly gangLack?: string;
}

/** What follows for an elastic job in a pass. */
export interface ElasticStep {
  readonly status: ElasticStatus;
  /** How many replicas the role has from now on. */
  readonly size: number;
  /** The pods that go first where that is fewer than before, by name. */
  readonly givenUp?: ReadonlySet<string>;
  readonly events: readonly PlannedEvent[];
  readonly requeueAfterMs: number | undefined;
}
