import type { FrameworkAdapter } from '../contract/adapter.ts';
import { statusOf } from '../contract/read-manifest.ts';
import type { StatusDecision } from '../model/decision.ts';
import type { StatusWrite } from '../model/status-write.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { mergePatch } from '../model/merge-patch.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { World } from '../world/world.ts';
import { statusCounts } from './transitions.ts';

export interface ReadJob {
  readonly job: TrainingJob;
  readonly replicas: readonly ReplicaPod[];
}

const NOTHING_COUNTED = { counters: [], restartCauses: [], latencies: [] };

/**
 * @param decided undefined to keep the record
 * @param read undefined if the manifest cannot be read
 */
export function statusWrite(
  adapter: FrameworkAdapter,
  decided: StatusDecision | undefined,
  world: World,
  read: ReadJob | undefined,
): StatusWrite | undefined {
  const { manifest } = world;
  const onRecord = statusOf(adapter, manifest);
  const status = decided?.after ?? onRecord;
  const isChanged = mergePatch(onRecord, status) !== undefined;
  const counts = decided !== undefined && isChanged ? statusCounts(decided) : NOTHING_COUNTED;
  const seen = { manifest, job: read && { ...read.job, status }, replicas: read?.replicas ?? [], context: world };
  const shown = adapter.status?.encode?.(status, seen);
  if (shown === undefined) return isChanged ? { status, ...counts } : undefined;
  const { recordIn } = adapter.status ?? {};
  const stored = recordIn === undefined ? shown : { ...shown, [recordIn]: status };
  return mergePatch(manifest.status ?? {}, stored) === undefined ? undefined : { status, ...counts, stored };
}
