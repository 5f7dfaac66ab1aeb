/** Kills an operator between a write and its answer, and records the counts that the process could not export. */
import { PYTORCH_JOBS } from '@muster/job-api';
import { eventually, type FaultProxy } from '@muster/testing';
import type { KeptOperator } from '../kept-operator.ts';
import { countsOfChange, countsOfMetrics, NOTHING_COUNTED, sumOfCounts, type JobCounts } from './job-counts.ts';
import type { NamespaceHistory } from './namespace-history.ts';

interface LostWrite {
  readonly method: string;
  /** The job of a status write, and the write's number among them. */
  readonly job: string;
  readonly ordinal: number;
}

/** More than the operator's concurrent writes, so that none is pending at the fatal one. */
const SERIAL_WRITES = 80;

export class CountedKills implements Disposable {
  readonly #proxy: FaultProxy;
  readonly #operator: KeptOperator;
  readonly #counted: JobCounts[] = [];
  readonly #lost: LostWrite[] = [];
  /** Defects of the test. */
  readonly failures: unknown[] = [];
  #isOver = false;

  constructor(proxy: FaultProxy, operator: KeptOperator) {
    this.#proxy = proxy;
    this.#operator = operator;
  }

  get done(): number {
    return this.#counted.length;
  }

  async arm(afterWrites: readonly number[]): Promise<void> {
    for (const writes of afterWrites) {
      const from = this.#proxy.writes.length;
      const isDue = () => this.#isOver || this.#proxy.writes.length >= from + writes;
      await eventually(isDue, { withinMs: Infinity });
      if (this.#isOver) return;
      await this.#killAfter(SERIAL_WRITES);
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  async counts(history: NamespaceHistory): Promise<JobCounts> {
    const lost = this.#lost.map((write) => countsOf(write, history));
    return sumOfCounts([...this.#counted, ...lost, countsOfMetrics(await metricsOf(this.#operator))]);
  }

  /** The proxy counts exactly, but serialises writes. */
  #killAfter(writes: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const act = async () => {
      await this.#kill().catch((error: unknown) => this.failures.push(error));
      resolve();
    };
    this.#proxy.onWrite(writes, act, { match: ({ path }) => /\/(pods|services|pytorchjobs)\b/.test(path) });
    return promise;
  }

  async #kill(): Promise<void> {
    const { method = '', path = '' } = this.#proxy.writes.at(-1) ?? {};
    const [, job = '', isStatus] = /\/pytorchjobs\/([^/]+)(\/status)?$/.exec(path) ?? [];
    const ordinal = this.#proxy.writes.filter((each) => each.path === path && each.code < 300).length;
    // When two readings are equal, all answers received before are counted.
    let last = '';
    const settled = await eventually(async () => {
      const before = last;
      last = JSON.stringify(countsOfMetrics(await metricsOf(this.#operator)));
      return last === before && last;
    });
    await this.#operator.kill();
    // Pending requests of the dead process must not be carried out: nothing would count them.
    this.#proxy.cutConnections();
    this.#counted.push(JSON.parse(settled) as JobCounts);
    if (job !== '' && (isStatus !== undefined || method === 'DELETE')) this.#lost.push({ method, job, ordinal });
  }
}

function countsOf({ method, job, ordinal }: LostWrite, history: NamespaceHistory): JobCounts {
  if (method === 'DELETE') return { ...NOTHING_COUNTED, deleted: 1 };
  const versions = history.statuses.get(job) ?? [];
  const [before, after] = [versions[ordinal - 2], versions[ordinal - 1]];
  if (after === undefined) throw new Error(`${PYTORCH_JOBS.kind} ${job} has no ${ordinal}. status`);
  return countsOfChange(before, after);
}

export async function metricsOf(operator: KeptOperator): Promise<string> {
  const port = await eventually(() => portOf(operator), {
    withinMs: 60_000,
    describe: () => operator.output.slice(-4000),
  });
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

function portOf({ output }: KeptOperator): number | undefined {
  const printed = output.split('\n').findLast((line) => line.includes('"message":"listening"'));
  return printed === undefined ? undefined : (JSON.parse(printed) as { port: number }).port;
}
