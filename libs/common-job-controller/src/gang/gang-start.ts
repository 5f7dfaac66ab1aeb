import { type EventReason, type KubeObject, momentOf } from '@muster/job-api';
import type { Outcome } from '../contract/adapter.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { ownResources } from '../model/owned-resources.ts';
import { fixedSize } from './fixed-size.ts';
import type { GangScheduler, PodGroups } from '../contract/gang-scheduler.ts';
import { gangsOf, leastOf } from './gang-size.ts';
import { otherSchedulers } from './other-schedulers.ts';
import { unmetPolicy } from './unmet-policy.ts';
import { UNAPPLIED } from '../model/conditions.ts';
import { isToCreate, type ReplicaPod } from '../model/replica-pod.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { Shortage } from '../model/shortage.ts';
import type { Wait } from '../model/wait.ts';

export interface GangStart {
  readonly mayMakePods: boolean;
  /** Why pods are missing, if no watch shows the end of it. */
  readonly shortages: readonly Shortage[];
  /** Adds a pod to the gang. Undefined for a pod that is placed without it. */
  readonly decorate: GangScheduler['decorate'] | undefined;
  readonly scheduler: GangScheduler | undefined;
  readonly requeueAfterMs: number | undefined;
  readonly speaksForPods: boolean;
  readonly events: readonly PlannedEvent[];
  readonly wait: Wait | undefined;
  /** Adds a note about the gang to the outcome. */
  withNote(outcome: Outcome): Outcome;
}

const NO_GANG: GangStart = {
  mayMakePods: true,
  shortages: [],
  scheduler: undefined,
  requeueAfterMs: undefined,
  decorate: undefined,
  speaksForPods: false,
  events: [],
  wait: undefined,
  withNote: (outcome) => outcome,
};

/** The interval for checking again whether the cluster serves the missing kind. */
const RECHECK_MS = 5000;

export function gangStart(context: JobPlanContext, job: TrainingJob): GangStart {
  const { adapter, gang, gangShortage, replicas, world, settings } = context;
  if (gangShortage !== undefined) {
    const isMissing = replicas.wanted.some(isToCreate);
    const shortages = isMissing ? [{ reason: 'GangSchedulerNotFound' as const, message: gangShortage }] : [];
    return { ...NO_GANG, mayMakePods: false, shortages, requeueAfterMs: isMissing ? RECHECK_MS : undefined };
  }
  if (gang === undefined) return NO_GANG;
  const groups = gang.groups === undefined ? [] : groupStates(context, job, gang, gang.groups);
  const wait = groups.find((each) => each.wait !== undefined)?.wait;
  const note = groups.find(({ fixed }) => fixed?.note !== undefined)?.fixed?.note;
  const tooLarge = new Set(groups.filter(({ fixed }) => fixed?.isTooLarge === true).flatMap(({ roles }) => roles));
  const others = otherSchedulers(gang, job);
  const events = [
    ...(others === undefined ? [] : [warning('SetPodTemplateSchedulerName', others)]),
    ...unmetPolicy(gang, job, adapter, groups[0]?.group).map((message) => warning('SchedulingPolicyNotMet', message)),
    ...(wait === undefined ? [] : [waitEvent(wait)]),
  ];
  return {
    ...NO_GANG,
    mayMakePods: settings.startsAtOnce === true || groups.every(({ waitsFor }) => waitsFor === undefined),
    scheduler: gang,
    decorate: (pod, of, replica, rules) => (tooLarge.has(replica.role) ? pod : gang.decorate(pod, of, replica, rules)),
    speaksForPods: groups.some(({ speaksForPods }) => speaksForPods),
    events: events.filter(({ dedupKey }) => !world.emittedEvents.has(dedupKey)),
    wait,
    withNote: (outcome) =>
      outcome.phase === 'Running' && note !== undefined ? { ...outcome, message: `${UNAPPLIED} to ${note}` } : outcome,
  };
}

/** The state of each group. Its `waitsFor` says why no pods can be created yet: a job starts when all its groups exist. */
function groupStates(
  { adapter, replicas, world }: JobPlanContext,
  job: TrainingJob,
  gang: GangScheduler,
  groups: PodGroups,
) {
  const own = ownResources(job, world.ownedResources).filter(({ kind }) => kind.resource === groups.resource);
  return gangsOf(adapter, job).map(({ name, size, roles }) => {
    const isMain = name === job.metadata.name;
    const group = own.find(({ object }) => object.metadata?.name === name)?.object;
    const members = replicas.wanted.filter(({ role }) => roles.includes(role));
    const arePending = members.some(({ state }) => state === 'pending');
    const fixed = fixedSize(gang, size.minMember, group, members);
    const isMissing = !isMain && group === undefined;
    const waitsFor = fixed?.waitsFor ?? (isMissing ? `PodGroup ${name} is being created` : groups.waitsFor(group));
    const needed = isMain ? members.filter(({ role }) => leastOf(adapter, job, role) > 0) : members;
    // For a role that has not started, its scheduler only reports that there are no pods.
    const isReported = isMain || arePending || waitsFor !== undefined;
    const wait = group && isReported ? groupWait(groups, group, waitsFor, needed) : undefined;
    const speaksForPods = (isMain || arePending) && groups.speaksForPods(group);
    return { group, roles, fixed, waitsFor, wait, speaksForPods };
  });
}

function groupWait(
  groups: PodGroups,
  group: KubeObject,
  waitsFor: string | undefined,
  members: readonly ReplicaPod[],
): Wait | undefined {
  if (waitsFor !== undefined) return { reason: 'PodGroup', message: `No pods are created yet: ${waitsFor}` };
  const moments = members.map(({ pod }) => momentOf(pod?.metadata?.creationTimestamp));
  const madeMs = moments.includes(undefined) ? undefined : Math.max(...moments.map((moment) => moment ?? 0));
  const message = groups.unschedulable(group, madeMs);
  return message === undefined ? undefined : { reason: 'Unschedulable', message };
}

function waitEvent({ reason, message }: Wait) {
  // Schedulers count pods and nodes again in each round, which is not new.
  const dedupKey = message.replaceAll(/\d+/g, '#');
  return reason === 'PodGroup'
    ? { ...warning('WaitingForPodGroup', message), type: 'Normal' as const, dedupKey }
    : { ...warning('Unschedulable', message), dedupKey };
}

function warning(reason: EventReason, message: string) {
  return { type: 'Warning' as const, reason, note: message, action: 'Schedule', dedupKey: message };
}
