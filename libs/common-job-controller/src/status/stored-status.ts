/** The form in which a job's status is stored, for kinds whose status is not Kubeflow's. */
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { statusOf } from '../contract/read-manifest.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { mergePatch } from '../owned-resources/merge-patch.ts';
import type { ReplicaPod } from '../pods/replica-pods.ts';
import { operationsOf, type Plan } from '../reconcile/plan.ts';
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
  const codec = adapter.status;
  const planned = operationsOf(plan, 'status')[0];
  const isHeldBack = planned === undefined && plan.unwritten !== undefined;
  if (codec?.encode === undefined || isHeldBack) return plan;
  const { manifest } = world;
  const operation = planned ?? {
    ...{ op: 'status', status: statusOf(adapter, manifest) },
    ...{ counters: [], restartCauses: [], latencies: [] },
  };
  const { status } = operation;
  const job = read && { ...read.job, status };
  const shown = codec.encode(status, { manifest, job, replicas: read?.replicas ?? [], context: world });
  const stored = codec.recordIn === undefined ? shown : { ...shown, [codec.recordIn]: status };
  const isNews = mergePatch(manifest.status ?? {}, stored) !== undefined;
  const others = plan.operations.filter(({ op }) => op !== 'status');
  return { ...plan, operations: isNews ? [{ ...operation, op: 'status', stored }, ...others] : others };
}
