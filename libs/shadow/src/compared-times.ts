/**
 * When the other operator did something, beside when Muster would have. A step that was done before this process saw the job is left out: its
 * time for Muster is not known. Pure.
 */
import { isControlledBy, type Plan } from '@muster/common-job-controller';
import { PODS, type Pod } from '@muster/job-api';

export interface TimedStep {
  /** `create Pod`, for the first one, or the type of a condition other than Created. */
  readonly step: string;
  /** How much later the other operator was, in whole seconds, as times in the API; negative: earlier. */
  readonly laterSeconds: number;
}

/** What is kept of a job from its first sight. */
export interface SeenSteps {
  /** Types of the conditions that were True at first sight. */
  readonly doneBefore: ReadonlySet<string>;
  /** When Muster would have created the first pod. Undefined: not yet, or there were pods at first sight. */
  podPlannedMs: number | undefined;
  /** When the other operator created it. */
  podCreatedMs: number | undefined;
}

export function seenSteps(theirs: object): SeenSteps {
  return { doneBefore: new Set(transitions(theirs).keys()), podPlannedMs: undefined, podCreatedMs: undefined };
}

export function notePods(
  seen: SeenSteps,
  { uid, pods, nowMs }: { readonly uid: string; readonly pods: readonly Pod[]; readonly nowMs: number },
  plan: Plan,
): void {
  if (seen.podCreatedMs !== undefined) return;
  const created = pods
    .filter((pod) => isControlledBy(uid, pod))
    .map(({ metadata }) => Date.parse(metadata?.creationTimestamp ?? ''));
  if (created.length > 0) seen.podCreatedMs = Math.min(...created);
  else if (plan.writes.some((write) => write.op === 'create' && write.resource.kind === PODS.kind))
    seen.podPlannedMs ??= nowMs;
}

/** @param ours undefined if it is taken from the other operator's status */
export function timedSteps(seen: SeenSteps, theirs: object, ours: object | undefined): TimedStep[] {
  const steps: TimedStep[] = [];
  const add = (step: string, theirMs: number, ourMs: number) => {
    if (!Number.isNaN(theirMs - ourMs)) steps.push({ step, laterSeconds: seconds(theirMs) - seconds(ourMs) });
  };
  if (seen.podPlannedMs !== undefined && seen.podCreatedMs !== undefined)
    add('create Pod', seen.podCreatedMs, seen.podPlannedMs);
  const own = transitions(ours ?? {});
  for (const [type, theirMs] of transitions(theirs)) {
    const ourMs = own.get(type);
    if (ourMs !== undefined && !seen.doneBefore.has(type)) add(type, theirMs, ourMs);
  }
  return steps;
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Of the conditions that are True. Created is left out: Muster dates it before all others. */
function transitions(status: object): Map<string, number> {
  const { conditions } = status as { readonly conditions?: unknown };
  if (!Array.isArray(conditions)) return new Map();
  return new Map(
    (conditions as readonly Readonly<Record<string, unknown>>[])
      .filter(({ type, status: is }) => is === 'True' && type !== 'Created')
      .map(({ type, lastTransitionTime }) => [String(type), Date.parse(String(lastTransitionTime))]),
  );
}
