/**
 * Faults of network and API server during the life of a job, which must end as if undisturbed without an exit of the
 * operator's process. The shipped operator reaches a real API server through the fault proxy, which the test's pod
 * events bypass.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { bundle } from '@muster/bundle';
import { crdFor, pytorchJobDefinition } from '@muster/job-api';
import { faultProxy, installCrd, testCluster, type Fault, type FaultProxy, type ProxiedRequest } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { ElasticLife, LIFE } from '../test-support/elastic-life.ts';
import { KeptOperator } from '../test-support/kept-operator.ts';

const cluster = await testCluster();
const STEP_MS = 120_000;
const LIMIT_MS = 600_000;

let file: string;

beforeAll(async () => {
  await installCrd(cluster.client, crdFor(pytorchJobDefinition));
  ({ file } = await bundle('pytorch-elastic'));
});

interface Fixture {
  proxy: FaultProxy;
  operator: KeptOperator;
  life: ElasticLife;
}

async function withFixture(flags: readonly string[], play: (fixture: Fixture) => Promise<void>): Promise<void> {
  const namespace = await cluster.namespace();
  await using proxy = await faultProxy(cluster.access);
  await using operator = new KeptOperator(file, proxy.kubeconfig, namespace, flags);
  const describe = () => operator.output.slice(-4000);
  const life = new ElasticLife({ client: cluster.client, namespace, withinMs: STEP_MS, describe });
  await play({ proxy, operator, life });
}

function reportOf({ proxy, operator }: Fixture): string {
  const writes = proxy.writes.map(({ method, path, code, name, uid, version }) =>
    [method, path, code, name, uid, version].filter((part) => part !== undefined).join(' '),
  );
  return [...writes, operator.output].join('\n');
}

interface Row {
  what: string;
  fault: Fault;
  meets?: (request: ProxiedRequest) => boolean;
  every: number;
}

const isWatch = ({ watch }: ProxiedRequest) => watch;
const isWrite = ({ method }: ProxiedRequest) => method !== 'GET';

const ROWS: readonly Row[] = [
  { what: 'a delay of 100 ms for every request', fault: { type: 'delay', ms: 100 }, every: 1 },
  { what: 'watches that are cut after every event', fault: { type: 'cut', afterEvents: 1 }, meets: isWatch, every: 1 },
  {
    what: 'watches that are cut in the middle of the second line',
    fault: { type: 'cut', afterEvents: 1, midLine: true },
    meets: isWatch,
    every: 1,
  },
  {
    what: 'watches that expire after every other event',
    fault: { type: 'expire', afterEvents: 2 },
    meets: isWatch,
    every: 1,
  },
  {
    what: 'every other watch answered by 410 Gone',
    fault: { type: 'answer', code: 410, reason: 'Expired' },
    meets: isWatch,
    every: 2,
  },
  {
    what: 'every other request answered by 429 with Retry-After',
    fault: { type: 'answer', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 },
    every: 2,
  },
  { what: 'one of three writes answered by 500', fault: { type: 'answer', code: 500 }, meets: isWrite, every: 3 },
  {
    what: 'one of three writes carried out with its answer lost',
    fault: { type: 'loseAnswer' },
    meets: isWrite,
    every: 3,
  },
  { what: 'one of three requests cut off before it arrives', fault: { type: 'refuse' }, every: 3 },
];

/** True once in `every` calls, in a fixed irregular order: a regular one could meet the same retry each time. */
function oneIn(every: number): () => boolean {
  let state = 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(state / 2 ** 16) % every === 0;
  };
}

describe.concurrent('a job ends as in an undisturbed life, and its operator keeps running,', () => {
  it.each(ROWS)(
    'with $what',
    async ({ fault, meets = () => true, every }) => {
      await withFixture([], async (fixture) => {
        const { proxy, operator, life } = fixture;
        let seen = 0;
        const isHit = oneIn(every);
        proxy.inject((request) => meets(request) && ++seen > 0 && isHit(), fault);
        await life.live();
        expect(await life.result(proxy.writes), reportOf(fixture)).toEqual(LIFE);
        expect(operator.starts).toBe(1);
        expect(Math.floor(seen / every)).toBeGreaterThan(2);
      });
    },
    LIMIT_MS,
  );
});

/** Longer than the renew deadline and the duration of a Lease. */
const OUTAGE_MS = 20_000;

describe.concurrent('an API server that is gone for 20 seconds, while a worker fails,', () => {
  it.each([
    { what: 'no Lease', flags: ['--leader-elect=false'], starts: 1 },
    {
      what: 'a Lease that outlasts the outage',
      flags: ['--leader-election-lease-duration=60s', '--leader-election-renew-deadline=40s'],
      starts: 1,
    },
    // The Lease is lost, and the leader's work starts again with the next one.
    { what: 'the usual Lease', flags: [], starts: 1 },
  ])(
    'lets an operator with $what have $starts process starts, and the job ends as in an undisturbed life',
    async ({ flags, starts }) => {
      await withFixture(flags, async (fixture) => {
        const { proxy, operator, life } = fixture;
        await life.create();
        await proxy.goDown();
        const failed = await life.failWorkerNow();
        await sleep(OUTAGE_MS);
        await proxy.comeUp();
        await life.workerReplaced(failed);
        await life.grow();
        await life.shrink();
        await life.succeed();
        expect(await life.result(proxy.writes), reportOf(fixture)).toEqual(LIFE);
        expect(operator.starts, operator.output).toBe(starts);
      });
    },
    LIMIT_MS,
  );
});
