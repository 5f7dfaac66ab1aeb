/**
 * The upgrade strategy NewClusterWithIncrementalUpgrade, which moves capacity and requests in steps
 * (`serve/incremental-step.ts`): from the observed clusters to the next shares.
 */
import { momentOf } from '@muster/job-api';
import { timeOf } from '../model/time-of.ts';
import { incrementalStep, type IncrementalSide, type SideStep } from '../serve/incremental-step.ts';
import { matchOf } from './cluster-goal.ts';
import type { ObservedCluster, ObservedService } from './observed-service.ts';
import { readyPods } from './serve-endpoints.ts';
import type { ServeState } from './serve-state.ts';
import { conditionIn, type SideRecord } from './service-record.ts';

export const INCREMENTAL = 'NewClusterWithIncrementalUpgrade';

export function isIncremental({ spec, invalid }: ObservedService): boolean {
  return invalid === undefined && spec.upgradeStrategy?.type === INCREMENTAL;
}

/** Shares of the clusters at the start of an upgrade. A first cluster has all. */
export const WHOLE = { targetCapacity: 100, trafficRoutedPercent: 100 };
export const NOTHING_YET = { targetCapacity: 0, trafficRoutedPercent: 0 };

interface SteppedSides {
  readonly active: SideRecord;
  readonly pending?: SideRecord;
  readonly isPromoted: boolean;
  readonly rollsBack: boolean;
  /** In one line, without times. */
  readonly message: string;
  readonly recheckAfterMs?: number;
}

interface Side {
  readonly record: SideRecord;
  readonly cluster: ObservedCluster | undefined;
  readonly state: ServeState | undefined;
}

export function steppedSides(observed: ObservedService, active: Side, pending: Side): SteppedSides {
  const {
    maxSurgePercent = 100,
    stepSizePercent = 100,
    intervalSeconds = 0,
  } = observed.spec.upgradeStrategy?.clusterUpgradeOptions ?? {};
  const { end, rollsBack, message, recheckAfterMs, ...next } = incrementalStep({
    options: { maxSurgePercent, stepSizePercent, intervalSeconds },
    active: viewOf(active, WHOLE),
    pending: viewOf(pending, NOTHING_YET),
    goal: goalOf(observed, active.cluster, pending.cluster),
    wasRollingBack: isRollingBack(observed),
    routeProblem: observed.routeProblem,
    nowMs: observed.nowMs,
  });
  const sides = { active: withShares(active, next.active), pending: withShares(pending, next.pending) };
  const rest = {
    rollsBack,
    message,
    ...(recheckAfterMs !== undefined && { recheckAfterMs }),
  };
  if (end === 'Promoted') return { active: sides.pending, isPromoted: true, ...rest };
  if (end === 'RolledBack') return { active: sides.active, isPromoted: false, ...rest };
  return { ...sides, isPromoted: false, ...rest };
}

export function isRollingBack({ record }: ObservedService): boolean {
  return conditionIn(record.conditions, 'RollbackInProgress')?.status === 'True';
}

/** Which cluster has the wanted spec. A cluster that does not exist yet will be created from it. */
function goalOf(
  { spec }: ObservedService,
  active: ObservedCluster | undefined,
  pending: ObservedCluster | undefined,
): 'Active' | 'Pending' | 'Other' {
  const isGoal = (cluster: ObservedCluster) => matchOf(cluster.object, spec.rayClusterConfig) !== 'Different';
  if (active !== undefined && isGoal(active)) return 'Active';
  return pending === undefined || isGoal(pending) ? 'Pending' : 'Other';
}

function viewOf({ record, cluster, state }: Side, usual: typeof WHOLE): IncrementalSide {
  const { targetCapacity = usual.targetCapacity, trafficRoutedPercent = usual.trafficRoutedPercent } = record;
  const lastTrafficMigratedMs = momentOf(record.lastTrafficMigratedTime);
  return {
    clusterName: record.name,
    exists: cluster !== undefined && !cluster.isBeingDeleted,
    isHeadReady: cluster?.isHeadReady === true,
    isReady: state?.isServing === true,
    hasReadyEndpoint: cluster !== undefined && readyPods(cluster).length > 0,
    targetCapacity,
    trafficRoutedPercent,
    ...(lastTrafficMigratedMs !== undefined && { lastTrafficMigratedMs }),
  };
}

function withShares({ record, state }: Side, { lastTrafficMigratedMs, ...shares }: SideStep): SideRecord {
  const time = lastTrafficMigratedMs === undefined ? {} : { lastTrafficMigratedTime: timeOf(lastTrafficMigratedMs) };
  return { ...record, ...state?.record, ...shares, ...time };
}
