/** The latest comparison of each job, for the report and the metrics. Bounded: the jobs that were compared first are dropped. */
import type { Classified } from './classified.ts';
import type { TimedStep } from './compared-times.ts';

export const CLASSES = ['waiting', 'same', 'documented', 'unknown'] as const;

export type ShadowClass = (typeof CLASSES)[number];

/** Jobs that are remembered for each kind, also after they are deleted. */
const MOST_JOBS = 5000;
/** Unknown differences that are remembered for each job, beside the first of each row. */
const MOST_UNKNOWN = 10;

interface Entry {
  readonly namespace: string;
  readonly job: string;
  /** Undefined before the job has settled. */
  readonly result?: {
    readonly same: number;
    readonly rows: readonly string[];
    readonly differences: readonly Classified[];
    readonly times: readonly TimedStep[];
  };
}

export interface ComparedResult {
  /** How many values are equal. */
  readonly same: number;
  readonly differences: readonly Classified[];
  readonly times: readonly TimedStep[];
}

/** The report of one kind. */
export interface KindReport {
  readonly kind: string;
  /** All jobs seen; `jobs` has the class of those remembered. */
  readonly seen: number;
  readonly jobs: Readonly<Record<ShadowClass, number>>;
  /** Equal values of all jobs. */
  readonly sameValues: number;
  /** For each documented row, in how many jobs it occurs, and the first difference. */
  readonly documented: readonly { readonly row: string; readonly jobs: number; readonly example: ReportedDifference }[];
  readonly unknown: readonly ReportedDifference[];
  readonly times: readonly ReportedTimes[];
}

/** How much later the other operator did something than Muster would have. */
export interface ReportedTimes {
  /** `create Pod`, for the first one, or the type of a condition other than Created. */
  readonly step: string;
  /** The number of jobs by whole seconds; negative: earlier. */
  readonly jobsByLaterSeconds: Readonly<Record<string, number>>;
}

export interface ReportedDifference {
  readonly namespace: string;
  readonly job: string;
  readonly field: string;
  readonly theirs: string;
  readonly ours: string;
}

/** What an operator in shadow mode serves at `/shadow`. */
export interface ShadowReport {
  readonly framework: string;
  readonly kinds: readonly KindReport[];
}

/** Unknown differences in a report. */
const MOST_REPORTED = 100;

export class ShadowLedger {
  readonly kind: string;
  #entries = new Map<string, Entry>();
  #seen = 0;

  constructor(kind: string) {
    this.kind = kind;
  }

  /** @param uid of the job */
  see(uid: string, namespace: string, job: string): void {
    if (this.#entries.has(uid)) return;
    this.#seen++;
    this.#entries.set(uid, { namespace, job });
    if (this.#entries.size <= MOST_JOBS) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  note(uid: string, { same, differences, times }: ComparedResult): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    const unknown = differences.filter(({ row }) => row === undefined);
    const rows = [...new Set(differences.flatMap(({ row }) => row ?? []))];
    const ofRows = rows.flatMap((row) => differences.find((each) => each.row === row) ?? []);
    const kept = [...unknown.slice(0, MOST_UNKNOWN), ...ofRows];
    this.#entries.set(uid, { ...entry, result: { same, rows, differences: kept, times } });
  }

  classes(): Record<ShadowClass, number> {
    return classesOf([...this.#entries.values()]);
  }

  /** @param namespace default: all */
  report(namespace?: string): KindReport {
    const entries = [...this.#entries.values()].filter(
      (each) => namespace === undefined || each.namespace === namespace,
    );
    const documented = new Map<string, { row: string; jobs: number; example: ReportedDifference }>();
    const unknown: ReportedDifference[] = [];
    let sameValues = 0;
    for (const { result, ...where } of entries) {
      if (result === undefined) continue;
      sameValues += result.same;
      for (const { row, ...difference } of result.differences) {
        const example = { ...where, ...difference };
        if (row === undefined) unknown.push(example);
        else documented.set(row, { jobs: 0, row, example, ...documented.get(row) });
      }
      for (const row of result.rows) {
        const known = documented.get(row);
        if (known !== undefined) documented.set(row, { ...known, jobs: known.jobs + 1 });
      }
    }
    return {
      kind: this.kind,
      seen: namespace === undefined ? this.#seen : entries.length,
      jobs: classesOf(entries),
      sameValues,
      documented: [...documented.values()].sort((a, b) => b.jobs - a.jobs || (a.row < b.row ? -1 : 1)),
      unknown: unknown.slice(0, MOST_REPORTED),
      times: timesOf(entries.flatMap(({ result }) => result?.times ?? [])),
    };
  }
}

function timesOf(times: readonly TimedStep[]): ReportedTimes[] {
  return [...Map.groupBy(times, ({ step }) => step)].map(([step, same]) => {
    const bySeconds = Map.groupBy(same, ({ laterSeconds }) => String(laterSeconds));
    return {
      step,
      jobsByLaterSeconds: Object.fromEntries([...bySeconds].map(([seconds, { length }]) => [seconds, length])),
    };
  });
}

function classesOf(entries: readonly Entry[]): Record<ShadowClass, number> {
  const counts = { waiting: 0, same: 0, documented: 0, unknown: 0 };
  for (const entry of entries) counts[classOf(entry)]++;
  return counts;
}

function classOf({ result }: Entry): ShadowClass {
  if (result === undefined) return 'waiting';
  if (result.differences.some(({ row }) => row === undefined)) return 'unknown';
  return result.rows.length > 0 ? 'documented' : 'same';
}
