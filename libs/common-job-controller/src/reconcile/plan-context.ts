/** What the planning of one reconcile run goes by: made once, and given to each stage. */
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { ElasticStep } from '../elastic/fit-to-capacity.ts';
import type { JobGang } from '../gang/gang-of.ts';
import type { TrainingJob } from '../model/training-job.ts';
import type { JobReplicas } from '../pods/job-replicas.ts';
import type { Shortage } from '../status/replica-failure.ts';
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
