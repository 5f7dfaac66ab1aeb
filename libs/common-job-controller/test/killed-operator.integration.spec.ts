/**
 * The operator is killed right after its nth write, for every n of a job's life, and started again: the job ends as if
 * nothing had happened. The process is the one that ships; its way to the real API server leads through the fault proxy.
 */
import { bundle } from '@muster/bundle';
import { crdFor, pytorchJobDefinition } from '@muster/job-api';
import { faultProxy, installCrd, testCluster, type ProxiedWrite } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { ElasticLife, LIFE, type Life } from '../test-support/elastic-life.ts';
import { KeptOperator } from '../test-support/kept-operator.ts';

const cluster = await testCluster();
const TOGETHER = 4;
const STEP_MS = 180_000;
const LIMIT_MS = 600_000;

let file: string;

beforeAll(async () => {
  await installCrd(cluster.client, crdFor(pytorchJobDefinition));
  ({ file } = await bundle('pytorch-elastic'));
});

interface Run {
  life: Life;
  /** The writes that changed the job and its children, in words. */
  writes: string[];
  /** How many of them the server has done. */
  done: number;
  kills: number;
}

/** When the operator is killed: after its nth write, once or in each process, before or after it hears of the write. */
interface Kill {
  nth: number;
  inEachProcess: boolean;
  answerFirst: boolean;
}

async function run(kill?: Kill): Promise<Run> {
  const namespace = await cluster.namespace();
  await using proxy = await faultProxy(cluster.access);
  // With a Lease, each start would have to wait until that of the process before has run out.
  await using operator = new KeptOperator(file, proxy.kubeconfig, namespace, ['--leader-elect=false']);
  let kills = 0;
  const arm = ({ nth, inEachProcess, answerFirst }: Kill): void => {
    const act = async () => {
      await operator.kill();
      kills++;
      if (inEachProcess) arm({ nth, inEachProcess, answerFirst });
    };
    proxy.onWrite(nth, act, { match: ({ path }) => isOfJob(path), answerFirst });
  };
  if (kill !== undefined) arm(kill);
  const describe = () => operator.output.slice(-4000);
  const life = new ElasticLife({ client: cluster.client, namespace, withinMs: STEP_MS, describe });
  await life.live();
  const done = proxy.writes.filter(({ path, code }) => isOfJob(path) && code < 300).length;
  return { life: await life.result(proxy.writes), writes: inWords(proxy.writes), done, kills };
}

/** Events and Leases are left out: nothing is decided by them. */
function isOfJob(path: string): boolean {
  return /\/(pods|services|pytorchjobs)\b/.test(path);
}

function inWords(writes: readonly ProxiedWrite[]): string[] {
  return writes.flatMap(({ method, path, name = '' }) => {
    const [what] = /(pods|services|pytorchjobs)\b.*$/.exec(path) ?? [];
    return what === undefined ? [] : `${method} ${what} ${method === 'POST' ? name : ''}`.trim();
  });
}

/** Several at once: most of a life is spent waiting. */
async function forEach<T>(items: readonly T[], each: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await each(item);
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}

describe.concurrent('an operator that is killed and started again lets the job end as if nothing had happened', () => {
  it(
    'after any one of its writes, before it hears of it',
    async () => {
      const undisturbed = await run();
      expect(undisturbed.life).toEqual(LIFE);
      const lives: Record<string, Life> = {};
      const spared: object[] = [];
      let kills = 0;
      await forEach([...undisturbed.writes.keys()], async (index) => {
        const nth = index + 1;
        const { life, writes, done, kills: killed } = await run({ nth, inEachProcess: false, answerFirst: false });
        lives[`killed after ${writes.slice(0, nth).join(', ')}`] = life;
        // With its last write the life is over, and is looked at while the operator is still being killed.
        if (killed === 0 && done > nth) spared.push({ nth, done, writes });
        kills += killed;
      });
      expect(lives).toEqual(Object.fromEntries(Object.keys(lives).map((killed) => [killed, LIFE])));
      // How many writes of the status there are varies: changes that come together are written together.
      expect(spared).toEqual([]);
      expect(kills).toBeGreaterThan(undisturbed.writes.length / 2);
    },
    LIMIT_MS,
  );

  it(
    'after each of its writes, as soon as it hears of it',
    async () => {
      const { life, kills } = await run({ nth: 1, inEachProcess: true, answerFirst: true });
      expect(life).toEqual(LIFE);
      expect(kills).toBeGreaterThan(15);
    },
    LIMIT_MS,
  );
});
