/** InvalidSpec is not a final end, because no pod was created: a changed spec is tried again. */
import {
  ANNOTATION_PATH,
  annotationProblems,
  type EventReason,
  INVALID_SPEC,
  isFinished,
  type JobStatus,
  unknownAnnotations,
} from '@muster/job-api';
import { statusOf } from '../contract/read-manifest.ts';
import type { FrameworkAdapter, Problem } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { hasStarted, withoutCondition } from '../model/conditions.ts';
import { generationOf } from '../model/job-identity.ts';
import { completed } from '../status/job-state.ts';
import type { PlannedEvent } from '../model/event.ts';
import { startOrderProblems } from '../gang/start-order.ts';
import { noPodsBecause, invalidObjectOf } from './invalid-objects.ts';
import type { World } from '../world/world.ts';

export function takingBackInvalidSpec(adapter: FrameworkAdapter, manifest: JobManifest): JobStatus {
  const status = statusOf(adapter, manifest);
  const failed = status.conditions?.find(({ type }) => type === 'Failed');
  if (failed?.reason !== INVALID_SPEC) return status;
  const { message = '' } = failed;
  // Annotations change without a new generation, so their problems are checked again.
  const isCurrent = () =>
    !message.startsWith(ANNOTATION_PATH) || message === formatProblems(problemsOfNew(adapter, manifest));
  if (status.observedGeneration === generationOf(manifest) && isCurrent()) return status;
  const { startTime: _startTime, ...kept } = status;
  return completed({ ...kept, conditions: withoutCondition(status.conditions ?? [], 'Failed') }, 0);
}

function problemsOfNew(adapter: FrameworkAdapter, manifest: JobManifest): Problem[] {
  return [...annotationProblems(manifest), ...manifestProblems(adapter, manifest)];
}

export function manifestProblems(adapter: FrameworkAdapter, manifest: JobManifest): readonly Problem[] {
  const ofKind = adapter.problems(manifest);
  return ofKind.length > 0 ? ofKind : startOrderProblems(adapter, manifest);
}

/** A job that has run was valid, so newer rules do not fail it. */
export function whyInvalid(adapter: FrameworkAdapter, world: World, status: JobStatus): string | undefined {
  if (isFinished(status) || hasJobRun(status)) return undefined;
  const problems = problemsOf(adapter, world.manifest, status);
  return problems.length > 0 ? formatProblems(problems) : invalidObjectOf(world)?.message;
}

/** A generation is checked once, when the job adopts it. */
function problemsOf(adapter: FrameworkAdapter, manifest: JobManifest, status: JobStatus): readonly Problem[] {
  if (status.startTime === undefined) return problemsOfNew(adapter, manifest);
  if (status.observedGeneration === generationOf(manifest)) return [];
  return hasStarted(status) ? manifestProblems(adapter, manifest) : problemsOfNew(adapter, manifest);
}

export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

export function isInvalid({ conditions = [] }: JobStatus): boolean {
  return conditions.some((each) => each.type === 'Failed' && each.status === 'True' && each.reason === INVALID_SPEC);
}

export function unreportedInvalidObject(world: World): PlannedEvent[] {
  const invalidObject = invalidObjectOf(world);
  if (invalidObject === undefined) return [];
  const note = noPodsBecause(invalidObject.message);
  const dedupKey = `${invalidObject.generation}: ${note}`;
  if (world.emittedEvents.has(dedupKey)) return [];
  return [{ type: 'Warning', reason: 'FailedCreatePod' satisfies EventReason, note, action: 'CreatePod', dedupKey }];
}

export function specWarnings(adapter: FrameworkAdapter, world: World): PlannedEvent[] {
  const { manifest } = world;
  const ignored = [...annotationProblems(manifest), ...unknownAnnotations(manifest)];
  return [
    ...newWarnings(
      'AnnotationIgnored',
      ignored.map(({ path, message }) => ({ path: `Ignored: ${path}`, message })),
      world,
    ),
    ...newWarnings('SpecWarning', adapter.warnings?.(manifest) ?? [], world),
  ];
}

export function newWarnings(reason: EventReason, problems: readonly Problem[], world: World): PlannedEvent[] {
  return problems
    .map(({ path, message }) => `${path}: ${message}`)
    .filter((note) => !world.emittedEvents.has(note))
    .map((note) => ({ type: 'Warning', reason, note, action: 'Validate', dedupKey: note }));
}

/** A suspension removes the condition Restarting, but not the counts. */
export function hasJobRun({ conditions = [], restartCount = 0, disruptionCount = 0 }: JobStatus): boolean {
  return (
    restartCount + disruptionCount > 0 || conditions.some(({ type }) => type === 'Running' || type === 'Restarting')
  );
}
