/**
 * Jobs that cannot be run, by our rules or by the API server's answer: Failed with reason `InvalidSpec`. It is the one end
 * that is not final: no pod was ever made, so a spec that has been changed since gets its chance.
 */
import {
  ANNOTATION_PATH,
  annotationProblems,
  INVALID_SPEC,
  unreadAnnotations,
  type EventReason,
  type JobStatus,
} from '@muster/job-api';
import { statusOf } from '../contract/read-manifest.ts';
import type { FrameworkAdapter, Problem } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { hasBegun, isFinished, withoutCondition } from '../model/conditions.ts';
import { generationOf } from '../model/job-identity.ts';
import { completed } from '../status/job-state.ts';
import type { PlannedEvent } from '../model/event.ts';
import { manifestProblems } from './manifest-problems.ts';
import { noPodsBecause } from './refused-pods.ts';
import type { World } from '../world/world.ts';

/** The job's status, less a verdict on a spec that has been changed since. */
export function takingBackInvalidSpec(adapter: FrameworkAdapter, manifest: JobManifest): JobStatus {
  const status = statusOf(adapter, manifest);
  const failed = status.conditions?.find(({ type }) => type === 'Failed');
  if (failed?.reason !== INVALID_SPEC || stands(adapter, manifest, failed.message ?? '')) return status;
  // It starts when its spec can be run.
  const { startTime: _startTime, ...kept } = status;
  return completed({ ...kept, conditions: withoutCondition(status.conditions ?? [], 'Failed') }, 0);
}

/** Annotations can change without a new generation: a verdict that begins with one stands while it would be the same. */
function stands(adapter: FrameworkAdapter, manifest: JobManifest, verdict: string): boolean {
  if (statusOf(adapter, manifest).observedGeneration !== generationOf(manifest)) return false;
  return !verdict.startsWith(ANNOTATION_PATH) || verdict === wordsOf(problemsOfNew(adapter, manifest));
}

function problemsOfNew(adapter: FrameworkAdapter, manifest: JobManifest): Problem[] {
  return [...annotationProblems(manifest), ...manifestProblems(adapter, manifest)];
}

/** What of the manifest cannot be run. A job that runs was valid once: rules that came later do not end it. */
export function whyInvalid(
  adapter: FrameworkAdapter,
  { manifest, refusal }: World,
  status: JobStatus,
): string | undefined {
  if (isFinished(status) || hasEverRun(status)) return undefined;
  const problems = problemsOf(adapter, manifest, status);
  if (problems.length > 0) return wordsOf(problems);
  return refusal?.generation === generationOf(manifest) ? refusal.message : undefined;
}

/** A generation is judged when the job begins with it: what is on record as observed has passed. */
function problemsOf(adapter: FrameworkAdapter, manifest: JobManifest, status: JobStatus): readonly Problem[] {
  if (status.startTime === undefined) return problemsOfNew(adapter, manifest);
  if (status.observedGeneration === generationOf(manifest)) return [];
  return hasBegun(status) ? manifestProblems(adapter, manifest) : problemsOfNew(adapter, manifest);
}

export function wordsOf(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

export function isInvalid({ conditions = [] }: JobStatus): boolean {
  return conditions.some(
    ({ type, status, reason }) => type === 'Failed' && status === 'True' && reason === INVALID_SPEC,
  );
}

/** A running job does not fail because a pod cannot be replaced; its user still has to know what to correct. */
export function unreportedRefusal({ manifest, refusal, emittedEvents }: World): PlannedEvent[] {
  if (refusal === undefined || refusal.generation !== generationOf(manifest)) return [];
  const note = noPodsBecause(refusal.message);
  const dedupKey = `${refusal.generation}: ${note}`;
  if (emittedEvents.has(dedupKey)) return [];
  return [{ type: 'Warning', reason: 'FailedCreatePod' satisfies EventReason, note, action: 'CreatePod', dedupKey }];
}

/** What of the annotations of a job that has begun does nothing, and what its kind warns of; each emitted once. */
export function specWarnings(adapter: FrameworkAdapter, { manifest, emittedEvents }: World): PlannedEvent[] {
  const ignored = [...annotationProblems(manifest), ...unreadAnnotations(manifest)];
  const notes = [
    ...ignored.map(({ path, message }) => [ANNOTATION_IGNORED, `Ignored: ${path}: ${message}`] as const),
    ...(adapter.warnings?.(manifest) ?? []).map(({ path, message }) => [SPEC_WARNING, `${path}: ${message}`] as const),
  ];
  return notes
    .filter(([, note]) => !emittedEvents.has(note))
    .map(([reason, note]) => ({ type: 'Warning', reason, note, action: 'Validate', dedupKey: note }));
}

const ANNOTATION_IGNORED = 'AnnotationIgnored' satisfies EventReason;
const SPEC_WARNING = 'SpecWarning' satisfies EventReason;

/** The conditions alone do not tell: a suspension takes Restarting away. */
export function hasEverRun({ conditions = [], restartCount = 0, disruptionCount = 0 }: JobStatus): boolean {
  return (
    restartCount + disruptionCount > 0 || conditions.some(({ type }) => type === 'Running' || type === 'Restarting')
  );
}
