/** Whether a job's pods may be made, and as what; what its users are told while the gang scheduler says no. */
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
  /** What pods that are missing wait for, where nobody can say when it comes. */
  readonly lacks: readonly Shortage[];
  /** What makes a pod one of the gang; undefined where it is placed by itself. */
  readonly decorate: GangScheduler['decorate'] | undefined;
  /** Whose group the job is to have. */
  readonly scheduler: GangScheduler | undefined;
  /** When it is to be looked again. */
  readonly requeueAfterMs: number | undefined;
  /** Whether the events say of the whole gang why its pods are not placed. */
  readonly speaksForPods: boolean;
  readonly events: readonly PlannedEvent[];
  /** What the gang waits for, by its group. */
  readonly wait: Wait | undefined;
  /** The outcome with what there is to say of the gang. */
  told(outcome: Outcome): Outcome;
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
  told: (outcome) => outcome,
};

/** How often it is looked whether the cluster serves meanwhile what it lacks. */
const RECHECK_MS = 5000;

export function gangStart({ adapter, gang, gangLack, replicas, world }: JobPlanContext, job: TrainingJob): GangStart {
  if (gangLack !== undefined) {
    const isMissing = replicas.wanted.some(isToCreate);
    const lacks = isMissing ? [{ reason: 'GangSchedulerNotFound' as const, message: gangLack }] : [];
    return { ...NO_GANG, mayMakePods: false, lacks, requeueAfterMs: isMissing ? RECHECK_MS : undefined };
  }
  if (gang === undefined) return NO_GANG;
  const { groups } = gang;
  const judged =
    groups === undefined ? [] : judgedGroups(adapter, gang, groups, { job, replicas: replicas.wanted, world });
  const group = judged[0]?.group;
  const unmet = unmetPolicy(gang, job, adapter, group).flatMap((words) => warning('SchedulingPolicyNotMet', words));
  const events = [...otherSchedulerEvents(gang, job), ...unmet];
  const isNew = ({ dedupKey }: OnceEvent) => !world.emittedEvents.has(dedupKey);
  if (groups === undefined) {
    return { ...NO_GANG, scheduler: gang, decorate: gang.decorate, events: events.filter(isNew) };
  }
  const wait = judged.find((each) => each.wait !== undefined)?.wait;
  const note = judged.find(({ fixed }) => fixed?.note !== undefined)?.fixed?.note;
  const tooLarge = new Set(judged.filter(({ fixed }) => fixed?.isTooLarge === true).flatMap(({ roles }) => roles));
  return {
    ...NO_GANG,
    mayMakePods: judged.every(({ waitsFor }) => waitsFor === undefined),
    scheduler: gang,
    decorate: (pod, of, replica, rules) => (tooLarge.has(replica.role) ? pod : gang.decorate(pod, of, replica, rules)),
    speaksForPods: judged.some(({ speaksForPods }) => speaksForPods),
    events: [...events, ...(wait === undefined ? [] : [waitEvent(wait)])].filter(isNew),
    wait,
    told: (outcome) =>
      outcome.phase === 'Running' && note !== undefined ? { ...outcome, message: `${UNAPPLIED} to ${note}` } : outcome,
  };
}

/** How one of the job's groups is doing. */
interface JudgedGroup {
  readonly group: KubeObject | undefined;
  readonly roles: readonly ReplicaRole[];
  readonly fixed: FixedSize | undefined;
  /** Why no pods can be made yet: a job begins when all of its groups are there. */
  readonly waitsFor: string | undefined;
  readonly wait: Wait | undefined;
  readonly speaksForPods: boolean;
}

function judgedGroups(
  rules: GangRules,
  gang: GangScheduler,
  groups: PodGroups,
  { job, replicas, world }: Pick<JobPlanContext, 'job' | 'world'> & { readonly replicas: readonly ReplicaPod[] },
): JudgedGroup[] {
  const own = ownResources(job, world.ownedResources);
  return gangsOf(rules, job).map(({ name, size, roles }) => {
    const isMain = name === job.metadata.name;
    const group = podGroupOf(groups, own, name);
    const members = replicas.filter(({ role }) => roles.includes(role));
    const arePending = members.some(({ state }) => state === 'pending');
    const fixed = fixedSize(gang, size.minMember, group, members);
    const isMissing = !isMain && group === undefined;
    const waitsFor = fixed?.waitsFor ?? (isMissing ? `PodGroup ${name} is being made` : groups.waitsFor(group));
    const needed = isMain ? members.filter(({ role }) => leastOf(rules, job, role) > 0) : members;
    // Of a role that has not begun its scheduler says only that there are no pods.
    const isTold = isMain || arePending || waitsFor !== undefined;
    return {
      group,
      roles,
      fixed,
      waitsFor,
      wait: group && isTold ? groupWait(groups, group, waitsFor, madeMs(needed)) : undefined,
      speaksForPods: (isMain || arePending) && groups.speaksForPods(group),
    };
  });
}

/** When the last of the pods was made; undefined while some are missing. */
function madeMs(members: readonly ReplicaPod[]): number | undefined {
  const moments = members.map(({ pod }) => momentOf(pod?.metadata?.creationTimestamp));
  return moments.includes(undefined) ? undefined : Math.max(...moments.map((moment) => moment ?? 0));
}

type OnceEvent = PlannedEvent & { readonly dedupKey: string };

function groupWait(
  groups: PodGroups,
  group: KubeObject,
  waitsFor: string | undefined,
  made: number | undefined,
): Wait | undefined {
  if (waitsFor !== undefined) return { reason: 'PodGroup', message: `No pods are made yet: ${waitsFor}` };
  const words = groups.unschedulable(group, made);
  return words === undefined ? undefined : { reason: 'Unschedulable', message: words };
}

function waitEvent({ reason, message }: Wait): OnceEvent {
  const isHeld = reason === 'PodGroup';
  return {
    type: isHeld ? 'Normal' : 'Warning',
    reason: (isHeld ? 'WaitingForPodGroup' : 'Unschedulable') satisfies EventReason,
    note: message,
    action: 'Schedule',
    dedupKey: subjectOf(message),
  };
}

/** What is said, without the numbers: schedulers count pods and nodes anew in each round, which is no news. */
function subjectOf(words: string): string {
  return words.replaceAll(/\d+/g, '#');
}

function otherSchedulerEvents(gang: GangScheduler, job: TrainingJob): OnceEvent[] {
  return warning('SetPodTemplateSchedulerName', otherSchedulers(gang, job));
}

function warning(reason: EventReason, words: string | undefined): OnceEvent[] {
  return words === undefined ? [] : [{ type: 'Warning', reason, note: words, action: 'Schedule', dedupKey: words }];
}
