import type { EventReason, KubeObject } from '@muster/job-api';
import type { Outcome } from '../contract/adapter.ts';
import { momentOf } from '../model/moment-of.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { ownResources } from '../model/owned-resources.ts';
import { fixedSize, type FixedSize } from './fixed-size.ts';
import type { GangScheduler, PodGroups, GangRules } from '../contract/gang-scheduler.ts';
import { gangsOf, leastOf } from './gang-size.ts';
import { otherSchedulers } from './other-schedulers.ts';
import { unmetPolicy } from './unmet-policy.ts';
import { podGroupOf } from './pod-group.ts';
import { UNAPPLIED } from '../model/conditions.ts';
import { isToCreate, type ReplicaPod } from '../model/replica-pod.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { Shortage } from '../model/shortage.ts';
import type { Wait } from '../model/wait.ts';

export interface GangStart {
  readonly mayMakePods: boolean;
  /** Why pods are missing, if no watch shows the end of it. */
  readonly lacks: readonly Shortage[];
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
  lacks: [],
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

export function gangStart(
  { adapter, gang, gangShortage, replicas, world }: JobPlanContext,
  job: TrainingJob,
): GangStart {
  if (gangShortage !== undefined) {
    const isMissing = replicas.wanted.some(isToCreate);
    const lacks = isMissing ? [{ reason: 'GangSchedulerNotFound' as const, message: gangShortage }] : [];
    return { ...NO_GANG, mayMakePods: false, lacks, requeueAfterMs: isMissing ? RECHECK_MS : undefined };
  }
  if (gang === undefined) return NO_GANG;
  const { groups } = gang;
  const groupStates =
    groups === undefined ? [] : groupStatesOf(adapter, gang, groups, { job, replicas: replicas.wanted, world });
  const group = groupStates[0]?.group;
  const unmet = unmetPolicy(gang, job, adapter, group).flatMap((message) => warning('SchedulingPolicyNotMet', message));
  const events = [...otherSchedulerEvents(gang, job), ...unmet];
  const isNew = ({ dedupKey }: UniqueEvent) => !world.emittedEvents.has(dedupKey);
  if (groups === undefined) {
    return { ...NO_GANG, scheduler: gang, decorate: gang.decorate, events: events.filter(isNew) };
  }
  const wait = groupStates.find((each) => each.wait !== undefined)?.wait;
  const note = groupStates.find(({ fixed }) => fixed?.note !== undefined)?.fixed?.note;
  const tooLarge = new Set(groupStates.filter(({ fixed }) => fixed?.isTooLarge === true).flatMap(({ roles }) => roles));
  return {
    ...NO_GANG,
    mayMakePods: groupStates.every(({ waitsFor }) => waitsFor === undefined),
    scheduler: gang,
    decorate: (pod, of, replica, rules) => (tooLarge.has(replica.role) ? pod : gang.decorate(pod, of, replica, rules)),
    speaksForPods: groupStates.some(({ speaksForPods }) => speaksForPods),
    events: [...events, ...(wait === undefined ? [] : [waitEvent(wait)])].filter(isNew),
    wait,
    withNote: (outcome) =>
      outcome.phase === 'Running' && note !== undefined ? { ...outcome, message: `${UNAPPLIED} to ${note}` } : outcome,
  };
}

interface GroupState {
  readonly group: KubeObject | undefined;
  readonly roles: readonly ReplicaRole[];
  readonly fixed: FixedSize | undefined;
  /** Why no pods can be created yet: a job starts when all its groups exist. */
  readonly waitsFor: string | undefined;
  readonly wait: Wait | undefined;
  readonly speaksForPods: boolean;
}

function groupStatesOf(
  rules: GangRules,
  gang: GangScheduler,
  groups: PodGroups,
  { job, replicas, world }: Pick<JobPlanContext, 'job' | 'world'> & { readonly replicas: readonly ReplicaPod[] },
): GroupState[] {
  const own = ownResources(job, world.ownedResources);
  return gangsOf(rules, job).map(({ name, size, roles }) => {
    const isMain = name === job.metadata.name;
    const group = podGroupOf(groups, own, name);
    const members = replicas.filter(({ role }) => roles.includes(role));
    const arePending = members.some(({ state }) => state === 'pending');
    const fixed = fixedSize(gang, size.minMember, group, members);
    const isMissing = !isMain && group === undefined;
    const waitsFor = fixed?.waitsFor ?? (isMissing ? `PodGroup ${name} is being created` : groups.waitsFor(group));
    const needed = isMain ? members.filter(({ role }) => leastOf(rules, job, role) > 0) : members;
    // For a role that has not started, its scheduler only reports that there are no pods.
    const isReported = isMain || arePending || waitsFor !== undefined;
    return {
      group,
      roles,
      fixed,
      waitsFor,
      wait: group && isReported ? groupWait(groups, group, waitsFor, madeMs(needed)) : undefined,
      speaksForPods: (isMain || arePending) && groups.speaksForPods(group),
    };
  });
}

/** Undefined while pods are missing. */
function madeMs(members: readonly ReplicaPod[]): number | undefined {
  const moments = members.map(({ pod }) => momentOf(pod?.metadata?.creationTimestamp));
  return moments.includes(undefined) ? undefined : Math.max(...moments.map((moment) => moment ?? 0));
}

type UniqueEvent = PlannedEvent & { readonly dedupKey: string };

function groupWait(
  groups: PodGroups,
  group: KubeObject,
  waitsFor: string | undefined,
  made: number | undefined,
): Wait | undefined {
  if (waitsFor !== undefined) return { reason: 'PodGroup', message: `No pods are created yet: ${waitsFor}` };
  const message = groups.unschedulable(group, made);
  return message === undefined ? undefined : { reason: 'Unschedulable', message };
}

function waitEvent({ reason, message }: Wait): UniqueEvent {
  const isHeld = reason === 'PodGroup';
  return {
    type: isHeld ? 'Normal' : 'Warning',
    reason: (isHeld ? 'WaitingForPodGroup' : 'Unschedulable') satisfies EventReason,
    note: message,
    action: 'Schedule',
    dedupKey: subjectOf(message),
  };
}

/** The message without numbers: schedulers count pods and nodes again in each round, which is not new. */
function subjectOf(message: string): string {
  return message.replaceAll(/\d+/g, '#');
}

function otherSchedulerEvents(gang: GangScheduler, job: TrainingJob): UniqueEvent[] {
  return warning('SetPodTemplateSchedulerName', otherSchedulers(gang, job));
}

function warning(reason: EventReason, message: string | undefined): UniqueEvent[] {
  return message === undefined
    ? []
    : [{ type: 'Warning', reason, note: message, action: 'Schedule', dedupKey: message }];
}
