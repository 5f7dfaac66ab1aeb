/** Read from the caches at each scrape, so the gauges are exact, also after an operator restart. */
import { JOBS, scrapedGauge } from '@muster/metrics';
import type { Registry } from 'prom-client';
import { type WatchedKind, jobKeysOf } from '../reconcile/observe.ts';
import { labelsOf, readable, seenJobs, type SeenJob } from './seen-jobs.ts';
import { shownState } from './public-state.ts';
import { waitingReason, type Surroundings } from './waiting-reason.ts';

/** @param around undefined while this process is not the leader, which then exports nothing */
export function exportJobGauges(registry: Registry, around: () => Surroundings | undefined): void {
  scrapedGauge(registry, JOBS.jobs, () => {
    const jobs = new Tally<'state'>();
    const now = around();
    for (const job of seenJobs(now?.kinds ?? [])) {
      if (now !== undefined) jobs.add({ ...ofKind(job), state: shownState(job, now.nowMs) });
    }
    return jobs.samples();
  });
  scrapedGauge(registry, JOBS.pods, () => podSamples(around()?.kinds ?? []));
  scrapedGauge(registry, JOBS.waiting, () => {
    const jobs = new Tally<'reason'>();
    const now = around();
    for (const job of seenJobs(now?.kinds ?? [])) {
      const reason = now && readable(() => waitingReason(job, now), undefined);
      if (reason !== undefined) jobs.add({ ...ofKind(job), reason });
    }
    return jobs.samples();
  });
}

function ofKind(job: SeenJob) {
  const { job_name: _name, ...labels } = labelsOf(job);
  return labels;
}

/** Kinds of an operator may share a cache of pods. */
function podSamples(kinds: readonly WatchedKind[]) {
  const tally = new Tally<'phase'>();
  const readers = kinds.map(({ adapter }) => ({ adapter, keysOf: jobKeysOf(adapter) }));
  const caches = new Set(kinds.map((kind) => kind.caches.pods));
  for (const pod of [...caches].flatMap((cache) => cache.list())) {
    const adapter = readers.find(({ keysOf }) => keysOf(pod).length > 0)?.adapter;
    if (adapter === undefined) continue;
    const { framework, resource } = adapter;
    const where = { job_namespace: pod.metadata?.namespace ?? '', framework, kind: resource.kind };
    tally.add({ ...where, phase: pod.status?.phase ?? 'Pending' });
  }
  return tally.samples();
}

type Labels<Last extends string> = Readonly<Record<'job_namespace' | 'framework' | 'kind' | Last, string>>;

class Tally<Last extends string> {
  readonly #counts = new Map<string, { readonly labels: Labels<Last>; value: number }>();

  add(labels: Labels<Last>): void {
    const key = Object.values(labels).join(' ');
    const counted = this.#counts.get(key);
    if (counted === undefined) this.#counts.set(key, { labels, value: 1 });
    else counted.value++;
  }

  samples() {
    return this.#counts.values();
  }
}
