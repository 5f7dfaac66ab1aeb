/**
 * No kubelet confirms the deletion of a pod on a lost node, so its name stays in use and its replica cannot be recreated. If operator
 * (`--force-delete-pods-on-lost-nodes`) and job (`lostNodeTimeoutSeconds`) allow it, the pod is deleted by force, else the user is notified
 * (`stuck-pods.ts`). Kubernetes itself deletes pods of removed nodes and of nodes with the out-of-service taint (pkg/controller/podgc).
 */
import { type EventReason, type KubeObject, momentOf, type Node, type Pod, PODS, timestamp } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import { ownershipOf } from '../model/ownership.ts';
import { ageOf, deletionOf, lossOf } from '../model/state-ages.ts';
import type { Additions } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { WriteOf } from '../model/write.ts';
import { earliest } from '../model/requeue.ts';
import { fieldsOf } from '../pods/trim.ts';
import { isCreatedByWorkload, ownWorkloads } from '../workloads/workloads.ts';
import type { World } from '../world/world.ts';

/** In every state of the job, because the pod keeps its name and resources. */
export function forcedDeletions(job: TrainingJob, world: World): Additions {
  const pods = lostPods(job, world);
  return {
    events: ignoredTimeout(job, world),
    writes: pods.filter(({ waitMs }) => waitMs <= 0).map(forcedDeletion),
    requeueAfterMs: earliest(...pods.map(({ waitMs }) => waitMs).filter((waitMs) => waitMs > 0)),
  };
}

/** UIDs of pods that are or will be deleted by force. */
export function podsDeletedByForce(job: TrainingJob, world: World): ReadonlySet<string> {
  return new Set(lostPods(job, world).map(({ pod }) => pod.metadata?.uid ?? ''));
}

interface LostPod {
  readonly pod: Pod;
  readonly sinceMs: number;
  readonly timeoutSeconds: number;
  /** Until it is deleted by force. */
  readonly waitMs: number;
}

/** Times count from when the operator saw the loss and the deletion, independently of other clocks. */
function lostPods(job: TrainingJob, world: World): LostPod[] {
  const { lostNodes: nodes, stateAges: ages } = world;
  const { lostNodeTimeoutSeconds: timeoutSeconds } = job.runPolicy;
  if (timeoutSeconds === undefined || nodes === undefined) return [];
  const workloads = ownWorkloads(job, world.ownedResources);
  const pods = world.pods.filter(
    (pod) => ownershipOf(pod, job.metadata.uid) === 'owned' || isCreatedByWorkload(pod, workloads),
  );
  return pods.flatMap((pod) => {
    const { nodeName = '' } = pod.spec ?? {};
    const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata ?? {};
    const sinceMs = nodes.get(nodeName);
    // Without a grace period, only finalizers hold the pod, and a forced deletion does not remove those.
    if (sinceMs === undefined || deletionTimestamp === undefined || deletionGracePeriodSeconds === 0) return [];
    const lostForMs = ageOf(ages, lossOf(nodeName, sinceMs));
    const deletedForMs = ageOf(ages, deletionOf(pod));
    const waitMs = Math.max(timeoutSeconds * 1000 - lostForMs, (deletionGracePeriodSeconds ?? 0) * 1000 - deletedForMs);
    return [{ pod, sinceMs, timeoutSeconds, waitMs }];
  });
}

function forcedDeletion({ pod, sinceMs, timeoutSeconds }: LostPod): WriteOf<'forceDelete'> {
  const note =
    `Pod ${pod.metadata?.name} was force-deleted: its node ${pod.spec?.nodeName} has not been ready since ` +
    `${timestamp(sinceMs)}, longer than spec.runPolicy.lostNodeTimeoutSeconds (${timeoutSeconds}). If the node ` +
    `still runs, the program may still run on it.`;
  return {
    op: 'forceDelete',
    resource: PODS,
    object: pod,
    event: { type: 'Warning', reason: 'ForcedDeletePod' satisfies EventReason, action: 'DeletePod', note },
  };
}

function ignoredTimeout({ runPolicy }: TrainingJob, { lostNodes, emittedEvents }: World): PlannedEvent[] {
  if (runPolicy.lostNodeTimeoutSeconds === undefined || lostNodes !== undefined || emittedEvents.has(IGNORED))
    return [];
  const note =
    'spec.runPolicy.lostNodeTimeoutSeconds has no effect: this operator runs without --force-delete-pods-on-lost-nodes. ' +
    'Start it with that flag, or remove the field.';
  return [{ type: 'Warning', reason: IGNORED, action: 'DeletePod', note, dedupKey: IGNORED }];
}

const IGNORED = 'LostNodeTimeoutIgnored' satisfies EventReason;

export function lostSinceMs({ status }: Node): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? undefined : momentOf(ready.lastTransitionTime);
}

/** A cluster may have thousands of nodes, each updated every few minutes. */
export function trimNode({ metadata, status }: Node): Node {
  const ready = status?.conditions?.filter(({ type }) => type === 'Ready') ?? [];
  const conditions = ready.map((condition) => ({
    type: condition.type,
    status: condition.status,
    ...fieldsOf(condition, ['lastTransitionTime']),
  }));
  return { metadata: fieldsOf(metadata, ['name', 'uid', 'resourceVersion']), status: { conditions } };
}

export const BY_NODE = 'node';

export function nodeOf(pod: KubeObject & Pick<Pod, 'spec'>): string[] {
  const { nodeName } = pod.spec ?? {};
  return nodeName === undefined ? [] : [nodeName];
}
