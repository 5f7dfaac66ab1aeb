/**
 * Two replicas of the shipped operator on a real API server. When the leader stops, is killed or is cut off, the other
 * continues, and not before. The proxies tell their writes apart, and resource versions show the order.
 */
import { bundle } from '@muster/bundle';
import { crdFor, PODS, PYTORCH_JOBS, pytorchJobDefinition, type PyTorchJob } from '@muster/job-api';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { ElasticLife, LIFE } from '../test-support/elastic-life.ts';
import { LeaseHistory } from '../test-support/lease-history.ts';
import { OperatorReplica } from '../test-support/operator-replica.ts';

const STEP_MS = 180_000;
const LIMIT_MS = 600_000;

const LEASE_DURATION_MS = 15_000;
/** A follower that only retried periodically, or waited for the expiry, would not lead during the test. */
const LONG_LEASE = [
  '--leader-election-lease-duration=60m',
  '--leader-election-renew-deadline=50m',
  '--leader-election-retry-period=40m',
];

const cluster = await testCluster();
const { client } = cluster;

let file: string;

beforeAll(async () => {
  await installCrd(client, crdFor(pytorchJobDefinition));
  ({ file } = await bundle('pytorch-elastic'));
});

interface Fixture {
  readonly namespace: string;
  readonly history: LeaseHistory;
  readonly leader: OperatorReplica;
  readonly follower: OperatorReplica;
  readonly life: ElasticLife;
}

async function withFixture(flags: readonly string[], play: (fixture: Fixture) => Promise<void>): Promise<void> {
  const namespace = await cluster.namespace();
  await using history = await LeaseHistory.of(client, namespace, `muster-pytorch-${namespace}`);
  await using leader = await OperatorReplica.start(file, cluster.access, namespace, flags);
  await using follower = await OperatorReplica.start(file, cluster.access, namespace, flags);
  await eventually(() => history.holders.length > 0, { describe: 'the watch has shown who holds the Lease' });
  expect(history.holders).toEqual([leader.identity]);
  const describe = () => ({
    holds: history.holds,
    leader: leader.operator.output.slice(-4000),
    follower: follower.operator.output.slice(-4000),
  });
  const life = new ElasticLife({ client, namespace, withinMs: STEP_MS, describe });
  await play({ namespace, history, leader, follower, life });
}

async function endsUndisturbed({ life, leader, follower }: Fixture): Promise<void> {
  await life.grow();
  await life.shrink();
  await life.succeed();
  const writes = [...leader.proxy.writes, ...follower.proxy.writes];
  expect(await life.result(writes.filter(({ name = '' }) => name.startsWith('life')))).toEqual(LIFE);
}

async function handOver({ history, leader, follower }: Fixture): Promise<number> {
  const hold = await eventually(() => history.holds.find(({ holder }) => holder === follower.identity), {
    withinMs: STEP_MS,
    describe: () => ({ holds: history.holds, leader: leader.operator.output, follower: follower.operator.output }),
  });
  return hold.version;
}

const versionsOf = (replica: OperatorReplica): number[] => replica.acts.flatMap(({ version }) => version ?? []);

function say(what: string, ms: number): void {
  process.stdout.write(`${what}: ${(ms / 1000).toFixed(2)} s\n`);
}

describe.concurrent('of two replicas of an operator, one acts, and the other continues', () => {
  it(
    'as soon as the first has stopped and released the Lease, without waiting for its next attempt',
    () =>
      withFixture(LONG_LEASE, async (fixture) => {
        const { history, leader, follower, life } = fixture;
        await life.create();
        expect(follower.acts).toEqual([]);
        const failed = await life.failWorkerNow();
        const fromMs = performance.now();
        await leader.operator.end('SIGTERM');
        expect(leader.operator.lastEnd).toBe(0);
        const since = await handOver(fixture);
        say('hand-over on SIGTERM, from the signal to the new holder', (history.holds.at(-1)?.seenMs ?? 0) - fromMs);
        expect(history.holders).toEqual([leader.identity, '', follower.identity]);
        expect(Math.max(...versionsOf(leader))).toBeLessThan(history.holds[1]?.version ?? 0);
        await life.workerReplaced(failed);
        await endsUndisturbed(fixture);
        expect(Math.min(...versionsOf(follower))).toBeGreaterThan(since);
      }),
    LIMIT_MS,
  );

  it(
    'when the first was killed, after its unreleased Lease has expired and not before',
    () =>
      withFixture([], async (fixture) => {
        const { history, leader, follower, life } = fixture;
        await life.create();
        const failed = await life.failWorkerNow();
        const fromMs = performance.now();
        await leader.operator.end('SIGKILL');
        expect(leader.operator.lastEnd).toBe('SIGKILL');
        expect(follower.acts).toEqual([]);
        await handOver(fixture);
        say(
          `hand-over on SIGKILL, with a Lease of ${LEASE_DURATION_MS / 1000} s`,
          (history.holds.at(-1)?.seenMs ?? 0) - fromMs,
        );
        expect(history.holders).toEqual([leader.identity, follower.identity]);
        const [before, after] = history.holds.map(({ spec }) => spec);
        const waitedMs = Date.parse(after?.acquireTime ?? '') - Date.parse(before?.renewTime ?? '');
        expect(waitedMs).toBeGreaterThanOrEqual(LEASE_DURATION_MS);
        expect(after?.leaseTransitions).toBe(1);
        await life.workerReplaced(failed);
        await endsUndisturbed(fixture);
      }),
    LIMIT_MS,
  );

  it(
    'when the first can no longer reach the Lease, after the first has stopped acting, although it can reach everything else',
    () =>
      withFixture([], async (fixture) => {
        const { namespace, history, leader, follower, life } = fixture;
        await life.create();
        const reachable = leader.proxy.inject({ path: '/leases' }, { type: 'stall' });
        const before = leader.acts.length;
        // A pod that is deleted repeatedly gives any active operator something to do.
        await client.create(PYTORCH_JOBS, jobOfOneWorker('busy', namespace));
        const keepBusy = async () => {
          if (follower.acts.length > 0) return true;
          await client.delete(PODS, { namespace, name: 'busy-worker-0' });
          return false;
        };
        const describe = () => ({ holds: history.holds, leader: leader.operator.output });
        await eventually(keepBusy, { withinMs: STEP_MS, describe });
        const since = await handOver(fixture);
        expect(history.holders).toEqual([leader.identity, follower.identity]);
        expect(leader.acts.length).toBeGreaterThan(before);
        expect(Math.max(...versionsOf(leader))).toBeLessThan(since);
        expect(Math.min(...versionsOf(follower))).toBeGreaterThan(since);

        reachable();
        await life.failWorker();
        await endsUndisturbed(fixture);
        expect(history.holders).toEqual([leader.identity, follower.identity]);
        expect(Math.max(...versionsOf(leader))).toBeLessThan(since);
        expect(leader.operator.starts).toBe(1);
      }),
    LIMIT_MS,
  );
});

function jobOfOneWorker(name: string, namespace: string): PyTorchJob {
  const template = { spec: { containers: [{ name: 'pytorch', image: 'registry.example/train:1' }] } };
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name, namespace },
    spec: { runPolicy: { suspend: false }, pytorchReplicaSpecs: { Worker: { replicas: 1, template } } },
  };
}
