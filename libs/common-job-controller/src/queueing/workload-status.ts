/**
 * What whoever makes a Workload has to tell Kueue in its status: that the job has ended, that its pods are ready, which of them it
 * needs no more, and that they are gone after an eviction. Each is a merge patch, undefined where there is nothing to tell.
 */
import type { JobStatus } from '@muster/job-api';
import type { ResourceChange } from '../model/owned-resources.ts';
import { isReady } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { hasCondition, timestamp } from '../model/conditions.ts';
import { conditionOf, holds, type KueueWorkload, type PodSet, type WorkloadCondition } from './kueue-objects.ts';
import { countOf, podSetName } from './queue-workload.ts';

/** Kueue counts nothing of it any more. */
export function finished(workload: KueueWorkload, job: JobStatus, nowMs: number): ResourceChange | undefined {
  if (holds(workload, 'Finished')) return undefined;
  const end = job.conditions?.find(
    ({ type, status }) => status === 'True' && (type === 'Succeeded' || type === 'Failed'),
  );
  const message = end?.message ?? 'The job has ended.';
  const reason = hasCondition(job.conditions, 'Succeeded') ? 'Succeeded' : 'Failed';
  return told(workload, [{ type: 'Finished', status: 'True', reason, message }], nowMs);
}

/** By these Kueue puts a Workload back into its queue at once; after others it waits, or for somebody to activate it. */
const QUEUED_AGAIN: ReadonlySet<string | undefined> = new Set(['Preempted', 'NodeFailures']);

/** What an evicted job held is free, now that its pods are gone. */
export function quotaReturned(workload: KueueWorkload, nowMs: number): ResourceChange | undefined {
  const evicted = conditionOf(workload, 'Evicted');
  if (evicted?.status !== 'True' || !holds(workload, 'QuotaReserved')) return undefined;
  const message = evicted.message ?? '';
  const reason = evicted.reason ?? 'Evicted';
  const conditions: WorkloadCondition[] = [
    { type: 'QuotaReserved', status: 'False', reason: 'Pending', message },
    { type: 'Requeued', status: QUEUED_AGAIN.has(evicted.reason) ? 'True' : 'False', reason, message },
  ];
  if (holds(workload, 'Admitted'))
    conditions.push({ type: 'Admitted', status: 'False', reason: 'NoReservation', message });
  if (holds(workload, 'PodsReady'))
    conditions.push({ type: 'PodsReady', status: 'False', reason: 'WaitForStart', message: 'Its pods are gone.' });
  return told(workload, conditions, nowMs, { admission: null, reclaimablePods: null });
}

/** Of one that is admitted; `podSets` are those that the job asks for now. */
export function progress(
  workload: KueueWorkload,
  podSets: readonly PodSet[],
  replicas: readonly ReplicaPod[],
  nowMs: number,
): ResourceChange | undefined {
  const reclaimablePods = reclaimable(workload, podSets, replicas);
  const ready = podsReady(workload, replicas);
  if (reclaimablePods === undefined && ready === undefined) return undefined;
  return told(workload, ready === undefined ? [] : [ready], nowMs, reclaimablePods && { reclaimablePods });
}

function podsReady(workload: KueueWorkload, replicas: readonly ReplicaPod[]): WorkloadCondition | undefined {
  const before = conditionOf(workload, 'PodsReady');
  const areReady = replicas.every(({ state, pod }) => state === 'succeeded' || (state === 'running' && isReady(pod)));
  if (areReady === (before?.status === 'True')) return undefined;
  const hasRun = before?.reason === 'WaitForRecovery' || before?.reason === 'Recovered';
  return areReady
    ? {
        type: 'PodsReady',
        status: 'True',
        reason: hasRun ? 'Recovered' : 'Started',
        message: 'All pods are ready, or have succeeded.',
      }
    : {
        type: 'PodsReady',
        status: 'False',
        reason: 'WaitForRecovery',
        message: 'A pod is not ready any more.',
      };
}

/** Pods that have succeeded, and those of a job that was scaled down. While the quota is held the numbers only grow. */
function reclaimable(
  workload: KueueWorkload,
  podSets: readonly PodSet[],
  replicas: readonly ReplicaPod[],
): object[] | undefined {
  const { spec, status } = workload;
  const before = status?.reclaimablePods ?? [];
  const after = (status?.admission?.podSetAssignments ?? []).map(({ name, count }) => {
    const admitted = count ?? countOf(spec?.podSets ?? [], name);
    const wanted = Math.min(admitted, countOf(podSets, name));
    const done = replicas.filter(({ role, state }) => podSetName(role) === name && state === 'succeeded').length;
    return { name, count: Math.max(before.find((each) => each.name === name)?.count ?? 0, admitted - wanted + done) };
  });
  const isNews = after.some(({ name, count }) => count > (before.find((each) => each.name === name)?.count ?? 0));
  return isNews ? after.filter(({ count }) => count > 0) : undefined;
}

/** In a merge patch a list replaces the list. */
function told(
  { metadata, status }: KueueWorkload,
  news: readonly WorkloadCondition[],
  nowMs: number,
  more: object = {},
): ResourceChange {
  const { generation: observedGeneration = 0 } = metadata ?? {};
  const types = new Set(news.map(({ type }) => type));
  const kept = (status?.conditions ?? []).filter(({ type }) => !types.has(type));
  const added = news.map((each) => ({ ...each, observedGeneration, lastTransitionTime: timestamp(nowMs) }));
  return { subresource: 'status', patch: { status: { ...more, conditions: [...kept, ...added] } } };
}
