import { type FrameworkAdapter, planOrFailure } from '@muster/common-job-controller';
import { differencesOf, type Difference } from './plan-differences.ts';
import { deletionIn, plannedRunOf, recordIn, type RunRecord, type RecordedKind } from './run-record.ts';
import { recordedPlan, type RecordedPlan } from './recorded-plan.ts';
import { fromTaggedJson, taggedJson } from './tagged-json.ts';

export type AdapterOf = (kind: RecordedKind) => FrameworkAdapter | undefined;

export interface Replayed {
  /** With the plan of this version. */
  readonly record: RunRecord;
  readonly isSame: boolean;
  readonly recorded: RunRecord;
  readonly differences: readonly Difference[];
}

export interface DifferenceGroup {
  readonly what: string;
  readonly kind: string;
  count: number;
  readonly example: Difference & { readonly place: string; readonly job: string };
}

export class Replay {
  readonly #adapterOf: AdapterOf;
  readonly #adapters = new Map<string, FrameworkAdapter | undefined>();
  readonly #groups = new Map<string, DifferenceGroup>();
  readonly unreadable = new Map<string, { count: number; readonly place: string }>();
  readonly unknownKinds = new Map<string, number>();
  runs = 0;
  differing = 0;

  constructor(adapterOf: AdapterOf) {
    this.#adapterOf = adapterOf;
  }

  get groups(): DifferenceGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count);
  }

  /** Undefined if the run cannot be planned. */
  add(line: string, place: string): Replayed | undefined {
    try {
      return deletionIn(line) === undefined ? this.#added(recordIn(line), place) : undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const known = this.unreadable.get(message);
      this.unreadable.set(message, { place, ...known, count: (known?.count ?? 0) + 1 });
      return undefined;
    }
  }

  #added(record: RunRecord, place: string): Replayed | undefined {
    const { resource, framework } = record.kind;
    const adapter = this.#adapter(record.kind);
    if (adapter === undefined) {
      const kind = `${resource} of ${framework}`;
      this.unknownKinds.set(kind, (this.unknownKinds.get(kind) ?? 0) + 1);
      return undefined;
    }
    const plan = replayedPlan(adapter, record);
    const differences = differencesOf(record.plan, plan);
    this.runs++;
    if (differences.length === 0) return { record, isSame: true, recorded: record, differences };
    this.differing++;
    const { namespace, name } = record.world.manifest.metadata ?? {};
    for (const difference of differences) {
      const key = `${resource} ${difference.what}`;
      const example = { ...difference, place, job: `${namespace}/${name}` };
      const group = this.#groups.get(key) ?? { what: difference.what, kind: resource, count: 0, example };
      group.count++;
      this.#groups.set(key, group);
    }
    return { record: { ...record, plan }, isSame: false, recorded: record, differences };
  }

  #adapter(kind: RecordedKind): FrameworkAdapter | undefined {
    const key = taggedJson(kind);
    if (!this.#adapters.has(key)) this.#adapters.set(key, this.#adapterOf(kind));
    return this.#adapters.get(key);
  }
}

function replayedPlan(adapter: FrameworkAdapter, record: RunRecord): RecordedPlan {
  const { world, settings } = plannedRunOf(adapter, record);
  const { plan } = planOrFailure(adapter, world, settings);
  return fromTaggedJson(taggedJson(recordedPlan(plan))) as RecordedPlan;
}
