/**
 * How long after a change its job is reconciled. Pods of a job start, fail and end in a crowd: changes that can wait are gathered and
 * written together, as the Job controller of Kubernetes does (pkg/controller/job, syncJobBatchPeriod). What is seen then is written
 * then, so counts in a status are late by one period at most. What a person does, and what decides on the job, waits for nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JobCondition, KubeObject, Pod } from '@muster/job-api';
import type { JobLabels } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { startReason } from '../pods/start-reason.ts';

/** For pods that start, and for what only follows from Muster's own writes. */
export const BATCH_PERIOD_MS = 1000;

/** For pods that fail or end: where one fails others mostly do within moments. They are counted by one write of the status. */
export const FAILURES_COME_WITHIN_MS = 300;

/** Planning for so many pods takes long, and each of them changes several times: no change of a pod is planned by itself. */
const MANY_PODS = 200;

/** What is known of a pod's job when the pod changes. */
export interface PodsOfJob {
  readonly labels: Pick<JobLabels, 'replicaOf'>;
  /** All pods of the job, the changed one included. */
  readonly all: readonly Pod[];
}

/** @param before undefined where the pod is new */
export function podDelayMs(before: Pod | undefined, after: Pod, job: PodsOfJob): number {
  const delayMs = before === undefined ? newPodDelayMs(after) : changeDelayMs(before, after, job);
  return job.all.length < MANY_PODS ? delayMs : Math.max(delayMs, BATCH_PERIOD_MS);
}

/** Of a pod that is gone. */
export function deletedPodDelayMs({ all }: Pick<PodsOfJob, 'all'>): number {
  return all.length < MANY_PODS ? 0 : BATCH_PERIOD_MS;
}

/** Pods that Muster has just created. Others may be the job's to adopt, or be there since before. */
function newPodDelayMs(pod: Pod): number {
  return isOwned(pod) && startOf(pod) === 0 && startReason(pod) === undefined ? BATCH_PERIOD_MS : 0;
}

function changeDelayMs(before: Pod, after: Pod, job: PodsOfJob): number {
  if (before.metadata?.uid !== after.metadata?.uid || after.metadata?.deletionTimestamp !== undefined) return 0;
  if (!isDeepStrictEqual(claimOf(before), claimOf(after))) return 0;
  if (runsOf(before) !== runsOf(after)) return hasDecisiveEnd(after, job) ? 0 : FAILURES_COME_WITHIN_MS;
  // Why it does not start is reported at once.
  if (startReason(after) !== undefined) return 0;
  const start = startOf(after);
  const isLast = start > startOf(before) && job.all.every((pod) => hasEnded(pod) || startOf(pod) >= start);
  return isLast ? 0 : BATCH_PERIOD_MS;
}

/** Which job, and which of its replicas, the pod says that it is of. */
function claimOf({ metadata: { labels, ownerReferences } = {} }: Pod) {
  return { labels, ownerReferences };
}

function isOwned({ metadata }: Pod): boolean {
  return metadata?.ownerReferences?.some(({ controller }) => controller === true) === true;
}

/** Changes whenever a container, or the pod, ends or is started again. */
function runsOf(pod: Pod): string {
  const { phase, containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const started = initContainerStatuses.map(({ restartCount }) => restartCount);
  const runs = containerStatuses.map(({ restartCount, state }) => `${restartCount} ${state?.terminated?.exitCode}`);
  return [hasEnded(pod) ? phase : '', ...started, ...runs].join();
}

/** The end of the first replica of a role, or of the last that runs, is mostly the job's. */
function hasDecisiveEnd(pod: Pod, { labels, all }: PodsOfJob): boolean {
  if (pod.status?.phase === 'Failed' || pod.status?.containerStatuses?.some(hasFailed) === true) return false;
  const replica = labels.replicaOf(pod);
  if (replica?.index === 0) return true;
  return all.every((other) => hasEnded(other) || labels.replicaOf(other)?.role !== replica?.role);
}

type Container = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

function hasFailed({ state }: Container): boolean {
  return (state?.terminated?.exitCode ?? 0) !== 0;
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** How far the start of the pod is: 0 before it runs, 1 with an address, 2 ready. */
function startOf({ status }: Pod): number {
  if (status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') === true) return 2;
  return status?.podIP !== undefined && status.phase === 'Running' ? 1 : 0;
}

/** Whether nothing but the status of the job has changed, and no condition of it: mostly by Muster's own write. */
export function jobDelayMs(before: JobManifest, after: JobManifest): number {
  const isOther =
    before.metadata?.generation !== after.metadata?.generation ||
    !isDeepStrictEqual(metadataOf(before), metadataOf(after)) ||
    !isDeepStrictEqual(conditionsOf(before), conditionsOf(after));
  return isOther ? 0 : BATCH_PERIOD_MS;
}

function metadataOf({ metadata: { resourceVersion: _version, managedFields: _fields, ...metadata } = {} }: KubeObject) {
  return metadata;
}

/** The first condition says no more than that the operator has seen the job. */
function conditionsOf({ status }: JobManifest): string[] {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly JobCondition[] };
  return conditions.filter(({ type }) => type !== 'Created').map(({ type, status: holds }) => `${type} ${holds}`);
}
