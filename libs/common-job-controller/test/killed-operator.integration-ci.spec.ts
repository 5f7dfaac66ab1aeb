/**
 * The operator is killed after its nth write, for every n of a job's life, and restarted. The job must end as if
 * undisturbed. The shipped operator reaches a real API server through the fault proxy.
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
  writes: string[];
  done: number;
  kills: number;
}

interface Kill {
  nth: number;
  inEachProcess: boolean;
  answerFirst: boolean;
}

async function run(kill?: Kill): Promise<Run> {
  const namespace = await cluster.namespace();
  await using proxy = await faultProxy(cluster.access);
  // With leader election, each start would have to wait for the expiry of the previous Lease.
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
  return { life: await life.result(proxy.writes), writes: formatWrites(proxy.writes), done, kills };
}

/** No decision depends on events and Leases. */
function isOfJob(path: string): boolean {
  return /\/(pods|services|pytorchjobs)\b/.test(path);
}

function formatWrites(writes: readonly ProxiedWrite[]): string[] {
  return writes.flatMap(({ method, path, name = '' }) => {
    const [what] = /(pods|services|pytorchjobs)\b.*$/.exec(path) ?? [];
    return what === undefined ? [] : `${method} ${what} ${method === 'POST' ? name : ''}`.trim();
  });
}

/** Concurrently, because a life mostly consists of waiting. */
async function forEach<T>(items: readonly T[], each: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await each(item);
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}

describe.concurrent('a job whose operator is killed and restarted ends as in an undisturbed life', () => {
  it(
    'after any one of its writes, before it gets the answer',
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
        // The last write ends the life, and the check may come before the kill.
        if (killed === 0 && done > nth) spared.push({ nth, done, writes });
        kills += killed;
      });
      expect(lives).toEqual(Object.fromEntries(Object.keys(lives).map((killed) => [killed, LIFE])));
      // The number of status writes varies, because simultaneous changes are written together.
      expect(spared).toEqual([]);
      expect(kills).toBeGreaterThan(undisturbed.writes.length / 2);
    },
    LIMIT_MS,
  );

  it(
    'after each of its writes, as soon as it gets the answer',
    async () => {
      const { life, kills } = await run({ nth: 1, inEachProcess: true, answerFirst: true });
      expect(life).toEqual(LIFE);
      expect(kills).toBeGreaterThan(15);
    },
    LIMIT_MS,
  );
});
