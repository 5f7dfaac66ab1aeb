/**
 * The logs of a job's replicas while it runs: also of pods that are made later, of containers that are started again, and across
 * connections that are cut, where no line is lost nor printed twice. It ends when the job has ended and its logs are told, or when
 * the job is gone.
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
  /** Default: the one whose end counts. */
  readonly container: string | undefined;
  /** Of what has been said before only so many lines. */
  readonly tailLines: number | undefined;
  readonly write: (replica: string, line: LogLine) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** How long pods that never end by themselves are listened to after the job's end. */
const AFTERGLOW_MS = 5000;

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
    // Awaited at the end; until then an error of one is told there.
    for (const task of tasks.values()) task.catch(() => {});
  };
  for await (const { manifest, pods } of watchJob(client, found, options)) {
    if (manifest === undefined) break;
    const view = jobView(found.kind, manifest, pods);
    begin(view);
    if (!isFinished(view)) continue;
    // The end may be known before the last pods are.
    begin(jobView(found.kind, manifest, await listPods(client, found)));
    break;
  }
  const afterglow = setTimeout(() => ended.abort(new AfterglowOver()), AFTERGLOW_MS);
  const results = await Promise.allSettled(tasks.values());
  clearTimeout(afterglow);
  for (const result of results) {
    if (result.status === 'rejected' && !(result.reason instanceof AfterglowOver)) throw result.reason;
  }
}

class AfterglowOver extends Error {
  override readonly name = 'AfterglowOver';
}
