/** Gauges of single jobs, as in kube-state-metrics, and those of a framework, from the caches at each scrape. */
import { isFinished, momentOf } from '@muster/job-api';
import { namedGang } from '../gang/gang-of.ts';
import { JOB_STATES, PER_JOB, scrapedGauge, type GaugeDeclaration, type LabelOf, type Sample } from '@muster/metrics';
import type { Registry } from 'prom-client';
import { hasUnknownProgress } from '../progress/progress-known.ts';
import { hasStarted } from '../model/conditions.ts';
import { labelsOf, queueOf, readable, readSeen, readyPods, seenJobs, type SeenJob } from './seen-jobs.ts';
import { goodputRatio } from './time-counters.ts';
import type { WatchedKind } from '../reconcile/observe.ts';
import { shownState } from './failing-state.ts';
import { waitingReason, type Surroundings } from './waiting-reason.ts';

type OfJob = keyof ReturnType<typeof labelsOf>;

type SamplesOf<M extends GaugeDeclaration> = (job: SeenJob, now: Surroundings) => readonly Sample<LabelOf<M>>[];

/** @param around undefined while this process is not the leader, which then exports nothing */
export function exportPerJobGauges(
  registry: Registry,
  kinds: readonly WatchedKind[],
  around: () => Surroundings | undefined,
): void {
  function perJob<const M extends GaugeDeclaration>(metric: M, samplesOf: SamplesOf<M>): void {
    scrapedGauge(registry, metric, function* () {
      const now = around();
      if (now === undefined) return;
      for (const job of seenJobs(now.kinds)) yield* readable(() => samplesOf(job, now), []);
    });
  }
  perJob(PER_JOB.info, infoOf);
  perJob(PER_JOB.state, statesOf);
  perJob(PER_JOB.created, (job) => momentOfJob(job, job.manifest.metadata?.creationTimestamp));
  perJob(PER_JOB.started, (job) => momentOfJob(job, hasStarted(job.status) ? job.status.startTime : undefined));
  perJob(PER_JOB.completed, (job) => momentOfJob(job, job.status.completionTime));
  perJob(PER_JOB.replicas, replicasOf);
  perJob(PER_JOB.ready, readyOf);
  perJob(PER_JOB.elasticMin, (job) => valueOfJob(job, boundsOf(job)?.min));
  perJob(PER_JOB.elasticMax, (job) => valueOfJob(job, boundsOf(job)?.max));
  perJob(PER_JOB.elasticWanted, (job) => valueOfJob(job, job.status.elastic?.wanted));
  perJob(PER_JOB.elasticGranted, (job) => valueOfJob(job, job.status.elastic?.granted));
  perJob(PER_JOB.goodput, (job, { nowMs }) => valueOfJob(job, goodputRatio(job, nowMs)));
  perJob(PER_JOB.restarts, restartsOf);
  perJob(PER_JOB.failure, failureOf);
  perJob(PER_JOB.progress, (job) => valueOfJob(job, ratioOf(job.status.progress?.percent)));
  perJob(PER_JOB.progressStep, (job) => valueOfJob(job, job.status.progress?.step));
  perJob(PER_JOB.stalled, (job) => ofFollowed(job, job.status.progress?.message !== undefined));
  perJob(PER_JOB.progressUnknown, (job) => ofFollowed(job, hasUnknownProgress(job.status)));
  perJob(PER_JOB.waiting, (job, now) => {
    const reason = waitingReason(job, now);
    return reason === undefined ? [] : [{ labels: { ...labelsOf(job), reason }, value: 1 }];
  });
  for (const { adapter, caches } of kinds) {
    for (const gauge of adapter.gauges ?? []) {
      const samples = () => caches.jobs.list().flatMap((job) => gauge.samples(job));
      scrapedGauge(registry, gauge.metric, () => (around() === undefined ? [] : samples()));
    }
  }
}

function infoOf(job: SeenJob, around: Surroundings): Sample<OfJob | 'uid' | 'queue' | 'scheduler'>[] {
  const { uid = '' } = job.manifest.metadata ?? {};
  const read = readSeen(job);
  const [role] = read?.roles ?? [];
  const gang = read && namedGang(read, around);
  const queue = queueOf(job);
  const scheduler = role && (role.template.spec?.schedulerName ?? (gang === 'unknown' ? '' : gang?.schedulerName));
  return [{ labels: { ...labelsOf(job), uid, queue, scheduler: scheduler ?? '' }, value: 1 }];
}

const STATES = Object.keys(JOB_STATES);

function statesOf(job: SeenJob, { nowMs }: Surroundings): Sample<OfJob | 'state'>[] {
  const current = shownState(job, nowMs);
  const labels = labelsOf(job);
  return STATES.map((state) => ({ labels: { ...labels, state }, value: state === current ? 1 : 0 }));
}

function failureOf(job: SeenJob, { nowMs }: Surroundings): Sample<OfJob | 'class' | 'exit_code'>[] {
  const state = shownState(job, nowMs);
  if (state !== 'Failing' && state !== 'Failed') return [];
  const { class: failure = 'None', exitCode = '' } = job.status.firstFailure ?? {};
  return [{ labels: { ...labelsOf(job), class: failure, exit_code: String(exitCode) }, value: 1 }];
}

function momentOfJob(job: SeenJob, time: string | undefined) {
  const moment = momentOf(time);
  return valueOfJob(job, moment === undefined ? undefined : moment / 1000);
}

function ratioOf(percent: number | undefined): number | undefined {
  return percent === undefined ? undefined : percent / 100;
}

function ofFollowed(job: SeenJob, holds: boolean): Sample<OfJob>[] {
  const isFollowed = job.runPolicy.progressDeadlineSeconds !== undefined && !isFinished(job.status);
  return valueOfJob(job, isFollowed ? Number(holds) : undefined);
}

function valueOfJob(job: SeenJob, value: number | undefined): Sample<OfJob>[] {
  return value === undefined ? [] : [{ labels: labelsOf(job), value }];
}

function replicasOf(job: SeenJob): Sample<OfJob | 'role'>[] {
  const { manifest, runPolicy, status } = job;
  const mayRun = !runPolicy.suspend && !isFinished(status) && manifest.metadata?.deletionTimestamp === undefined;
  return (readSeen(job)?.roles ?? [])
    .map(({ name, replicas }) => ({ labels: { ...labelsOf(job), role: name }, value: mayRun ? replicas : 0 }))
    .filter(({ value }) => Number.isInteger(value));
}

function readyOf(job: SeenJob): Sample<OfJob | 'role'>[] {
  const read = readSeen(job);
  if (read === undefined) return [];
  return readyPods(job, read).map(({ role, ready }) => ({
    labels: { ...labelsOf(job), role: role.name },
    value: ready,
  }));
}

function boundsOf(job: SeenJob) {
  const read = readSeen(job);
  return read && job.kind.adapter.elastic?.bounds?.(read);
}

function restartsOf(job: SeenJob): Sample<OfJob>[] {
  const { restartCount = 0, disruptionCount = 0 } = job.status;
  return valueOfJob(job, restartCount + disruptionCount);
}
