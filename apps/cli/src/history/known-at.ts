/** What was known about a job at a time, from its recorded reconcile runs, and the page of `why` about it. */
import { resourceKey, type RunRecord } from '@muster/recording';
import type { JobManifest } from '@muster/common-job-controller';
import { apiVersionOf, VOLCANO_JOBS, volcanoJobDefinition, type Event } from '@muster/job-api';
import { CommandError } from '../exit-codes.ts';
import { explain } from '../jobs/explanation.ts';
import { jobView } from '../jobs/job-view.ts';
import { KINDS, type Kind } from '../kinds.ts';
import { recordedAdapter } from '../replay/recorded-adapters.ts';
import { duration } from '../terminal/age.ts';
import { styled } from '../terminal/output.ts';
import type { Collector, RecordedJob } from './recorded-job.ts';

export class KnownAt implements Collector {
  readonly atMs: number;
  /** The last run at or before the time. */
  record: RunRecord | undefined;
  /** When the job was gone, if that is before the time. */
  goneMs: number | undefined;
  firstMs: number | undefined;
  readonly events: Event[] = [];

  constructor(atMs: number) {
    this.atMs = atMs;
  }

  add(record: RunRecord): void {
    const { world, plan } = record;
    this.firstMs ??= world.nowMs;
    if (world.nowMs > this.atMs) return;
    this.record = record;
    const { uid = '', name = '', namespace = '' } = world.manifest.metadata ?? {};
    const regarding = { kind: world.manifest.kind ?? '', name, namespace, uid };
    const eventTime = new Date(world.nowMs).toISOString();
    for (const { type, reason, note, action } of plan.events) {
      this.events.push({ metadata: {}, type, reason, note, action, regarding, eventTime });
    }
  }

  addDeletion(atMs: number): void {
    if (atMs <= this.atMs) this.goneMs = atMs;
  }
}

/** Throws a `CommandError` if there is no run at the time. */
export function recordedPage(job: RecordedJob, { atMs, record, goneMs, firstMs, events }: KnownAt): string {
  const title = `${job.kind} ${job.namespace}/${job.name}`;
  if (record === undefined) {
    const first = firstMs === undefined ? '' : ` Its first recorded run is at ${timeOf(firstMs)}.`;
    throw new CommandError('notFound', `The recording has no run of ${title} at or before ${timeOf(atMs)}.${first}`);
  }
  const manifest = manifestOf(record);
  const kind = kindOfRecord(record);
  if (kind === undefined) {
    throw new CommandError('error', `This version explains no ${job.kind}; muster history lists its decisions.`);
  }
  const { world } = record;
  const view = jobView(kind, manifest, world.pods);
  const { headline, findings, next } = explain({ view, events, nowMs: world.nowMs });
  const ageMs = atMs - world.nowMs;
  const source =
    `As the operator saw it at ${timeOf(world.nowMs)}, its last recorded run ${duration(ageMs)} before that time. ` +
    'Logs and events of other components are not recorded.';
  const gone = goneMs === undefined ? [] : [`The job was gone at ${timeOf(goneMs)}.`];
  const advice = next.filter((each) => /^[A-Z]/.test(each));
  return [
    styled('bold', `${title} ${headline.replaceAll(/\s*\n\s*/g, ' | ')}`),
    source,
    ...gone,
    ...findings.flatMap(({ title: about, details }) => [
      ...(about === '' ? [] : ['', about]),
      ...details.flatMap((detail) => detail.split('\n')).map((detail) => `  ${detail}`),
    ]),
    ...(advice.length === 0 ? [] : ['', 'Next:', ...advice.map((each) => `  ${each}`)]),
    '',
  ].join('\n');
}

function kindOfRecord({ kind }: RunRecord): Kind | undefined {
  const known = KINDS.find(({ definition }) => resourceKey(definition.resource) === kind.resource);
  const adapter = recordedAdapter(kind);
  if (known !== undefined || adapter?.resource !== VOLCANO_JOBS) return known;
  // The record names the plugin, which an invalid spec may lack.
  return { definition: volcanoJobDefinition, adapter: () => adapter };
}

/** Cached objects may lack their kind. */
function manifestOf({ kind, world: { manifest } }: RunRecord): JobManifest {
  const { resource } = recordedAdapter(kind) ?? {};
  return resource === undefined ? manifest : { apiVersion: apiVersionOf(resource), kind: resource.kind, ...manifest };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/[.]\d+/, '');
}
