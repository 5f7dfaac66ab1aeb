/**
 * A job that keeps failing, and goes on: containers that the kubelet restarts, and pods that are recreated. Which limit ends that belongs to it.
 * Pure.
 */
import {
  crashLoopMessage,
  crashLoopOf,
  hasFailedTwice,
  restartLimit,
  runPolicyOf,
  statusOf,
} from '@muster/common-job-controller';
import type { JobFailure, Pod } from '@muster/job-api';
import { errorLine } from './pod-end.ts';
import type { JobView } from './job-view.ts';

/** What is in a crash loop, in one line. Undefined where nothing is. */
export function crashLoop(view: JobView, nowMs: number): string | undefined {
  return ofContainer(view, nowMs) ?? ofCondition(view);
}

/** The first container that its kubelet starts again and again, though its pod counts as running. */
function ofContainer({ kind, manifest, replicas }: JobView, nowMs: number): string | undefined {
  const [loop] = replicas.flatMap(({ pod }) => crashLoopOf(pod, { nowMs }) ?? []);
  if (loop === undefined) return undefined;
  const adapter = kind.adapter(SETTINGS);
  const { hasBackoffLimit } = adapter.lifecycle;
  return crashLoopMessage(loop, runPolicyOf(adapter, manifest), { isOfJob: isOfJob(loop.pod), hasBackoffLimit });
}

/** The operator sees the Job that recreates the pods of a launcher, and for how long the newest one has run. */
function ofCondition({ conditions }: JobView): string | undefined {
  return conditions.find(
    ({ type, status, reason }) => type === 'Waiting' && status === 'True' && reason === 'CrashLoop',
  )?.message;
}

/** The same of pods that are recreated, which are new each time: what failed before is on record alone. */
export function repeatedFailure({ kind, manifest, replicas, firstFailure: failure }: JobView, nowMs: number) {
  const adapter = kind.adapter(SETTINGS);
  const { restartCount, ...status } = statusOf(adapter, manifest);
  if (failure === undefined || restartCount === undefined || !hasFailedTwice(status, nowMs)) return undefined;
  const { role, pod, container } = failure;
  const what = container === undefined ? `Pod ${pod}` : `Pod ${pod}, container ${container}`;
  const times = `${restartCount} ${restartCount === 1 ? 'restart' : 'restarts'}`;
  const limit = restartLimit(runPolicyOf(adapter, manifest).backoffLimit, {
    isOfJob: replicas.some((replica) => replica.role === role && isOfJob(replica.pod)),
    hasBackoffLimit: adapter.lifecycle.hasBackoffLimit,
  });
  return `${what} keeps failing: ${times}; last ${endOf(failure)}; ${limit}`;
}

function endOf({ exitCode, reason, message }: JobFailure): string {
  const named = reason === undefined || reason === 'Error' ? '' : reason;
  const error = errorLine(message);
  const end = exitCode === undefined ? named || 'failed' : `exit code ${exitCode}${named && ` (${named})`}`;
  return error === undefined ? end : `${end}: ${error}`;
}

/**
 * That no limit ends the restarts of a job.
 *
 * @param failed what keeps failing, or a pod that has failed
 */
export function endlessRestarts(view: JobView, failed: string | Pod | undefined) {
  const { kind, manifest, restarts = 0 } = view;
  const adapter = kind.adapter(SETTINGS);
  const isUnset = runPolicyOf(adapter, manifest).backoffLimit === undefined;
  if (failed === undefined || !isUnset || adapter.lifecycle.hasBackoffLimit === false) return [];
  const isEndless = typeof failed === 'string' ? failed.endsWith(WITHOUT_END) : restarts > 1 && !isOfJob(failed);
  if (!isEndless) return [];
  const soFar = typeof failed === 'string' ? [] : [`${restarts} restarts so far; backoffLimit is unset.`];
  const details = [...soFar, 'Set spec.runPolicy.backoffLimit to end the job after so many restarts.'];
  return [{ title: 'Nothing ends its restarts.', details }];
}

const WITHOUT_END = restartLimit(undefined, { hasBackoffLimit: false });

function isOfJob({ metadata }: Pod): boolean {
  return metadata?.ownerReferences?.some(({ kind }) => kind === 'Job') === true;
}

const SETTINGS = { clusterDomain: 'cluster.local' };
