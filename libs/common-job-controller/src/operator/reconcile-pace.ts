/**
 * Pods of a job often start, fail and end together, so changes that can wait are batched, as in Kubernetes' Job
 * controller (pkg/controller/job, syncJobBatchPeriod). Counts in a status are at most one period late. User changes are
 * handled at once, as are the start of the last pod and the end of the last pod of a role.
 */
import { isDeepStrictEqual } from 'node:util';
import { ENDPOINT_SLICES, hasEnded, type JobCondition, type KubeObject, type Pod } from '@muster/job-api';
import type { FrameworkAdapter, JobLabels } from '../contract/adapter.ts';
import type { OwnedKind } from '../model/owned-resources.ts';
import type { JobManifest } from '../model/training-job.ts';
import { controllerOf } from '../model/ownership.ts';
import { isReady } from '../pods/replica-pods.ts';
import { startReason } from '../pods/start-reason.ts';

/** For pods that start or succeed before others, and for Services. */
export const BATCH_PERIOD_MS = 4000;

/** For counts in a status and EndpointSlices. Nothing follows from Muster's own writes, and those of others are reverted. */
export const OWN_WRITE_PERIOD_MS = 15_000;

/** Other pods of the job usually fail soon afterwards. */
export const FAILURE_PERIOD_MS = 300;

/** Planning for many pods takes long, and each changes several times, so every change of a pod is batched. */
const MANY_PODS = 200;
const MANY_PODS_PERIOD_MS = 1000;

export interface PodsOfJob {
  readonly labels: Pick<JobLabels, 'replicaOf'>;
  readonly all: readonly Pod[];
}

export function podDelayMs(before: Pod | undefined, after: Pod, job: PodsOfJob): number {
  const delayMs = before === undefined ? newPodDelayMs(after) : changeDelayMs(before, after, job);
  return job.all.length < MANY_PODS ? delayMs : Math.max(delayMs, MANY_PODS_PERIOD_MS);
}

export function deletedPodDelayMs({ all }: Pick<PodsOfJob, 'all'>): number {
  return all.length < MANY_PODS ? 0 : MANY_PODS_PERIOD_MS;
}

/** Other pods may have to be adopted, or are older. */
function newPodDelayMs(pod: Pod): number {
  return controllerOf(pod) !== undefined && startOf(pod) === 0 && startReason(pod) === undefined ? BATCH_PERIOD_MS : 0;
}

function changeDelayMs(before: Pod, after: Pod, job: PodsOfJob): number {
  if (before.metadata?.uid !== after.metadata?.uid || after.metadata?.deletionTimestamp !== undefined) return 0;
  if (!isDeepStrictEqual(claimOf(before), claimOf(after))) return 0;
  if (runsOf(before) !== runsOf(after)) return endDelayMs(before, after, job);
  // The reason why a pod does not start is reported at once.
  if (startReason(after) !== undefined) return 0;
  const start = startOf(after);
  const isLast = start > startOf(before) && job.all.every((pod) => hasEnded(pod) || startOf(pod) >= start);
  return isLast ? 0 : BATCH_PERIOD_MS;
}

function claimOf({ metadata: { labels, ownerReferences } = {} }: Pod) {
  return { labels, ownerReferences };
}

/** Changes whenever a container or the pod ends or restarts. */
function runsOf(pod: Pod): string {
  const { phase, containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const runs = [...initContainerStatuses, ...containerStatuses].map(
    ({ name, restartCount, state }) => `${name} ${restartCount} ${state?.terminated?.exitCode ?? 0}`,
  );
  const ends = containerStatuses.flatMap(({ name, state }) => (state?.terminated === undefined ? [] : [name]));
  return [...(hasEnded(pod) ? [phase] : []), ...runs.filter((run) => !run.endsWith(' 0 0')), ...ends].join();
}

/** The success of a role's last pod usually ends the job, so it is not delayed. */
function endDelayMs(before: Pod, after: Pod, { labels, all }: PodsOfJob): number {
  const succeeded = successesOf(after);
  const isSuccess = succeeded > successesOf(before) || (succeeded > 0 && hasEnded(after) && !hasEnded(before));
  if (after.status?.phase === 'Failed' || !isSuccess) return FAILURE_PERIOD_MS;
  const role = labels.replicaOf(after)?.role;
  // A pod with a sidecar still runs after its main container has succeeded.
  const isLast = all.every((pod) => hasEnded(pod) || successesOf(pod) > 0 || labels.replicaOf(pod)?.role !== role);
  return isLast ? 0 : BATCH_PERIOD_MS;
}

/** How many of its containers have succeeded. */
function successesOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).filter(({ state }) => state?.terminated?.exitCode === 0).length;
}

/** The progress of the pod's start: 0 before it runs, 1 with an IP, 2 when Ready. */
function startOf(pod: Pod): number {
  if (isReady(pod)) return 2;
  return pod.status?.podIP !== undefined && pod.status.phase === 'Running' ? 1 : 0;
}

/** Changes of counts are usually Muster's own. For a kind with its own form of status, any field may matter. */
export function jobDelayMs(
  before: JobManifest,
  after: JobManifest,
  { status }: Pick<FrameworkAdapter, 'status'>,
): number {
  const isOther =
    status?.recordIn !== undefined ||
    before.metadata?.generation !== after.metadata?.generation ||
    !isDeepStrictEqual(metadataOf(before), metadataOf(after)) ||
    !isDeepStrictEqual(conditionsOf(before), conditionsOf(after));
  return isOther ? 0 : OWN_WRITE_PERIOD_MS;
}

/** Counts in the status of a Job, a StatefulSet or a PodGroup follow pods, whose own changes are handled. */
export function ownedDelayMs({ resource }: OwnedKind, before: KubeObject | undefined, after: KubeObject): number {
  if (resource === ENDPOINT_SLICES) return OWN_WRITE_PERIOD_MS;
  return before !== undefined && isDeepStrictEqual(withoutCounts(before), withoutCounts(after)) ? BATCH_PERIOD_MS : 0;
}

function withoutCounts(object: KubeObject & { readonly status?: unknown }): object {
  const status = JSON.stringify(object.status, (_key, value: unknown) =>
    typeof value === 'number' ? undefined : value,
  );
  return { ...object, metadata: metadataOf(object), status };
}

function metadataOf({ metadata: { resourceVersion: _version, managedFields: _fields, ...metadata } = {} }: KubeObject) {
  return metadata;
}

/** Without those that only show what the operator has seen, and that nothing follows from. */
function conditionsOf({ status }: JobManifest): string[] {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly JobCondition[] };
  return conditions
    .filter(({ type, status: holds }) => type !== 'Created' && !(type === 'Running' && holds === 'True'))
    .map(({ type, status: holds }) => `${type} ${holds}`);
}
