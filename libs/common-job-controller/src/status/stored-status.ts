/** The form in which a job's status is stored, for kinds whose status is not Kubeflow's. */
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { statusOf } from '../contract/read-manifest.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { mergePatch } from '../owned-resources/merge-patch.ts';
import type { ReplicaPod } from '../pods/replica-pods.ts';
import type { Plan } from '../reconcile/plan.ts';
import type { World } from '../reconcile/world.ts';

/** A job as it was read for a plan. */
export interface ReadJob {
  readonly job: TrainingJob;
  readonly replicas: readonly ReplicaPod[];
}

/**
 * `plan` with the status as it is to be stored. What a kind shows beside the engine's record may change by itself, and is written
 * then. A status that is held back is not.
 */
export function withStoredStatus(adapter: FrameworkAdapter, plan: Plan, world: World, read: ReadJob | undefined): Plan {
  const { encode } = adapter.status ?? {};
  const isHeldBack = plan.status === undefined && plan.unwritten !== undefined;
  if (encode === undefined || isHeldBack) return plan;
  const { manifest } = world;
  const status = plan.status ?? statusOf(adapter, manifest);
  const job = read && { ...read.job, status };
  const stored = encode(status, { manifest, job, replicas: read?.replicas ?? [], context: world });
  const isNews = mergePatch(manifest.status ?? {}, stored) !== undefined;
  const { status: _status, ...rest } = plan;
  return isNews ? { ...rest, status, stored } : { ...rest, status: undefined };
}
