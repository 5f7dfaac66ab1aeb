/**
 * The next step of an incremental upgrade: how much of its replicas each of the two clusters runs (target capacity), and how much of the
 * traffic it gets. An upgrade moves both from the active to the pending cluster, a rollback moves them back.
 *
 * In each state the traffic of both sides is 100 % in total. A side that serves never gets more traffic than it has capacity, and both
 * capacities are at least 100 % in total, so a step adds capacity before it moves traffic, and removes capacity last.
 */

export interface IncrementalOptions {
  readonly maxSurgePercent: number;
  readonly stepSizePercent: number;
  readonly intervalSeconds: number;
}

export interface IncrementalSide {
  readonly clusterName: string;
  readonly exists: boolean;
  readonly isHeadReady: boolean;
  /** By an answer that is newer than the last submission with the present capacity: every application is RUNNING. */
  readonly isReady: boolean;
  readonly hasReadyEndpoint: boolean;
  readonly targetCapacity: number;
  readonly trafficRoutedPercent: number;
  /** Undefined if its traffic was never changed. */
  readonly lastTrafficMigratedMs?: number;
}

export interface IncrementalView {
  readonly options: IncrementalOptions;
  readonly active: IncrementalSide;
  readonly pending: IncrementalSide;
  /** The cluster that has the desired spec. */
  readonly goal: 'Active' | 'Pending' | 'Other';
  readonly wasRollingBack: boolean;
  /** Why the Gateway does not route by the present weights. */
  readonly routeProblem: string | undefined;
  readonly nowMs: number;
}

export interface SideStep {
  readonly targetCapacity: number;
  readonly trafficRoutedPercent: number;
  readonly lastTrafficMigratedMs?: number;
}

export interface IncrementalStep {
  readonly active: SideStep;
  readonly pending: SideStep;
  /** `Promoted`: the pending cluster is the active one now. `RolledBack`: the pending cluster is not needed any more. */
  readonly end?: 'Promoted' | 'RolledBack';
  readonly rollsBack: boolean;
  /** The state in one line. */
  readonly message: string;
  /** When the next step may be due although nothing changes. */
  readonly recheckAfterMs?: number;
}

/** After a step, so that the next one sees its effect. */
const NEXT_STEP_MS = 2000;

export function incrementalStep(view: IncrementalView): IncrementalStep {
  const { active, goal } = view;
  const rollsBack = goal !== 'Pending' && active.exists;
  return (
    ended(view, rollsBack) ??
    withoutActive(view) ??
    takeOver(view, rollsBack) ??
    towards(view, rollsBack ? BACK : FORTH)
  );
}

interface Direction {
  readonly rollsBack: boolean;
  /** The side that gets traffic, and the one that loses it. */
  readonly to: 'active' | 'pending';
  readonly from: 'active' | 'pending';
}

const FORTH: Direction = { rollsBack: false, to: 'pending', from: 'active' };
const BACK: Direction = { rollsBack: true, to: 'active', from: 'pending' };

function ended(view: IncrementalView, rollsBack: boolean): IncrementalStep | undefined {
  const { active, pending } = view;
  if (rollsBack) {
    const isActiveWhole = active.targetCapacity === 100 && active.trafficRoutedPercent === 100;
    const isPendingDone = pending.targetCapacity === 0 && pending.trafficRoutedPercent === 0;
    if (!isActiveWhole || (!isPendingDone && pending.isHeadReady)) return undefined;
    const message = `RayCluster ${active.clusterName} serves all requests again`;
    return { ...stay(view, rollsBack, message), end: 'RolledBack' };
  }
  if (active.targetCapacity !== 0 || pending.trafficRoutedPercent !== 100 || !serves(pending)) return undefined;
  return { ...stay(view, rollsBack, `RayCluster ${pending.clusterName} serves all requests`), end: 'Promoted' };
}

/** There is no rollback to a lost cluster: the pending one becomes the active one, and an upgrade from it follows if its spec is not the goal. */
function withoutActive(view: IncrementalView): IncrementalStep | undefined {
  const { active, pending, goal } = view;
  if (active.exists) return undefined;
  const step = shift(view, { rollsBack: false, active: [0, 0], pending: [100, 100] });
  const message = `RayCluster ${active.clusterName} is lost: RayCluster ${pending.clusterName} gets all requests`;
  return { ...step, message, ...(goal !== 'Pending' && { end: 'Promoted' as const }) };
}

/** A dead side would lose its share of the requests. If the other side serves, it gets all of them, and runs all its replicas. */
function takeOver(view: IncrementalView, rollsBack: boolean): IncrementalStep | undefined {
  const { active, pending } = view;
  const [isActiveDead, isPendingDead] = [isDead(active), isDead(pending)];
  if (isActiveDead === isPendingDead) return undefined;
  const [dead, other] = isActiveDead ? [active, pending] : [pending, active];
  if (dead.trafficRoutedPercent === 0 && other.targetCapacity === 100) return undefined;
  const names = `no replica of RayCluster ${dead.clusterName} is ready: RayCluster ${other.clusterName}`;
  if (serves(other)) {
    const whole = isActiveDead ? { active: NONE, pending: ALL } : { active: ALL, pending: NONE };
    return { ...shift(view, { rollsBack, ...whole }), message: `${names} gets all requests` };
  }
  const [kept, started] = [shareOf(dead), [100, other.trafficRoutedPercent] as const];
  const shares = isActiveDead ? { active: kept, pending: started } : { active: started, pending: kept };
  return { ...shift(view, { rollsBack, ...shares }), message: `${names} is started, to get all requests` };
}

/** Target capacity and traffic, in percent. */
type Share = readonly [targetCapacity: number, trafficRoutedPercent: number];

interface Shares {
  active: Share;
  pending: Share;
}

const ALL: Share = [100, 100];
const NONE: Share = [0, 0];

function shareOf({ targetCapacity, trafficRoutedPercent }: IncrementalSide): Share {
  return [targetCapacity, trafficRoutedPercent];
}

/** A side without head and endpoints. With fault tolerance the workers of a lost head serve on. */
function isDead({ exists, isHeadReady, hasReadyEndpoint }: IncrementalSide): boolean {
  return !exists || (!isHeadReady && !hasReadyEndpoint);
}

/** An endpoint alone does not show a replica: the head's proxy is ready without one. */
function serves({ exists, isReady, hasReadyEndpoint, targetCapacity, trafficRoutedPercent }: IncrementalSide): boolean {
  return exists && hasReadyEndpoint && (isReady ? targetCapacity > 0 : trafficRoutedPercent > 0);
}

/** Moves traffic up to the capacity of the side that gets it; once it has that, changes a capacity. */
function towards(view: IncrementalView, direction: Direction): IncrementalStep {
  const { [direction.to]: to } = view;
  // An unaccepted route must not block the end of a pending cluster that never got traffic.
  const isRouteUsed = view.active.trafficRoutedPercent !== 100 || !direction.rollsBack;
  if (view.routeProblem !== undefined && isRouteUsed) {
    return stay(view, direction.rollsBack, `the Gateway does not route by the present weights: ${view.routeProblem}`);
  }
  const steps = to.trafficRoutedPercent === to.targetCapacity ? moveCapacity : moveTraffic;
  return steps(view, direction);
}

function moveTraffic(view: IncrementalView, direction: Direction): IncrementalStep {
  const { options, nowMs } = view;
  const { rollsBack } = direction;
  const { [direction.to]: to } = view;
  const waiting = notReady(to);
  if (waiting !== undefined) return stay(view, rollsBack, waiting);
  const dueMs = lastMigrationMs(view) + options.intervalSeconds * 1000;
  if (dueMs > nowMs) {
    // Without the remaining time: it would change the status in each run.
    return { ...stay(view, rollsBack, shares(view.active, view.pending)), recheckAfterMs: dueMs - nowMs };
  }
  const step = Math.max(1, options.stepSizePercent);
  const traffic = Math.min(100, to.trafficRoutedPercent + step, to.targetCapacity);
  const { [direction.from]: from } = view;
  const next: Shares = {
    active: NONE,
    pending: NONE,
    [direction.to]: [to.targetCapacity, traffic],
    [direction.from]: [from.targetCapacity, 100 - traffic],
  };
  return shift(view, { rollsBack, ...next });
}

function lastMigrationMs({ active, pending }: IncrementalView): number {
  return Math.max(active.lastTrafficMigratedMs ?? -Infinity, pending.lastTrafficMigratedMs ?? -Infinity);
}

function moveCapacity(view: IncrementalView, direction: Direction): IncrementalStep {
  const { active, pending, options } = view;
  const { [direction.to]: to, [direction.from]: from } = view;
  const surge = Math.max(1, options.maxSurgePercent);
  const isLowered = active.targetCapacity + pending.targetCapacity > 100;
  // In a rollback the pending cluster is given up, whatever its state and that of the active one.
  const waiting = isLowered && !direction.rollsBack ? notReady(to) : undefined;
  if (waiting !== undefined) return stay(view, direction.rollsBack, waiting);
  const lowered = Math.max(from.targetCapacity - surge, from.trafficRoutedPercent, 0);
  const raised = Math.min(to.targetCapacity + surge, 100);
  const next: Shares = { active: shareOf(active), pending: shareOf(pending) };
  if (isLowered) next[direction.from] = [lowered, from.trafficRoutedPercent];
  else next[direction.to] = [raised, to.trafficRoutedPercent];
  return shift(view, { rollsBack: direction.rollsBack, ...next });
}

function notReady({
  clusterName,
  exists,
  isHeadReady,
  isReady,
  hasReadyEndpoint,
}: IncrementalSide): string | undefined {
  if (!exists) return `waits for RayCluster ${clusterName}, which does not exist yet`;
  if (!isHeadReady) return `waits for the head of RayCluster ${clusterName}`;
  if (!isReady) return `waits until all applications on RayCluster ${clusterName} are RUNNING`;
  if (!hasReadyEndpoint) return `waits for a ready endpoint of RayCluster ${clusterName}`;
  return undefined;
}

interface Shift extends Readonly<Shares> {
  readonly rollsBack: boolean;
}

function shift(view: IncrementalView, { rollsBack, active, pending }: Shift): IncrementalStep {
  const next = {
    active: sideStep(view.active, active, view.nowMs),
    pending: sideStep(view.pending, pending, view.nowMs),
  };
  const isChanged = !isSameShare(view.active, active) || !isSameShare(view.pending, pending);
  const message = shares({ ...view.active, ...next.active }, { ...view.pending, ...next.pending });
  return {
    ...next,
    rollsBack,
    message: withRollback(view, rollsBack, message),
    ...(isChanged && { recheckAfterMs: NEXT_STEP_MS }),
  };
}

function stay(view: IncrementalView, rollsBack: boolean, message: string): IncrementalStep {
  const { active, pending, nowMs } = view;
  return {
    active: sideStep(active, shareOf(active), nowMs),
    pending: sideStep(pending, shareOf(pending), nowMs),
    rollsBack,
    message: withRollback(view, rollsBack, message),
  };
}

function sideStep(side: IncrementalSide, [targetCapacity, trafficRoutedPercent]: Share, nowMs: number): SideStep {
  const movedMs = side.trafficRoutedPercent === trafficRoutedPercent ? side.lastTrafficMigratedMs : nowMs;
  return { targetCapacity, trafficRoutedPercent, ...(movedMs !== undefined && { lastTrafficMigratedMs: movedMs }) };
}

function isSameShare(side: IncrementalSide, share: Share): boolean {
  return side.targetCapacity === share[0] && side.trafficRoutedPercent === share[1];
}

function withRollback({ wasRollingBack }: IncrementalView, rollsBack: boolean, message: string): string {
  if (rollsBack) return `rolls back: ${message}`;
  return wasRollingBack ? `the rollback is cancelled: ${message}` : message;
}

function shares(active: IncrementalSide, pending: IncrementalSide): string {
  return [active, pending]
    .map(
      (side) =>
        `RayCluster ${side.clusterName} has ${side.targetCapacity} % capacity, ${side.trafficRoutedPercent} % traffic`,
    )
    .join('; ');
}
