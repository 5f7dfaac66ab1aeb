/** The status of a Workload that its creator reports to Kueue. Each is a merge patch, undefined if nothing changes. */
import { hasCondition, type JobStatus, timestamp } from '@muster/job-api';
import type { ResourceChange } from '../model/owned-resources.ts';
import { isReady } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { conditionOf, holds, type KueueWorkload, type PodSet, type WorkloadCondition } from './kueue-objects.ts';
import { countOf, podSetName } from './queue-workload.ts';

export function finished(workload: KueueWorkload, job: JobStatus, nowMs: number): ResourceChange | undefined {
  if (holds(workload, 'Finished')) return undefined;
  const end = job.conditions?.find(
    ({ type, status }) => status === 'True' && (type === 'Succeeded' || type === 'Failed'),
  );
  const message = end?.message ?? 'The job has ended.';
  const reason = hasCondition(job.conditions, 'Succeeded') ? 'Succeeded' : 'Failed';
  return statusChange(workload, [{ type: 'Finished', status: 'True', reason, message }], nowMs);
}

/** After these evictions Kueue queues the Workload again. After others it waits for a back-off or for a user. */
const QUEUED_AGAIN: ReadonlySet<string | undefined> = new Set(['Preempted', 'NodeFailures']);

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
  return statusChange(workload, conditions, nowMs, { admission: null, reclaimablePods: null });
}

/** `podSets` are those that the job requests now. */
export function progress(
  workload: KueueWorkload,
  podSets: readonly PodSet[],
  replicas: readonly ReplicaPod[],
  nowMs: number,
): ResourceChange | undefined {
  const reclaimablePods = reclaimable(workload, podSets, replicas);
  const ready = podsReady(workload, replicas);
  if (reclaimablePods === undefined && ready === undefined) return undefined;
  return statusChange(workload, ready === undefined ? [] : [ready], nowMs, reclaimablePods && { reclaimablePods });
}

function podsReady(workload: KueueWorkload, replicas: readonly ReplicaPod[]): WorkloadCondition | undefined {
  const before = conditionOf(workload, 'PodsReady');
  const areReady = replicas.every(({ state, pod }) => state === 'succeeded' || (state === 'running' && isReady(pod)));
  if (areReady === (before?.status === 'True')) return undefined;
  if (!areReady) {
    return { type: 'PodsReady', status: 'False', reason: 'WaitForRecovery', message: 'A pod is no longer ready.' };
  }
  const hasRun = before?.reason === 'WaitForRecovery' || before?.reason === 'Recovered';
  const message = 'All pods are ready, or have succeeded.';
  return { type: 'PodsReady', status: 'True', reason: hasRun ? 'Recovered' : 'Started', message };
}

/** While quota is held, the numbers only grow. */
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
    return { name, count: Math.max(countOf(before, name), admitted - wanted + done) };
  });
  const isNews = after.some(({ name, count }) => count > countOf(before, name));
  return isNews ? after.filter(({ count }) => count > 0) : undefined;
}

/** A merge patch replaces the whole list of conditions. */
function statusChange(
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
