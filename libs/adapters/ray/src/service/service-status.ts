/** The public status of a RayService, in KubeRay's format. */
import type { StatusView } from '@muster/common-job-controller';
import type { JobStatus, RayService, RayServiceClusterStatus, RayServiceStatus } from '@muster/job-api';
import { timeOf } from '../model/time-of.ts';
import type { ObservedService } from './observed-service.ts';
import { conditionIn, type SideRecord } from './service-record.ts';
import { invalidConditions, serviceConditions } from './service-conditions.ts';
import type { ServiceStep } from './service-step.ts';

export interface EvaluatedService {
  readonly manifest: RayService;
  readonly observed: ObservedService;
  readonly step: ServiceStep;
}

export function rayServiceStatus(
  record: JobStatus,
  { manifest, job, context }: StatusView<RayService, EvaluatedService>,
): RayServiceStatus {
  const { muster: _record, ...before } = manifest.status ?? {};
  const { generation = 0 } = manifest.metadata ?? {};
  const { observedGeneration } = record;
  const now = timeOf(context.nowMs);
  const status: RayServiceStatus = {
    ...(job === undefined
      ? { ...before, conditions: invalidConditions(record, before.conditions ?? [], generation, context.nowMs) }
      : shownOf(record, job.options)),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
  const isNews = JSON.stringify(sorted(decisive(status))) !== JSON.stringify(sorted(decisive(before)));
  // Copies of the clusters' status alone are no reason to write.
  return isNews ? { ...status, lastUpdateTime: now } : before;
}

function shownOf(record: JobStatus, { observed, step }: EvaluatedService): RayServiceStatus {
  const { generation, nowMs, invalid } = observed;
  const view = { before: observed.record.conditions, step, invalid, generation, nowMs };
  const conditions = serviceConditions(record, view);
  const isReady = conditionIn(conditions, 'Ready')?.status === 'True';
  return {
    ...(isReady && { serviceStatus: 'Running' }),
    numServeEndpoints: step.endpoints,
    conditions,
    activeServiceStatus: sideOf(observed, step.active),
    pendingServiceStatus: sideOf(observed, step.pending),
  };
}

function sideOf({ clusters }: ObservedService, side: SideRecord | undefined): RayServiceClusterStatus {
  if (side === undefined) return {};
  const { name, ...rest } = side;
  const { muster: _record, ...copy } = clusters.find((each) => each.name === name)?.object.status ?? {};
  return { rayClusterName: name, ...rest, ...(Object.keys(copy).length > 0 && { rayClusterStatus: copy }) };
}

/** Without what alone is no reason to write. */
function decisive({ lastUpdateTime: _time, activeServiceStatus, pendingServiceStatus, ...rest }: RayServiceStatus) {
  const [active, pending] = [activeServiceStatus, pendingServiceStatus].map((side) => {
    const { rayClusterStatus: _copy, ...own } = side ?? {};
    return own;
  });
  return { ...rest, active, pending };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    entries.map(([key, each]) => [key, sorted(each)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
