/** The decisions about a job, each with the changes that caused it, from its recorded reconcile runs in the order of time. */
import type { FrameworkAdapter } from '@muster/common-job-controller';
import type { RunRecord } from '@muster/recording';
import { decisionsOf, statusOfOthers } from './decisions.ts';
import { reasonWithoutChange, worldChanges } from './world-changes.ts';

export interface HistoryEntry {
  /** Of its last run, in RFC 3339. */
  readonly time: string;
  /** What changed since the entry before. */
  readonly causes: readonly string[];
  /** Empty for runs without a decision, which share an entry. */
  readonly decisions: readonly string[];
  readonly runs: number;
  /** Number of runs of the operator, of any job, that were not recorded before it. */
  readonly leftOut: number;
  /** `runs.jsonl:12`, of its last run. */
  readonly place: string;
}

export class JobHistory {
  readonly #adapterOf: (record: RunRecord) => FrameworkAdapter | undefined;
  readonly #entries: HistoryEntry[] = [];
  readonly #pods = new Set<string>();
  #last: RunRecord | undefined;

  constructor(adapterOf: (record: RunRecord) => FrameworkAdapter | undefined) {
    this.#adapterOf = adapterOf;
  }

  get entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  get runs(): number {
    return this.#entries.reduce((sum, { runs }) => sum + runs, 0);
  }

  add(record: RunRecord, place: string): void {
    const before = this.#last;
    const adapter = this.#adapterOf(record);
    const changes = [
      ...worldChanges(before?.world, record.world),
      ...(before === undefined ? [] : statusOfOthers(before, record, adapter)),
    ];
    const decisions = decisionsOf(record, { adapter, earlierPods: this.#pods, before });
    const { leftOut = 0 } = record;
    const isUnexplained = decisions.length > 0 && changes.length === 0 && before !== undefined;
    const causes = isUnexplained ? this.#causesWithoutChange(before, record) : changes;
    this.#append({ time: timeOf(record.world.nowMs), causes, decisions, runs: 1, leftOut, place });
    for (const { metadata } of record.world.pods) this.#pods.add(metadata?.name ?? '');
    this.#last = record;
  }

  addDeletion(atMs: number, place: string): void {
    this.#append({ time: timeOf(atMs), causes: ['the job is gone'], decisions: [], runs: 0, leftOut: 0, place });
  }

  #causesWithoutChange(before: RunRecord, record: RunRecord): string[] {
    // Changes of the runs before this one, which decided nothing.
    const last = this.#entries.at(-1);
    if (last?.decisions.length === 0 && last.causes.length > 0) return [];
    return [reasonWithoutChange(before, record)];
  }

  #append(entry: HistoryEntry): void {
    const last = this.#entries.at(-1);
    const isQuiet = entry.decisions.length === 0 && entry.runs > 0;
    if (!isQuiet || last === undefined || last.decisions.length > 0 || last.runs === 0) {
      this.#entries.push(entry);
      return;
    }
    const causes = [...last.causes, ...entry.causes.filter((each) => !last.causes.includes(each))];
    const [runs, leftOut] = [last.runs + 1, last.leftOut + entry.leftOut];
    this.#entries[this.#entries.length - 1] = { ...entry, causes, runs, leftOut };
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/[.]\d+/, '');
}
