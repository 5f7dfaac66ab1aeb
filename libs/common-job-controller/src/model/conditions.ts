/**
 * A job's conditions. Order and reasons follow kubeflow/training-operator, pkg/util/status.go, because kubectl's printer column shows the
 * last entry. Its two defects are fixed: Succeeded and Failed are never both True, and a finished job has no Restarting.
 */
import {
  hasCondition,
  momentOf,
  timestamp,
  type ConditionType,
  type JobCondition,
  type JobStatus,
} from '@muster/job-api';

type Conditions = readonly JobCondition[];

const SECOND_MS = 1000;

export interface NewCondition {
  readonly type: ConditionType;
  readonly status?: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  /** Whether the message replaces the message of an equal condition. */
  readonly isNews?: boolean;
}

/** Whether Muster may have created objects for the job. `startTime` alone is not enough: a suspended job has one, too. */
export function hasStarted({ startTime, conditions }: JobStatus): boolean {
  return startTime !== undefined && !hasCondition(conditions, 'Suspended');
}

/** Sets `next` in `conditions`. If type, status and reason are equal, nothing changes unless `isNews` is set. */
export function withCondition(conditions: Conditions, next: NewCondition, nowMs: number): JobCondition[] {
  const { type, reason, message, status = 'True', isNews = false } = next;
  const before = conditions.find((condition) => condition.type === type);
  const now = timestamp(nowMs);
  if (before?.status === status && before.reason === reason) {
    const refreshed = { ...before, message, lastUpdateTime: now };
    return conditions.map((condition) => (condition === before && isNews ? refreshed : condition));
  }
  const ended = { status: 'False', lastUpdateTime: now, lastTransitionTime: now } as const;
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
  const rest = conditions.filter((condition) => condition.type !== type && !isDroppedBy(type, condition));
  return [
    ...rest.map((condition) => (isEndedBy(type, condition) ? { ...condition, ...ended } : condition)),
    { type, status, reason, message, lastUpdateTime: now, lastTransitionTime },
  ];
}

/** Conditions that are no state of the job come first and have the oldest times. */
export function isBesideState({ type }: { readonly type: string }): boolean {
  return type === 'ReplicaFailure' || type === 'Waiting';
}

/** Flyte takes the True condition with the newest time, in whole seconds, for the state. So Created must be older than each state. */
export function withCreatedOldest(conditions: Conditions): readonly JobCondition[] {
  const created = conditions.find(({ type }) => type === 'Created');
  const states = conditions.filter((each) => each !== created && !isBesideState(each));
  const oldestMs = Math.min(...states.map(({ lastTransitionTime }) => momentOf(lastTransitionTime) ?? Infinity));
  if (created === undefined || !((momentOf(created.lastTransitionTime) ?? -Infinity) >= oldestMs)) return conditions;
  const dated = { ...created, lastTransitionTime: timestamp(oldestMs - SECOND_MS) };
  return conditions.map((each) => (each === created ? dated : each));
}

export function timeBesideState(conditions: Conditions, nowMs: number): string {
  const created = conditions.find(({ type }) => type === 'Created');
  return timestamp((momentOf(created?.lastTransitionTime) ?? nowMs) - SECOND_MS);
}

export function withoutCondition(conditions: Conditions, type: ConditionType): JobCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}

function isDroppedBy(type: ConditionType, { type: other }: JobCondition): boolean {
  const isOfNow = other === 'Waiting' || other === 'ProgressKnown';
  if (isOfNow) return type === 'Suspended' || type === 'Succeeded' || type === 'Failed';
  if (type === 'Restarting') return other === 'Running';
  return other === 'Restarting' && type !== 'Created';
}

function isEndedBy(type: ConditionType, { type: other, status }: JobCondition): boolean {
  const isEnd = type === 'Succeeded' || type === 'Failed';
  return isEnd && (other === 'Running' || other === 'Suspended') && status === 'True';
}

/** The start of each message that says a spec change is not applied while the job goes on. */
export const UNAPPLIED = 'The change of the spec is not applied';
