/**
 * Pods whose deletion hangs because their node is lost: no kubelet confirms their end, so they keep their names and
 * their replicas cannot be recreated. If the operator (`--force-delete-pods-on-lost-nodes`) and the job
 * (`lostNodeTimeoutSeconds`) allow it, they are deleted by force. Otherwise the user is notified (`stuck-pods.ts`).
 * Kubernetes itself deletes pods of removed nodes and of nodes with the out-of-service taint (pkg/controller/podgc).
 */
import { PODS, type EventReason, type KubeObject, type Node, type Pod, type RunPolicy } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import { timestamp } from '../model/conditions.ts';
import { momentOf } from '../model/moment-of.ts';
import { ownershipOf } from '../model/ownership.ts';
import { ageOf, deletionOf, lossOf } from '../model/state-ages.ts';
import type { Additions } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { WriteOf } from '../model/write.ts';
import { earliest } from '../model/requeue.ts';
import { isMadeByWorkload, ownWorkloads } from '../workloads/workloads.ts';
import type { LostNodes, World } from '../world/world.ts';

/** Applies in every state of the job, because a pod on a lost node always keeps its name and resources. */
export function forcedDeletions(job: TrainingJob, world: World): Additions {
  const { lostNodes, emittedEvents } = world;
  const { forced, requeueAfterMs } = lostNodePods(job, world);
  return { events: ignoredTimeout(job.runPolicy, lostNodes, emittedEvents), writes: forced, requeueAfterMs };
}

/** The UIDs of pods that are or will be deleted by force, so that no user has to act. */
export function podsDeletedByForce(job: TrainingJob, world: World): ReadonlySet<string> {
  return lostNodePods(job, world).waiting;
}

interface LostNodePods {
  readonly forced: readonly WriteOf<'forceDelete'>[];
  /** UIDs of the pods that are deleted by force, now or after the timeout. */
  readonly waiting: ReadonlySet<string>;
  readonly requeueAfterMs: number | undefined;
}

/**
 * The loss of a node and the deletion of a pod are timed from when the operator saw them, independently of other
 * clocks.
 */
function lostNodePods(job: TrainingJob, world: World): LostNodePods {
  const { lostNodes: nodes, stateAges: ages } = world;
  const { lostNodeTimeoutSeconds } = job.runPolicy;
  if (lostNodeTimeoutSeconds === undefined || nodes === undefined) {
    return { forced: [], waiting: new Set(), requeueAfterMs: undefined };
  }
  const workloads = ownWorkloads(job, world.ownedResources);
  const pods = world.pods.filter(
    (pod) => ownershipOf(pod, job.metadata.uid) === 'owned' || isMadeByWorkload(pod, workloads),
  );
  const waiting = pods.flatMap((pod) => {
    const { nodeName = '' } = pod.spec ?? {};
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {};
    const sinceMs = nodes.get(nodeName);
    if (sinceMs === undefined || deletionTimestamp === undefined || !isHeldByKubelet(pod)) return [];
    const lostForMs = ageOf(ages, lossOf(nodeName, sinceMs));
    const deletedForMs = ageOf(ages, deletionOf(pod));
    const waitMs = Math.max(
      lostNodeTimeoutSeconds * 1000 - lostForMs,
      deletionGracePeriodSeconds * 1000 - deletedForMs,
    );
    return [{ pod, sinceMs, waitMs }];
  });
  return {
    forced: waiting
      .filter(({ waitMs }) => waitMs <= 0)
      .map(({ pod, sinceMs }) => forcedDeletion(pod, sinceMs, lostNodeTimeoutSeconds)),
    waiting: new Set(waiting.map(({ pod }) => pod.metadata?.uid ?? '')),
    requeueAfterMs: earliest(...waiting.map(({ waitMs }) => waitMs).filter((waitMs) => waitMs > 0)),
  };
}

/**
 * A pod without a grace period does not wait for a kubelet. Only finalizers hold it, and a forced deletion does not
 * remove those.
 */
function isHeldByKubelet({ metadata }: Pod): boolean {
  return metadata?.deletionGracePeriodSeconds !== 0;
}

function forcedDeletion(pod: Pod, sinceMs: number, timeoutSeconds: number): WriteOf<'forceDelete'> {
  const note =
    `Pod ${pod.metadata?.name} was deleted by force: its node ${pod.spec?.nodeName} has not been ready since ` +
    `${timestamp(sinceMs)}, which is longer than spec.runPolicy.lostNodeTimeoutSeconds (${timeoutSeconds}) allows. If the node ` +
    `is still running, so may be the program.`;
  return {
    op: 'forceDelete',
    resource: PODS,
    object: pod,
    event: { type: 'Warning', reason: 'ForcedDeletePod' satisfies EventReason, action: 'DeletePod', note },
  };
}

/** Warns of a timeout that the operator ignores. */
function ignoredTimeout(
  { lostNodeTimeoutSeconds }: Pick<RunPolicy, 'lostNodeTimeoutSeconds'>,
  nodes: LostNodes | undefined,
  emitted: ReadonlySet<string>,
): PlannedEvent[] {
  if (lostNodeTimeoutSeconds === undefined || nodes !== undefined || emitted.has(IGNORED)) return [];
  const note =
    'spec.runPolicy.lostNodeTimeoutSeconds has no effect: this operator runs without --force-delete-pods-on-lost-nodes. Ask ' +
    'whoever runs it to set that flag, or leave the field out.';
  return [{ type: 'Warning', reason: IGNORED, action: 'DeletePod', note, dedupKey: IGNORED }];
}

const IGNORED = 'LostNodeTimeoutIgnored' satisfies EventReason;

/** The time from which the node is not ready. Undefined if it is ready. */
export function lostSinceMs({ status }: Node): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? undefined : momentOf(ready.lastTransitionTime);
}

/** Keeps only the fields that are read. A cluster may have thousands of nodes, each updated every few minutes. */
export function trimNode({ metadata, status }: Node): Node {
  const { name, uid, resourceVersion } = metadata ?? {};
  const conditions = status?.conditions?.filter(({ type }) => type === 'Ready') ?? [];
  return {
    metadata: { ...(name && { name }), ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
    status: {
      conditions: conditions.map(({ type, status: holds, lastTransitionTime }) => ({
        type,
        status: holds,
        ...(lastTransitionTime && { lastTransitionTime }),
      })),
    },
  };
}

/** The name of the index of pods by node. */
export const BY_NODE = 'node';

export function nodeOf(pod: KubeObject & Pick<Pod, 'spec'>): string[] {
  const { nodeName } = pod.spec ?? {};
  return nodeName === undefined ? [] : [nodeName];
}
