/** Read from the caches at each scrape, so the gauges are exact, also after an operator restart. */
import { JOBS, scrapedGauge } from '@muster/metrics';
import type { Registry } from 'prom-client';
import { jobKeysOf } from '../reconcile/observe.ts';
import { labelsOf, readable, seenJobs, type SeenJob } from './seen-jobs.ts';
import { shownState } from './failing-state.ts';
import { waitingReason, type Surroundings } from './waiting-reason.ts';

/** @param around undefined while this process is not the leader, which then exports nothing */
export function exportJobGauges(registry: Registry, around: () => Surroundings | undefined): void {
  const samples =
    <Labels extends Texts>(labelsNow: (now: Surroundings) => Iterable<Labels>) =>
    () => {
      const now = around();
      return now === undefined ? [] : counted(labelsNow(now));
    };
  scrapedGauge(registry, JOBS.jobs, samples(jobStates));
  scrapedGauge(registry, JOBS.pods, samples(podPhases));
  scrapedGauge(registry, JOBS.waiting, samples(waitingReasons));
}

type Texts = Readonly<Record<string, string>>;

function counted<Labels extends Texts>(all: Iterable<Labels>) {
  const equal = Map.groupBy(all, (labels) => Object.values(labels).join(' '));
  return [...equal.values()].map((each) => ({ labels: each[0]!, value: each.length }));
}

function* jobStates(now: Surroundings) {
  for (const job of seenJobs(now.kinds)) yield { ...ofKind(job), state: shownState(job, now.nowMs) };
}

function* waitingReasons(now: Surroundings) {
  for (const job of seenJobs(now.kinds)) {
    const reason = readable(() => waitingReason(job, now), undefined);
    if (reason !== undefined) yield { ...ofKind(job), reason };
  }
}

function ofKind(job: SeenJob) {
  const { job_name: _name, ...labels } = labelsOf(job);
  return labels;
}

/** Kinds of an operator may share a cache of pods, or have caches with the same pods: a RayService and its RayCluster. */
function* podPhases({ kinds }: Surroundings) {
  const readers = kinds.map(({ adapter }) => ({ adapter, keysOf: jobKeysOf(adapter) }));
  const caches = new Set(kinds.map((kind) => kind.caches.pods));
  const pods = new Map([...caches].flatMap((cache) => cache.list()).map((pod) => [pod.metadata?.uid, pod]));
  for (const pod of pods.values()) {
    const adapter = readers.find(({ keysOf }) => keysOf(pod).length > 0)?.adapter;
    if (adapter === undefined) continue;
    const { framework, resource } = adapter;
    const where = { job_namespace: pod.metadata?.namespace ?? '', framework, kind: resource.kind };
    yield { ...where, phase: pod.status?.phase ?? 'Pending' };
  }
}
