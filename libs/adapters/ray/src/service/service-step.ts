/**
 * What a RayService does now: which clusters it has, which of them gets the config and which the requests, and why it is
 * not ready. A pure function of spec, status, clusters, pods, answers of Ray Serve and the time.
 *
 * The name of a new cluster is in the status before the cluster exists, so an operator that stops in between continues
 * with it.
 */
import type { JobWarning, Probe } from '@muster/common-job-controller';
import type { RayClusterSpec } from '@muster/job-api';
import { RAY_ANNOTATIONS } from '../model/ray-labels.ts';
import { matchOf, type GoalMatch } from './cluster-goal.ts';
import { isIncremental, isRollingBack, NOTHING_YET, steppedSides, WHOLE } from './incremental-upgrade.ts';
import { initializingTimeoutMs } from './initializing-timeout.ts';
import type { ObservedCluster, ObservedService } from './observed-service.ts';
import { readyPods, whyNoEndpoints } from './serve-endpoints.ts';
import { serveState, type ServeState, type WantedConfig } from './serve-state.ts';
import { clusterServeService, newClusterName, serveServiceOf } from './service-names.ts';
import { conditionIn, type SideRecord } from './service-record.ts';
import { whyClusterWaits } from './why-cluster-waits.ts';

export type Suspension = 'Requested' | 'InProgress' | 'Complete';

export interface ServiceStep {
  readonly suspension?: Suspension;
  readonly active?: SideRecord;
  readonly pending?: SideRecord;
  /** The clusters in use, and what is changed in them. */
  readonly clusters: readonly WantedCluster[];
  /** The cluster that the Services select. Undefined: no Services yet. */
  readonly serves?: ObservedCluster;
  readonly calls: readonly Probe[];
  readonly endpoints: number;
  /** In one line, why there are no endpoints, and what the pending cluster waits for. */
  readonly whyNotReady: string;
  readonly whyPending: string;
  /** An incremental upgrade is reversed. */
  readonly rollsBack?: boolean;
  readonly hasTimedOut: boolean;
  readonly warnings: readonly JobWarning[];
  readonly recheckAfterMs?: number;
}

export interface WantedCluster {
  readonly name: string;
  /** Undefined: it is created from the current spec. */
  readonly existing?: ObservedCluster;
  /** It takes over sizes and added groups from the current spec. */
  readonly follows: boolean;
  /** It is no longer used, and is deleted then. */
  readonly deleteAfterMs?: number;
}

const USUAL_DELETION_DELAY_SECONDS = 60;

export function serviceStep(observed: ObservedService): ServiceStep {
  const suspension = suspensionOf(observed);
  if (suspension !== undefined) return suspended(observed, suspension);
  if (hasTimedOut(observed)) return timedOut(observed);
  return runningStep(observed);
}

/** A suspension that has begun is completed before the service may resume. */
function suspensionOf({ spec, record, objects }: ObservedService): Suspension | undefined {
  const isSuspending = conditionIn(record.conditions, 'Suspending')?.status === 'True';
  if (spec.suspend !== true && !(isSuspending && objects > 0)) return undefined;
  if (objects === 0) return 'Complete';
  return isSuspending ? 'InProgress' : 'Requested';
}

const NOTHING = { clusters: [], calls: [], endpoints: 0, whyPending: '', hasTimedOut: false, warnings: [] } as const;

function suspended({ name, objects }: ObservedService, suspension: Suspension): ServiceStep {
  const whyNotReady =
    suspension === 'Complete'
      ? `RayService ${name} is suspended`
      : `RayService ${name} is being suspended: ${objects} objects are being deleted`;
  return { ...NOTHING, suspension, whyNotReady };
}

function timeoutOf({ annotations }: ObservedService): number {
  const ms = initializingTimeoutMs(annotations[RAY_ANNOTATIONS.initializingTimeout]);
  return ms === undefined || Number.isNaN(ms) ? Infinity : ms;
}

/** Since the condition was written, in milliseconds; negative while the service may still initialize. */
function overTimeMs(observed: ObservedService): number {
  const ready = conditionIn(observed.record.conditions, 'Ready');
  if (ready?.reason !== 'Initializing') return -Infinity;
  return observed.nowMs - Date.parse(ready.lastTransitionTime) - timeoutOf(observed);
}

/** A changed spec is tried again. */
function hasTimedOut(observed: ObservedService): boolean {
  const { record, generation } = observed;
  const ready = conditionIn(record.conditions, 'Ready');
  if (ready?.reason === 'InitializingTimeout') return ready.observedGeneration === generation;
  return overTimeMs(observed) >= 0;
}

function timedOut(observed: ObservedService): ServiceStep {
  const { annotations, name, record } = observed;
  const timeout = annotations[RAY_ANNOTATIONS.initializingTimeout] ?? '';
  const known = conditionIn(record.conditions, 'Ready');
  const since = known?.reason === 'InitializingTimeout' ? known.message : undefined;
  const whyNotReady = since ?? `not ready within ${timeout}: ${known?.message ?? ''}. Change the spec to try again`;
  const old = unusedClusters(observed, []);
  return {
    ...{ ...NOTHING, ...old, whyNotReady, hasTimedOut: true },
    warnings: [{ reason: 'RayServiceInitializingTimeout', note: `RayService ${name} is ${whyNotReady}` }],
  };
}

function runningStep(observed: ObservedService): ServiceStep {
  const sides = chosenSides(observed);
  const states = servedSides(observed, sides);
  const { active, pending, isPromoted, rollback, note, recheckAfterMs: stepMs } = nextSides(observed, sides, states);
  const inUse = [active, pending].flatMap((side) => side ?? []);
  const used = inUse.flatMap(({ name }): WantedCluster[] => {
    const existing = clusterOf(observed, name);
    // A lost cluster is replaced by one of another name. From an invalid spec none is created.
    if (existing === undefined && (name === active?.name || observed.invalid !== undefined)) return [];
    return [{ name, ...(existing && { existing }), follows: follows(observed, existing) }];
  });
  const old = unusedClusters(
    observed,
    inUse.map(({ name }) => name),
  );
  const serves = active && clusterOf(observed, active.name);
  const endpoints = endpointsOf(observed, serves, pending);
  const servingState = isPromoted ? states.pending : states.active;
  const recheckAfterMs = Math.min(
    ...[old, states.active, states.pending].map((each) => each?.recheckAfterMs ?? Infinity),
    stepMs ?? Infinity,
    // Not before the condition of the new status.
    Number.isFinite(overTimeMs(observed)) && endpoints === 0 ? Math.max(1, -overTimeMs(observed)) : Infinity,
  );
  const whyPending = pending === undefined ? '' : [note, whyNot(observed, pending, states.pending)];
  return {
    ...(active && { active }),
    ...(pending && { pending }),
    clusters: [...used, ...old.clusters],
    ...(serves && { serves }),
    calls: [states.active, states.pending].flatMap((state) => state?.call ?? []),
    endpoints,
    whyNotReady:
      active === undefined
        ? whyNot(observed, pending ?? { name: '' }, states.pending)
        : whyNot(observed, active, servingState),
    whyPending: typeof whyPending === 'string' ? whyPending : whyPending.filter((part) => part !== '').join('. '),
    ...(rollback && { rollsBack: true }),
    hasTimedOut: false,
    warnings: eventsOf(observed, states),
    ...(Number.isFinite(recheckAfterMs) && { recheckAfterMs }),
  };
}

/** In an incremental upgrade both clusters get requests. */
function endpointsOf(
  observed: ObservedService,
  serves: ObservedCluster | undefined,
  pending: SideRecord | undefined,
): number {
  const other = isIncremental(observed) && serves !== undefined && pending && clusterOf(observed, pending.name);
  return [serves, other].reduce((sum, cluster) => sum + (cluster ? readyThroughService(observed, cluster) : 0), 0);
}

/** A client that waits for a ready service then finds the Service. */
function readyThroughService(observed: ObservedService, cluster: ObservedCluster): number {
  return observed.services.includes(serveServiceFor(observed, cluster)) ? readyPods(cluster).length : 0;
}

function serveServiceFor(observed: ObservedService, cluster: ObservedCluster): string {
  return isIncremental(observed) ? clusterServeService(cluster.name) : serveServiceOf(observed.name, observed.spec);
}

interface States {
  readonly active: ServeState | undefined;
  readonly pending: ServeState | undefined;
}

interface NextSides extends Sides {
  readonly isPromoted: boolean;
  readonly rollback: boolean;
  readonly note: string;
  readonly recheckAfterMs?: number;
}

function nextSides(observed: ObservedService, sides: Sides, states: States): NextSides {
  const { active, pending } = sides;
  if (isIncremental(observed) && active !== undefined && pending !== undefined) {
    const sideOf = (record: SideRecord, state: ServeState | undefined) => ({
      ...{ record, state },
      cluster: clusterOf(observed, record.name),
    });
    const stepped = steppedSides(observed, sideOf(active, states.active), sideOf(pending, states.pending));
    const { message, rollsBack, ...rest } = stepped;
    return { ...rest, rollback: rollsBack, note: message };
  }
  const none = { rollback: false, note: '' };
  // The steps of an incremental upgrade wait for a valid spec.
  const isHeld = observed.invalid !== undefined && active !== undefined && pending?.trafficRoutedPercent !== undefined;
  if (isHeld || !mayBePromoted(observed, sides, states.pending)) {
    const [first, second] = [states.active?.record ?? active, states.pending?.record ?? pending];
    return { ...(first && { active: first }), ...(second && { pending: second }), isPromoted: false, ...none };
  }
  const promoted = states.pending?.record;
  return { ...(promoted && { active: promoted }), isPromoted: true, ...none };
}

function clusterOf({ clusters }: ObservedService, name: string): ObservedCluster | undefined {
  return clusters.find((each) => each.name === name);
}

interface Sides {
  readonly active?: SideRecord;
  readonly pending?: SideRecord;
}

/** Which clusters the service uses, before it is known what they serve. */
function chosenSides(observed: ObservedService): Sides {
  const { record, invalid, spec } = observed;
  const { active, pending } = record;
  const sides = { ...(active && { active }), ...(pending && { pending }) };
  const isLost = active !== undefined && isGone(observed, active);
  if (invalid !== undefined) return sides;
  const goal = spec.rayClusterConfig;
  if (active === undefined || isLost) {
    const isKept = pending !== undefined && (isReachable(observed, pending, goal) || takesOver(observed, sides));
    return isKept ? sides : { ...sides, pending: newSide(observed) };
  }
  if (isIncremental(observed)) return incrementalSides(observed, active, pending);
  // The spec is that of the active cluster again.
  if (matchIn(observed, active, goal) !== 'Different') return { active };
  if (pending !== undefined && isReachable(observed, pending, goal)) return sides;
  if (spec.upgradeStrategy?.type === 'None') return sides;
  return { active, pending: newSide(observed) };
}

/** The active cluster of an incremental upgrade is lost. */
function takesOver(observed: ObservedService, { active, pending }: Sides): boolean {
  return isIncremental(observed) && active !== undefined && pending !== undefined && !isGone(observed, pending);
}

/** With two clusters, the steps of the upgrade decide. */
function incrementalSides(observed: ObservedService, active: SideRecord, pending: SideRecord | undefined): Sides {
  if (pending !== undefined) return { active: { ...WHOLE, ...active }, pending: { ...NOTHING_YET, ...pending } };
  if (matchIn(observed, active, observed.spec.rayClusterConfig) !== 'Different') return { active };
  return { active: { ...WHOLE, ...active }, pending: { ...newSide(observed), ...NOTHING_YET } };
}

function newSide({ name, uid, nowMs, clusters, record }: ObservedService): SideRecord {
  const taken = [...clusters, record.active, record.pending].flatMap((each) => each?.name ?? []);
  return { name: newClusterName({ name, uid, nowMs }, new Set(taken)) };
}

/** It was created before, and does not exist any more. */
function isGone(observed: ObservedService, { name }: SideRecord): boolean {
  return clusterOf(observed, name)?.isBeingDeleted ?? true;
}

function matchIn(observed: ObservedService, { name }: SideRecord, goal: RayClusterSpec): GoalMatch | undefined {
  const cluster = clusterOf(observed, name);
  return cluster && matchOf(cluster.object, goal);
}

/**
 * A pending cluster is kept if it has the wanted spec, or will be created from it, or if it serves already: then it is
 * promoted first.
 */
function isReachable(observed: ObservedService, pending: SideRecord, goal: RayClusterSpec): boolean {
  const cluster = clusterOf(observed, pending.name);
  if (cluster === undefined) return true;
  if (cluster.isBeingDeleted) return false;
  if (matchOf(cluster.object, goal) !== 'Different') return true;
  const state = serveState(observed, cluster, pending, keptConfig(pending));
  return mayBePromoted(observed, { ...observed.record, pending }, state);
}

/** The first cluster at once, so that its Services exist. A later one when it has pods for requests. */
function mayBePromoted(observed: ObservedService, { active, pending }: Sides, state: ServeState | undefined): boolean {
  const cluster = pending && clusterOf(observed, pending.name);
  if (cluster === undefined || state?.isServing !== true) return false;
  return active === undefined || isGone(observed, active) || readyPods(cluster).length > 0;
}

function keptConfig({ submitted }: SideRecord): WantedConfig | undefined {
  const { serveConfigV2: text, targetCapacity } = submitted ?? {};
  return text === undefined ? undefined : { text, targetCapacity };
}

/** The current config goes to the pending cluster, if there is one. The active one keeps its last config meanwhile. */
function servedSides(observed: ObservedService, sides: Sides): States {
  const { active, pending } = sides;
  const wanted: WantedConfig = { text: observed.spec.serveConfigV2 ?? '' };
  if (isIncremental(observed)) return incrementalStates(observed, sides, wanted.text);
  const isFrozen = observed.invalid !== undefined;
  const last = keptConfig(active ?? pending ?? { name: '' });
  const current = isFrozen ? ((pending && keptConfig(pending)) ?? last) : wanted;
  return {
    active: stateOf(observed, active, pending === undefined && !isFrozen ? wanted : last),
    pending: stateOf(observed, pending, current),
  };
}

/** Each cluster gets its capacity. The current config goes to the cluster that is to get the requests; the other keeps its last one. */
function incrementalStates(observed: ObservedService, { active, pending }: Sides, text: string): States {
  const current = active === undefined || (pending !== undefined && !isRollingBack(observed)) ? pending : active;
  const configOf = (side: SideRecord | undefined): WantedConfig | undefined => {
    if (side === undefined) return undefined;
    const { targetCapacity = WHOLE.targetCapacity } = side;
    const kept = side === current ? text : side.submitted?.serveConfigV2;
    return kept === undefined ? undefined : { text: kept, targetCapacity };
  };
  return {
    active: stateOf(observed, active, configOf(active)),
    pending: stateOf(observed, pending, configOf(pending)),
  };
}

function stateOf(
  observed: ObservedService,
  side: SideRecord | undefined,
  wanted: WantedConfig | undefined,
): ServeState | undefined {
  const cluster = side && clusterOf(observed, side.name);
  return side && cluster && serveState(observed, cluster, side, wanted);
}

/** In the order in which a service becomes ready: cluster, head, Ray Serve, pods. */
function whyNot(observed: ObservedService, side: SideRecord, state: ServeState | undefined): string {
  const cluster = clusterOf(observed, side.name);
  const waits = whyClusterWaits(side.name, cluster);
  if (waits !== undefined || cluster === undefined) return waits ?? '';
  if (state?.problem !== undefined) return `RayCluster ${side.name}: ${state.problem}`;
  const noEndpoints = whyNoEndpoints(cluster, observed.spec.excludeHeadPodFromServeSvc === true);
  if (noEndpoints !== undefined) return noEndpoints;
  const service = serveServiceFor(observed, cluster);
  return observed.services.includes(service) ? '' : `Service ${service} is being created`;
}

function follows(observed: ObservedService, cluster: ObservedCluster | undefined): boolean {
  if (observed.invalid !== undefined || cluster === undefined || cluster.isBeingDeleted) return false;
  return matchOf(cluster.object, observed.spec.rayClusterConfig) !== 'Different';
}

function unusedClusters({ clusters, spec, invalid, nowMs }: ObservedService, inUse: readonly string[]) {
  const { rayClusterDeletionDelaySeconds: delay } = spec;
  const seconds = invalid === undefined && delay !== undefined ? delay : USUAL_DELETION_DELAY_SECONDS;
  const unused = clusters
    .filter(({ name, isBeingDeleted }) => !inUse.includes(name) && !isBeingDeleted)
    .map((existing) => ({
      name: existing.name,
      existing,
      follows: false,
      // In whole seconds, as it is stored.
      deleteAfterMs: existing.deleteAfterMs ?? Math.ceil((nowMs + seconds * 1000) / 1000) * 1000,
    }));
  const kept = unused.filter(({ deleteAfterMs }) => deleteAfterMs > nowMs);
  const nextMs = Math.min(...kept.map(({ deleteAfterMs }) => deleteAfterMs - nowMs));
  return { clusters: kept, ...(Number.isFinite(nextMs) && { recheckAfterMs: nextMs }) };
}

function eventsOf({ generation, record: before }: ObservedService, states: States): JobWarning[] {
  return [states.active, states.pending].flatMap((state): JobWarning[] => {
    if (state === undefined) return [];
    const { record, refusal, hasSubmitted } = state;
    const known = [before.active, before.pending].find((side) => side?.name === record.name);
    return [
      ...(hasSubmitted ? [submissionEvent(record, known?.submitted)] : []),
      ...(refusal === undefined
        ? []
        : [
            {
              reason: 'FailedToUpdateServeApplications' as const,
              note: `Ray Serve on RayCluster ${record.name} refuses spec.serveConfigV2 of generation ${generation}: ${refusal}`,
            },
          ]),
    ];
  });
}

function submissionEvent({ name, submitted }: SideRecord, before: SideRecord['submitted']): JobWarning {
  const { number = 0, serveConfigV2, targetCapacity } = submitted ?? {};
  const type = 'Normal';
  if (before?.serveConfigV2 === serveConfigV2 && before?.targetCapacity !== targetCapacity) {
    const note = `RayCluster ${name} runs ${targetCapacity ?? WHOLE.targetCapacity} % of its replicas (submission ${number})`;
    return { type, reason: 'UpdatedServeTargetCapacity', note };
  }
  const note = `spec.serveConfigV2 was submitted to RayCluster ${name} (submission ${number})`;
  return { type, reason: 'UpdatedServeApplications', note };
}
