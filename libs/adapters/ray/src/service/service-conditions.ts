/** Conditions of a RayService, with KubeRay's types and reasons. */
import { INVALID_SPEC, type JobStatus, type RayCondition } from '@muster/job-api';
import { timeOf } from '../model/time-of.ts';
import type { ServiceStep, Suspension } from './service-step.ts';
import { conditionIn } from './service-record.ts';

type News = Pick<RayCondition, 'type' | 'status' | 'reason' | 'message'>;

interface ConditionView {
  readonly before: readonly RayCondition[];
  readonly step: ServiceStep;
  /** Why the spec was changed to an invalid one. */
  readonly invalid: string | undefined;
  readonly generation: number;
  readonly nowMs: number;
}

export function serviceConditions(record: JobStatus, view: ConditionView): RayCondition[] {
  const news = [...stateOf(view), ...failureOf(record)];
  return news.map((each) => withTime(each, view));
}

/** For a service whose spec was never valid. The other conditions stay. */
export function invalidConditions(
  { conditions = [] }: JobStatus,
  before: readonly RayCondition[],
  generation: number,
  nowMs: number,
): RayCondition[] {
  const invalid = conditions.find(({ reason, status }) => reason === INVALID_SPEC && status === 'True');
  if (invalid === undefined) return [...before];
  const { message = '' } = invalid;
  const ready: News = { type: 'Ready', status: 'False', reason: 'ValidationFailed', message };
  return [withTime(ready, { before, generation, nowMs }), ...before.filter(({ type }) => type !== 'Ready')];
}

function stateOf(view: ConditionView): News[] {
  const { step } = view;
  if (step.suspension !== undefined) return suspendedState(view, step.suspension);
  return [ready(view), upgrade(view), ...rollback(view), ...resumed(view)];
}

function ready({ before, step, invalid }: ConditionView): News {
  const type = 'Ready';
  const { endpoints, whyNotReady, hasTimedOut } = step;
  const kept = invalid === undefined ? '' : `. The last valid spec stays in effect: ${invalid}`;
  if (hasTimedOut) return { type, status: 'False', reason: 'InitializingTimeout', message: whyNotReady };
  if (endpoints > 0) {
    const message = `Pods get requests through the serve Service${kept}`;
    return { type, status: 'True', reason: 'NonZeroServeEndpoints', message };
  }
  return { type, status: 'False', reason: whyUnready(before), message: `${whyNotReady}${kept}` };
}

function whyUnready(before: readonly RayCondition[]): string {
  const { status, reason } = conditionIn(before, 'Ready') ?? {};
  return status === 'True' || reason === 'ZeroServeEndpoints' ? 'ZeroServeEndpoints' : 'Initializing';
}

function upgrade({ before, step: { active, pending, whyPending, hasTimedOut } }: ConditionView): News {
  const type = 'UpgradeInProgress';
  if (active !== undefined && pending !== undefined) {
    const message = `RayCluster ${pending.name} replaces ${active.name} when its applications run and it has pods for requests. ${whyPending}`;
    return { type, status: 'True', reason: 'BothActivePendingClustersExist', message: message.trim() };
  }
  if (active !== undefined) {
    return {
      type,
      status: 'False',
      reason: 'NoPendingCluster',
      message: `RayCluster ${active.name} gets the requests`,
    };
  }
  const { reason } = conditionIn(before, type) ?? {};
  const isNew = reason === undefined || ['Initializing', 'SuspendInProgress', 'SuspendComplete'].includes(reason);
  if (!hasTimedOut && (isNew || conditionIn(before, 'Ready')?.reason === 'InitializingTimeout')) {
    return { type, status: 'False', reason: 'Initializing', message: 'The first cluster is being prepared' };
  }
  return { type, status: 'Unknown', reason: 'NoActiveCluster', message: 'No cluster gets requests' };
}

/** Absent without a rollback, as in KubeRay. */
function rollback({ step: { rollsBack, whyPending } }: ConditionView): News[] {
  if (rollsBack !== true) return [];
  return [{ type: 'RollbackInProgress', status: 'True', reason: 'DesiredClusterSpecChanged', message: whyPending }];
}

function suspendedState({ step: { whyNotReady: message } }: ConditionView, suspension: Suspension): News[] {
  const isDone = suspension === 'Complete';
  const reason = isDone ? 'SuspendComplete' : 'SuspendInProgress';
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'UpgradeInProgress', status: 'False', reason, message },
    {
      type: 'Suspending',
      status: isDone ? 'False' : 'True',
      reason: suspension === 'Requested' ? 'SuspendRequested' : reason,
      message,
    },
    ...(isDone ? [{ type: 'Suspended', status: 'True' as const, reason, message }] : []),
  ];
}

/** A service that was never suspended has neither condition. */
function resumed({ before }: ConditionView): News[] {
  const [suspending, suspended] = ['Suspending', 'Suspended'].map((type) => conditionIn(before, type));
  if (suspending === undefined && suspended === undefined) return [];
  return [
    ...(suspending === undefined ? [] : [{ ...suspending, status: 'False' as const, reason: 'SuspendComplete' }]),
    {
      type: 'Suspended',
      status: 'False',
      reason: 'RayServiceResumed',
      message: 'The service was resumed, with a new cluster',
    },
  ];
}

function failureOf({ conditions = [] }: JobStatus): News[] {
  const failure = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (failure === undefined) return [];
  const { type, reason = 'FailedCreate', message = '' } = failure;
  return [{ type, status: 'True', reason, message }];
}

/** A service that initializes again has the whole time for it. */
function withTime(
  { type, status, reason, message }: News,
  { before, generation, nowMs }: Pick<ConditionView, 'before' | 'generation' | 'nowMs'>,
): RayCondition {
  const known = conditionIn(before, type);
  const isFresh = known?.status !== status || (reason === 'Initializing' && known.reason !== reason);
  return {
    ...{ type, status, reason, message },
    lastTransitionTime: isFresh || known === undefined ? timeOf(nowMs) : known.lastTransitionTime,
    observedGeneration: generation,
  };
}
