/**
 * Queues a job with Kueue as an external framework: Muster creates the Workload, creates no pods before admission, deletes them on
 * eviction, and reports progress in the Workload's status. It defers to a Workload created by Kueue's own integration.
 */
import { type EventReason, hasEnded, isFinished } from '@muster/job-api';
import { asOwned } from '../owned-resources/as-owned.ts';
import type { ResourceChange, OwnedResource } from '../model/owned-resources.ts';
import { deletion, planOwnedResources } from '../owned-resources/plan-owned-resources.ts';
import { isControlledBy } from '../model/ownership.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { jobReplicas } from '../replicas/job-replicas.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { PlanContext } from '../world/plan-context.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { Write } from '../model/write.ts';
import { hasStarted } from '../model/conditions.ts';
import type { Shortage } from '../model/shortage.ts';
import type { Hold } from '../model/hold.ts';
import { asAdmitted, holdBy, isAdmitted, unknownFlavor } from './admission.ts';
import { KUEUE_LABELS, KUEUE_WORKLOADS, workloadsOf, type KueueWorkload } from './kueue-objects.ts';
import { missingPriorityClass, podSetName, podSetsOf, priorityOf, queueWorkload } from './queue-workload.ts';
import { mayGrow, nextSlice, recheckSlicesMs, replacingMs, slicesOf, type Slices } from './slices.ts';
import { finished, progress, quotaReturned } from './workload-status.ts';

export interface QueueStep {
  /** Limited to the admitted size, with the placement that its pods are given. */
  readonly job: TrainingJob;
  readonly hold?: Hold;
  readonly lack?: Shortage;
  /** How long to change nothing, because Kueue is about to decide. */
  readonly pauseMs?: number;
  /** When to run again for changes that no watch reports. */
  readonly recheckAfterMs?: number | undefined;
  readonly events?: readonly PlannedEvent[];
  /** `replicas` are those of the running job. */
  writes(replicas: readonly ReplicaPod[]): readonly Write[];
}

const RECHECK_MS = 5000;

const NOT_SERVED = 'This cluster does not serve kueue.x-k8s.io/v1beta2: install Kueue 0.15 or later.';

export function queueStep(context: PlanContext, job: TrainingJob): QueueStep {
  const { adapter, world, settings } = context;
  const none = { job, writes: () => [] };
  if (settings.kueue !== true) return none;
  const { own, foreign } = workloadsOf(job, world.ownedResources);
  const { current, others } = slicesOf(own);
  const workload = current?.object as KueueWorkload | undefined;
  if (isFinished(job.status)) return { job, writes: () => endOf(context, job, { current, others }) };
  const queue = job.metadata.labels?.[KUEUE_LABELS.queue] ?? '';
  const podSets = podSetsOf(adapter, job);
  // A job without pods of its own is queued through its child: a RayJob through its RayCluster, which has its labels.
  if (queue === '' || podSets.length === 0 || job.runPolicy.suspend || foreign !== undefined) {
    const events = foreign === undefined ? [] : foreignWorkloadEvents(context, foreign);
    return { job, events, writes: () => own.map(deletion) };
  }
  const held = (hold: Hold, writes: readonly Write[] = []) => ({ job, hold, writes: () => writes });
  // Unreadable objects do not stop a running job. Only its missing pods wait.
  const unavailable = (message: string, running: Pick<QueueStep, 'job' | 'writes'>): QueueStep =>
    hasStarted(job.status)
      ? { ...running, lack: { reason: 'QueueingUnavailable', message }, recheckAfterMs: RECHECK_MS }
      : held(waiting(message));
  const { queueing, absentKinds = [] } = world;
  const done = (podSet: string) => succeededOf(context, job, podSet);
  if (queueing === undefined || absentKinds.includes(KUEUE_WORKLOADS)) {
    const onRecord = queueing && workload && isAdmitted(workload) ? asAdmitted(job, workload, queueing, done) : job;
    return unavailable(NOT_SERVED, { ...none, job: onRecord });
  }
  const priority = priorityOf(job, queueing);
  const needs = { queue, podSets, priority, done };
  const pauseMs = workload && replacingMs(workload, others, world.stateAges);
  if (pauseMs !== undefined) return { ...none, pauseMs };
  const isGrowing = workload !== undefined && mayGrow(job, workload, needs);
  const wanted = isGrowing ? nextSlice(job, needs, workload, world.stateAges) : queueWorkload(job, needs, workload);
  const theirs = world.ownedResources.filter(({ kind }) => kind.resource === KUEUE_WORKLOADS);
  const changes = planOwnedResources(job, theirs, [asOwned(adapter, job, wanted)]);
  // Only a new Workload needs the value of a priority class.
  const missingClass = changes.length === 0 ? undefined : missingPriorityClass(priority);
  if (missingClass !== undefined && !isGrowing) return held(waiting(missingClass));
  const made = missingClass === undefined ? changes : [];
  const obsolete = others.filter(({ object }) => object.metadata?.name !== wanted.object.metadata?.name).map(deletion);
  if (workload === undefined || (made.length > 0 && !isGrowing)) {
    const message = `The job waits in queue ${queue} of Kueue, which has not decided yet.`;
    return held({ by: 'queue', reason: 'Queued', message }, [...obsolete, ...made]);
  }
  if (!isAdmitted(workload)) {
    const arePodsGone = world.pods.every(hasEnded);
    const returned = arePodsGone ? quotaReturned(workload, world.nowMs) : undefined;
    return held(holdBy(queue, workload), [...obsolete, ...patched(current, returned)]);
  }
  const admitted: QueueStep = {
    job: asAdmitted(job, workload, queueing, done),
    recheckAfterMs: missingClass === undefined ? recheckSlicesMs(others, world.stateAges) : RECHECK_MS,
    writes: (replicas) => {
      const news = patched(current, progress(workload, podSets, replicas, world.nowMs));
      // Kueue cannot replace a Workload while it is being changed.
      return [...obsolete, ...news, ...(isGrowing && news.length > 0 ? [] : made)];
    },
  };
  const flavor = unknownFlavor(workload, queueing);
  const noFlavor = `There is no ResourceFlavor ${flavor}, which Kueue assigned to the job.`;
  return flavor === undefined ? admitted : unavailable(noFlavor, admitted);
}

function endOf({ world }: PlanContext, job: TrainingJob, { current, others }: Slices): Write[] {
  const workload = current?.object as KueueWorkload | undefined;
  // Pods that keep running, because of their policy or until they are deleted, still use the quota.
  const isUsed = world.pods.some((pod) => isControlledBy(job.metadata.uid, pod) && !hasEnded(pod));
  const end = workload && !isUsed ? finished(workload, job.status, world.nowMs) : undefined;
  return [...patched(current, end), ...others.map(deletion)];
}

function succeededOf({ adapter, world }: PlanContext, job: TrainingJob, podSet: string): number {
  const { wanted } = jobReplicas(adapter, job, world.pods, world);
  return wanted.filter(({ role, state }) => podSetName(role) === podSet && state === 'succeeded').length;
}

function waiting(message: string): Hold {
  return { by: 'queue', reason: 'Queued', message, requeueAfterMs: RECHECK_MS };
}

function patched(own: OwnedResource | undefined, change: ResourceChange | undefined): Write[] {
  if (own === undefined || change === undefined) return [];
  return [{ op: 'patch', resource: KUEUE_WORKLOADS, object: own.object, isOwnedResource: true, ...change }];
}

function foreignWorkloadEvents({ world }: PlanContext, { object }: OwnedResource) {
  const reason: EventReason = 'QueuedByKueue';
  const note = `Kueue's own integration created Workload ${object.metadata?.name} for this job, so Muster creates none.`;
  const dedupKey = `workload ${object.metadata?.uid}`;
  if (world.emittedEvents.has(dedupKey)) return [];
  return [{ type: 'Normal' as const, reason, note, action: 'Queue', dedupKey }];
}
