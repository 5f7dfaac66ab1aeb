/** A replica ends with its main container, so sidecars, e.g. a log shipper, may outlast the job for this time. */
import { ANNOTATIONS, type KubeObject, momentOf, type Pod } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import { mainEndOf } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { JobPlanContext } from '../world/plan-context.ts';
import { endTimeMs } from './time-to-live.ts';
import type { GraceOf } from '../workloads/desired-workload.ts';

const SIDECAR_GRACE_MS = 30_000;

export function sidecarGrace({ job, world, settings }: Pick<JobPlanContext, 'job' | 'world' | 'settings'>): GraceOf {
  const graceMs = graceMsOf(job, settings);
  const jobEndMs = jobEndMsOf(job, world.nowMs, graceMs);
  return ({ pod, role }) => {
    if (pod === undefined || !isActive(pod)) return 0;
    const main = mainEndOf(pod, role.containerName);
    if (main === undefined) return 0;
    // The kubelet's clock may be ahead.
    const endMs = Math.min(world.nowMs, Math.max(jobEndMs, momentOf(main.finishedAt) ?? 0));
    return Math.max(0, endMs + graceMs - world.nowMs);
  };
}

/** Of the finished job as a whole. 0 or less if it is over. */
export function jobGraceMs({ job, world, settings }: Pick<JobPlanContext, 'job' | 'world' | 'settings'>): number {
  const graceMs = graceMsOf(job, settings);
  return jobEndMsOf(job, world.nowMs, graceMs) + graceMs - world.nowMs;
}

export function longestGraceMs(replicas: readonly ReplicaPod[], graceOf: GraceOf): number | undefined {
  const left = replicas.map(graceOf).filter((ms) => ms > 0);
  return left.length === 0 ? undefined : Math.max(...left);
}

/** `annotationProblems` reports invalid values. */
export function annotatedGraceMs({ metadata }: Pick<KubeObject, 'metadata'>): number | undefined {
  const seconds = metadata?.annotations?.[ANNOTATIONS.sidecarGraceSeconds] ?? '';
  return /^[1-9]\d{0,8}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

/** An end far in the future means that the clock was set back, and is ignored. Another operator's clock may be a little ahead. */
function jobEndMsOf({ status }: TrainingJob, nowMs: number, graceMs: number): number {
  const endMs = endTimeMs(status) ?? nowMs;
  return endMs - nowMs > graceMs ? 0 : endMs;
}

function graceMsOf(job: TrainingJob, { sidecarGraceMs = SIDECAR_GRACE_MS }: JobPlanContext['settings']): number {
  return annotatedGraceMs(job) ?? sidecarGraceMs;
}

function isActive({ metadata, status }: Pod): boolean {
  return metadata?.deletionTimestamp === undefined && status?.phase === 'Running';
}
