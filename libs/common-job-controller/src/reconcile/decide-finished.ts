import { withLaterCause } from '../failures/kept-failures.ts';
import { NO_CHANGE, type Decision } from '../model/decision.ts';
import { earliest } from '../model/requeue.ts';
import { calls } from '../model/write.ts';
import { jobGraceMs } from '../policies/sidecar-grace.ts';
import { endTimeMs, planTimeToLive, type TimeToLive } from '../policies/time-to-live.ts';
import { completed } from '../status/job-state.ts';
import { jobWarnings } from './job-warnings.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import { planCleanUp } from '../children/plan-removal.ts';

const DELETED: TimeToLive = { writes: [{ op: 'deleteJob' }], requeueAfterMs: undefined };

/** Also completes the status of jobs that ended under another operator. */
export function decideFinished(context: JobPlanContext): Decision {
  const { adapter, job, world, replicas } = context;
  const { nowMs } = world;
  const end = adapter.ownedResources?.afterEnd?.(job, world);
  const cleanUp = planCleanUp(context);
  const graceMs = cleanUp.requeueAfterMs ?? (end?.hasSidecars === true ? jobGraceMs(context) : 0);
  const due = end?.deletesJob === true ? DELETED : planTimeToLive(job, nowMs);
  const life = graceMs > 0 && due.writes.length > 0 ? { writes: [], requeueAfterMs: graceMs } : due;
  const isDeleted = life.writes.length > 0;
  // A status write would change the resourceVersion that is to be deleted.
  const isShown = job.status.state !== undefined || isDeleted;
  const known = isDeleted ? job.status : withLaterCause(adapter, job, replicas, world);
  const after = isShown ? known : completed(known, endTimeMs(job.status) ?? nowMs);
  return {
    ...NO_CHANGE,
    status: { before: job.status, after },
    events: jobWarnings(end?.warnings, 'CleanUp'),
    writes: [...cleanUp.writes, ...life.writes, ...calls(end?.calls)],
    requeueAfterMs: earliest(life.requeueAfterMs, end?.recheckAfterMs, cleanUp.requeueAfterMs),
  };
}
