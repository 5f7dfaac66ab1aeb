/**
 * How long after a change its job is reconciled. Pods of a job start, fail and end in a crowd: changes that can wait are gathered and
 * written together, as the Job controller of Kubernetes does (pkg/controller/job, syncJobBatchPeriod). What is seen then is written
 * then, so counts in a status are late by one period at most. What a person does, and what decides on the job, waits for nothing: the
 * last pod that starts, and the last of its role that ends, such as a master or a launcher.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JobCondition, KubeObject, Pod } from '@muster/job-api';
import type { FrameworkAdapter, JobLabels } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { startReason } from '../pods/start-reason.ts';

/** For pods that start while others of their job have yet to, and for what only follows from Muster's own writes. */
export const START_PERIOD_MS = 4000;

/** For pods that end well while others of their role run. One that is deleted before it is counted would be run again. */
export const END_PERIOD_MS = 1000;

/** For pods that fail: others of their job mostly do within moments. */
export const FAILURE_PERIOD_MS = 300;

/** Planning for so many pods takes long, and each of them changes several times: no change of a pod is planned by itself. */
const MANY_PODS = 200;
const MANY_PODS_PERIOD_MS = 1000;

/** What is known of a pod's job when the pod changes. */
export interface PodsOfJob {
  readonly labels: Pick<JobLabels, 'replicaOf'>;
  /** All pods of the job, the changed one included. */
  readonly all: readonly Pod[];
}

/** @param before undefined where the pod is new */
export function podDelayMs(before: Pod | undefined, after: Pod, job: PodsOfJob): number {
  const delayMs = before === undefined ? newPodDelayMs(after) : changeDelayMs(before, after, job);
  return job.all.length < MANY_PODS ? delayMs : Math.max(delayMs, MANY_PODS_PERIOD_MS);
}

/** Of a pod that is gone. */
export function deletedPodDelayMs({ all }: Pick<PodsOfJob, 'all'>): number {
  return all.length < MANY_PODS ? 0 : MANY_PODS_PERIOD_MS;
}

/** Pods that Muster has just created. Others may be the job's to adopt, or be there since before. */
function newPodDelayMs(pod: Pod): number {
  return isOwned(pod) && startOf(pod) === 0 && startReason(pod) === undefined ? START_PERIOD_MS : 0;
}

function changeDelayMs(before: Pod, after: Pod, job: PodsOfJob): number {
  if (before.metadata?.uid !== after.metadata?.uid || after.metadata?.deletionTimestamp !== undefined) return 0;
  if (!isDeepStrictEqual(claimOf(before), claimOf(after))) return 0;
  if (runsOf(before) !== runsOf(after)) return endDelayMs(after, job);
  // Why it does not start is reported at once.
  if (startReason(after) !== undefined) return 0;
  const start = startOf(after);
  const isLast = start > startOf(before) && job.all.every((pod) => hasEnded(pod) || startOf(pod) >= start);
  return isLast ? 0 : START_PERIOD_MS;
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
  const runs = [...initContainerStatuses, ...containerStatuses].map(
    ({ name, restartCount, state }) => `${name} ${restartCount} ${state?.terminated?.exitCode ?? 0}`,
  );
  const ends = containerStatuses.flatMap(({ name, state }) => (state?.terminated === undefined ? [] : [name]));
  // A container that has just appeared has run once.
  return [...(hasEnded(pod) ? [phase] : []), ...runs.filter((run) => !run.endsWith(' 0 0')), ...ends].join();
}

/** The end of the last pod of a role is mostly the job's. */
function endDelayMs(pod: Pod, { labels, all }: PodsOfJob): number {
  const { phase, containerStatuses = [] } = pod.status ?? {};
  if (phase === 'Failed' || !containerStatuses.some(hasEndedWell)) return FAILURE_PERIOD_MS;
  const role = labels.replicaOf(pod)?.role;
  const isLast = all.every((other) => hasEnded(other) || labels.replicaOf(other)?.role !== role);
  return isLast ? 0 : END_PERIOD_MS;
}

type Container = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

function hasEndedWell({ state }: Container): boolean {
  return state?.terminated?.exitCode === 0;
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** How far the start of the pod is: 0 before it runs, 1 with an address, 2 ready. */
function startOf({ status }: Pod): number {
  if (status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') === true) return 2;
  return status?.podIP !== undefined && status.phase === 'Running' ? 1 : 0;
}

/**
 * Where nothing but counts in the status of the job has changed that was mostly Muster itself. A kind whose status has a form of its own
 * may go by any field of it.
 */
export function jobDelayMs(
  before: JobManifest,
  after: JobManifest,
  { status }: Pick<FrameworkAdapter, 'status'>,
): number {
  const isOther =
    status?.encode !== undefined ||
    before.metadata?.generation !== after.metadata?.generation ||
    !isDeepStrictEqual(metadataOf(before), metadataOf(after)) ||
    !isDeepStrictEqual(conditionsOf(before), conditionsOf(after));
  return isOther ? 0 : START_PERIOD_MS;
}

function metadataOf({ metadata: { resourceVersion: _version, managedFields: _fields, ...metadata } = {} }: KubeObject) {
  return metadata;
}

/** The first condition says no more than that the operator has seen the job. */
function conditionsOf({ status }: JobManifest): string[] {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly JobCondition[] };
  return conditions.filter(({ type }) => type !== 'Created').map(({ type, status: holds }) => `${type} ${holds}`);
}
