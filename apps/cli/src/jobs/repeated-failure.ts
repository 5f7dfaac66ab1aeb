/**
 * A job that keeps failing and continues: containers that the kubelet restarts, and pods that are recreated, with the limit of
 * restarts. Pure.
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

/** The pod in a crash loop, in one line. Undefined if there is none. */
export function crashLoop(view: JobView, nowMs: number): string | undefined {
  return ofContainer(view, nowMs) ?? ofCondition(view);
}

/** The first container that its kubelet keeps restarting while the pod is Running. */
function ofContainer({ kind, manifest, replicas }: JobView, nowMs: number): string | undefined {
  const [loop] = replicas.flatMap(({ pod }) => crashLoopOf(pod, { nowMs }) ?? []);
  if (loop === undefined) return undefined;
  const adapter = kind.adapter(SETTINGS);
  const { hasBackoffLimit } = adapter.lifecycle;
  return crashLoopMessage(loop, runPolicyOf(adapter, manifest), { isOfJob: isOfJob(loop.pod), hasBackoffLimit });
}

/** Only the operator knows how long the newest pod of a launcher's Job has run. */
function ofCondition({ conditions }: JobView): string | undefined {
  return conditions.find(
    ({ type, status, reason }) => type === 'Waiting' && status === 'True' && reason === 'CrashLoop',
  )?.message;
}

/** The same for recreated pods: only the status has their earlier failures. */
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
 * A finding if the restarts of a job are not limited.
 *
 * @param failed the text about a repeated failure, or a pod that has failed
 */
export function endlessRestarts(view: JobView, failed: string | Pod | undefined) {
  const { kind, manifest, restarts = 0 } = view;
  const adapter = kind.adapter(SETTINGS);
  const isUnset = runPolicyOf(adapter, manifest).backoffLimit === undefined;
  if (failed === undefined || !isUnset || adapter.lifecycle.hasBackoffLimit === false) return [];
  const isEndless = typeof failed === 'string' ? failed.endsWith(WITHOUT_END) : restarts > 1 && !isOfJob(failed);
  if (!isEndless) return [];
  const count = typeof failed === 'string' ? [] : [`${restarts} restarts; backoffLimit is unset.`];
  const details = [...count, 'Set spec.runPolicy.backoffLimit so that the job fails after that number of restarts.'];
  return [{ title: 'Its restarts are not limited.', details }];
}

const WITHOUT_END = restartLimit(undefined, { hasBackoffLimit: false });

function isOfJob({ metadata }: Pod): boolean {
  return metadata?.ownerReferences?.some(({ kind }) => kind === 'Job') === true;
}

const SETTINGS = { clusterDomain: 'cluster.local' };
