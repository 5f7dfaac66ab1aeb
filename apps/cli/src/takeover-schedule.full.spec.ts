/**
 * The schedule of RayCronJobs moves from the real KubeRay to Muster and back, on simulated nodes: no time is left out, also when it passes
 * while no operator runs, and none is run again by the next operator. Builds KubeRay if it is missing, which takes minutes.
 */
import { RAY_CRON_JOBS, RAY_JOBS, type RayJob } from '@muster/job-api';
import { eventually } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MovedObject } from '../test-support/moved-kinds.ts';
import { NAMESPACE, TakeoverFixture } from '../test-support/takeover-fixture.ts';

const LIMIT_MS = 1_200_000;
const BUILD_LIMIT_MS = 3_600_000;
/** An operator starts within less on a busy machine: it misses one time at most. */
const EVERY_MS = 120_000;
const WITHIN_MS = EVERY_MS + 180_000;

/** By the operator that creates their first RayJob. */
const MOVED = 'moved';
const OF_MUSTER = 'started';

const containers = (name: string) => ({ spec: { containers: [{ name, image: 'registry.example/train:1' }] } });

const CRON_JOB: MovedObject = {
  resource: RAY_CRON_JOBS,
  spec: {
    schedule: `*/${EVERY_MS / 60_000} * * * *`,
    jobTemplate: {
      entrypoint: 'python train.py',
      rayClusterSpec: {
        rayVersion: '2.60.0',
        headGroupSpec: { rayStartParams: {}, template: containers('ray-head') },
      },
    },
  },
};

const nextTick = () => (Math.floor(Date.now() / EVERY_MS) + 1) * EVERY_MS;

const tickOf = ({ metadata }: RayJob) =>
  Date.parse(metadata?.annotations?.['ray.io/cronjob-scheduled-timestamp'] ?? '');

describe('the schedule of a RayCronJob', { timeout: LIMIT_MS }, () => {
  let fixture: TakeoverFixture;

  beforeAll(async () => {
    fixture = await TakeoverFixture.up(`take-cron-${process.pid}`, 'kuberay', 'simulated');
    await fixture.create(CRON_JOB, MOVED);
    await toHaveRun(MOVED, nextTick());
  }, BUILD_LIMIT_MS);

  afterAll(() => fixture?.down(), LIMIT_MS);

  async function runsOf(name: string): Promise<RayJob[]> {
    const labelSelector = `ray.io/cronjob-name=${name}`;
    const { items } = await fixture.client.list(RAY_JOBS, { namespace: NAMESPACE, labelSelector });
    return items.toSorted((a, b) => tickOf(a) - tickOf(b));
  }

  async function toHaveRun(name: string, tick: number): Promise<void> {
    await eventually(async () => (await runsOf(name)).some((run) => tickOf(run) === tick), {
      withinMs: WITHIN_MS,
      describe: async () => ({
        expected: `a RayJob of ${new Date(tick).toISOString()}`,
        runs: (await runsOf(name)).map(({ metadata }) => metadata),
        status: await fixture.statusOf(CRON_JOB, name).catch(String),
        upstream: fixture.upstream.log().slice(-3000),
      }),
    });
  }

  /** Waits until a time of the schedule passes, and returns it. */
  async function missedTick(): Promise<number> {
    const tick = nextTick();
    await eventually(() => Date.now() > tick, {
      withinMs: WITHIN_MS,
      describe: `it is ${new Date(tick).toISOString()}`,
    });
    return tick;
  }

  /** No time from the first to the last is left out. The RayJobs of times before `since` are those that existed. */
  async function expectAllTimes(name: string, before: readonly RayJob[], since: number): Promise<void> {
    const runs = await runsOf(name);
    const times = [...new Set(runs.map(tickOf))];
    expect(times).toEqual(times.map((_time, at) => times[0]! + at * EVERY_MS));
    const uids = (of: readonly RayJob[]) => of.map(({ metadata }) => metadata?.uid).toSorted();
    expect(uids(runs.filter((run) => tickOf(run) < since))).toEqual(uids(before));
  }

  async function expectNoTimeTwice(name: string, since: number): Promise<void> {
    const times = (await runsOf(name)).map(tickOf).filter((time) => time >= since);
    expect(times).toEqual([...new Set(times)]);
  }

  it('continues under Muster, which creates one RayJob for each time, late for a time without operator', async () => {
    await fixture.upstream.stop();
    const before = await runsOf(MOVED);
    const missed = await missedTick();
    await fixture.startMuster(['ray']);
    await fixture.create(CRON_JOB, OF_MUSTER);
    await toHaveRun(MOVED, missed);
    const next = nextTick();
    for (const name of [MOVED, OF_MUSTER]) await toHaveRun(name, next);
    await expectAllTimes(MOVED, before, missed);
    await expectAllTimes(OF_MUSTER, [], missed);
    for (const name of [MOVED, OF_MUSTER]) await expectNoTimeTwice(name, missed);
  });

  // KubeRay 1.6 gives RayJobs random names, and sometimes creates two for a time.
  it('continues under KubeRay, which leaves out no time, and repeats none of Muster', async () => {
    await fixture.stopMuster();
    const before = await Promise.all([MOVED, OF_MUSTER].map(runsOf));
    const missed = await missedTick();
    await fixture.goBack([CRON_JOB]);
    for (const name of [MOVED, OF_MUSTER]) await toHaveRun(name, missed);
    const next = nextTick();
    for (const name of [MOVED, OF_MUSTER]) await toHaveRun(name, next);
    for (const [at, name] of [MOVED, OF_MUSTER].entries()) await expectAllTimes(name, before[at] ?? [], missed);
  });
});
