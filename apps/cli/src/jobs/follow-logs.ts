/**
 * Follows the logs of a job's replicas while it runs, including pods that are created later and restarted containers. After a
 * lost connection, no line is lost or printed twice. It ends when the job has ended and its logs are printed, or when the job is
 * deleted.
 */
import type { ClusterClient } from '@muster/kube';
import type { FoundJob } from './find-job.ts';
import { followRun, runOf } from './follow-run.ts';
import { isFinished, jobView, type JobView } from './job-view.ts';
import { listPods } from './list-pods.ts';
import { selectedReplicas, type LogSelection } from './log-selection.ts';
import type { LogLine } from './pod-log.ts';
import { watchJob } from './watch-job.ts';

export interface FollowOptions {
  readonly selection: LogSelection;
  /** Default: the main container. */
  readonly container: string | undefined;
  /** The number of earlier lines of each log. Default: all. */
  readonly tailLines: number | undefined;
  readonly write: (replica: string, line: LogLine) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** How long logs of pods that still run are followed after the job's end. */
const AFTER_END_MS = 5000;

export async function followLogs(client: ClusterClient, found: FoundJob, options: FollowOptions): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  const tasks = new Map<string, Promise<void>>();
  const begin = (view: JobView) => {
    for (const replica of selectedReplicas(view, options.selection)) {
      const target = { replica, container: options.container ?? replica.container };
      const run = runOf(replica.pod, target.container);
      if (run !== undefined && !tasks.has(run)) tasks.set(run, followRun(client, target, { ...options, signal }));
    }
    // Errors are handled when the tasks are awaited at the end.
    for (const task of tasks.values()) task.catch(() => {});
  };
  for await (const { manifest, pods } of watchJob(client, found, options)) {
    if (manifest === undefined) break;
    const view = jobView(found.kind, manifest, pods);
    begin(view);
    if (!isFinished(view)) continue;
    // The job's end may arrive before its last pods.
    begin(jobView(found.kind, manifest, await listPods(client, found)));
    break;
  }
  const timer = setTimeout(() => ended.abort(new AfterEndExpired()), AFTER_END_MS);
  const results = await Promise.allSettled(tasks.values());
  clearTimeout(timer);
  for (const result of results) {
    if (result.status === 'rejected' && !(result.reason instanceof AfterEndExpired)) throw result.reason;
  }
}

class AfterEndExpired extends Error {
  override readonly name = 'AfterEndExpired';
}
