/**
 * The list of a job's conditions as a state machine. Order and reasons are an interface (upstream's printer column shows
 * the last entry), so they follow kubeflow/training-operator, pkg/util/status.go, without its two defects: Succeeded and
 * Failed never both hold, and an end leaves no Restarting behind.
 */
import type { ConditionType, JobCondition, JobStatus } from '@muster/job-api';
import { momentOf } from './moment-of.ts';

type Conditions = readonly JobCondition[];

const SECOND_MS = 1000;

export interface NewCondition {
  readonly type: ConditionType;
  readonly status?: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  /** Whether the message tells of something new, so that it replaces the one of the same condition. */
  readonly isNews?: boolean;
}

/** Kubernetes' time format, in whole seconds. */
export function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

export function hasCondition(conditions: Conditions | undefined, type: ConditionType): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

/** Whether the job may have made something: `startTime` alone does not say so, since a suspended job has one as well. */
export function hasBegun({ startTime, conditions }: JobStatus): boolean {
  return startTime !== undefined && !hasCondition(conditions, 'Suspended');
}

export function isFinished(status: JobStatus): boolean {
  return hasCondition(status.conditions, 'Succeeded') || hasCondition(status.conditions, 'Failed');
}

/** `conditions` with `next` in it. Where type, status and reason are the same nothing changes, but for a message that is news. */
export function withCondition(conditions: Conditions, next: NewCondition, nowMs: number): JobCondition[] {
  const { type, reason, message, status = 'True', isNews = false } = next;
  const before = conditions.find((condition) => condition.type === type);
  const now = timestamp(nowMs);
  if (before?.status === status && before.reason === reason) {
    const refreshed = { ...before, message, lastUpdateTime: now };
    return conditions.map((condition) => (condition === before && isNews ? refreshed : condition));
  }
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
  const rest = conditions.filter((condition) => condition.type !== type && !isDroppedBy(type, condition));
  return [
    ...rest.map((condition) => (isEndedBy(type, condition) ? stopped(condition, now) : condition)),
    { type, status, reason, message, lastUpdateTime: now, lastTransitionTime },
  ];
}

/** Conditions beside the state of the job. They stand first in the list and are the oldest by time. */
export function isBesideState({ type }: { readonly type: string }): boolean {
  return type === 'ReplicaFailure' || type === 'Waiting';
}

/**
 * `conditions` with a Created that is older than every state. Flyte sorts by `lastTransitionTime`, in whole seconds, and takes the
 * newest True condition for the state, so no two may share a second.
 */
export function withCreatedOldest(conditions: Conditions): readonly JobCondition[] {
  const created = conditions.find(({ type }) => type === 'Created');
  const states = conditions.filter((each) => each !== created && !isBesideState(each));
  const oldestMs = Math.min(...states.map(({ lastTransitionTime }) => momentOf(lastTransitionTime) ?? Infinity));
  if (created === undefined || !((momentOf(created.lastTransitionTime) ?? -Infinity) >= oldestMs)) return conditions;
  const dated = { ...created, lastTransitionTime: timestamp(oldestMs - SECOND_MS) };
  return conditions.map((each) => (each === created ? dated : each));
}

/** The `lastTransitionTime` of a condition beside the state: a second before Created. */
export function timeBesideState(conditions: Conditions, nowMs: number): string {
  const created = conditions.find(({ type }) => type === 'Created');
  return timestamp((momentOf(created?.lastTransitionTime) ?? nowMs) - SECOND_MS);
}

/** `conditions` without those of a type. */
export function withoutCondition(conditions: Conditions, type: ConditionType): JobCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}

function isDroppedBy(type: ConditionType, { type: other }: JobCondition): boolean {
  const isOfNow = other === 'Waiting' || other === 'ProgressKnown';
  if (isOfNow) return type === 'Suspended' || type === 'Succeeded' || type === 'Failed';
  if (type === 'Restarting') return other === 'Running';
  return other === 'Restarting' && type !== 'Created';
}

/** A job that has ended neither runs nor is suspended. */
function isEndedBy(type: ConditionType, { type: other, status }: JobCondition): boolean {
  const isEnd = type === 'Succeeded' || type === 'Failed';
  return isEnd && (other === 'Running' || other === 'Suspended') && status === 'True';
}

function stopped(condition: JobCondition, now: string): JobCondition {
  return { ...condition, status: 'False', lastUpdateTime: now, lastTransitionTime: now };
}

/** How a condition's message begins that tells of a change which is not followed, in a job that goes on. */
export const UNAPPLIED = 'The change of the spec is not applied';
