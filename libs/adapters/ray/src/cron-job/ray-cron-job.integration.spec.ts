/** RayCronJobs on a real API server, by a clock that the test advances. The test writes the status of RayJobs. */
import { isDeepStrictEqual } from 'node:util';
import { createJobOperator, type FrameworkAdapter } from '@muster/common-job-controller';
import {
  ANNOTATIONS,
  crdFor,
  EVENTS,
  RAY_CRON_JOBS,
  RAY_JOBS,
  rayClusterDefinition,
  rayCronJobDefinition,
  rayJobDefinition,
  type RayCronJob,
  type RayCronJobSpec,
  type RayJob,
} from '@muster/job-api';
import { createKubeClient, loadCluster } from '@muster/kube';
import {
  eventually,
  faultProxy,
  installCrd,
  isLetThrough,
  loneOperatorOptions,
  requireLabel,
  started,
  testCluster,
  TravelClock,
} from '@muster/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOB_TEMPLATE } from '../../test-support/cron-jobs.ts';
import { timeOf } from '../model/time-of.ts';
import { rayAdapters } from '../ray-adapters.ts';
import { runName } from './cron-run.ts';
import { rayCronJobAdapter } from './ray-cron-job-adapter.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WITHIN_MS = 60_000;
const NAME = 'nightly';

const cluster = await testCluster();
const { client } = cluster;
/** With the rights of the chart. */
const access = await loadCluster({ kubeconfig: cluster.operatorKubeconfig('ray') });
const operators = createKubeClient(access, { userAgent: 'muster-test/0' });
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

beforeAll(async () => {
  for (const definition of [rayClusterDefinition, rayJobDefinition, rayCronJobDefinition])
    await installCrd(client, crdFor<never>(definition as never));
});

afterAll(() => operators.close());

/** A namespace with its own operator and clock, so that each test has its own time. */
class Stage implements AsyncDisposable {
  readonly clock = new TravelClock();
  readonly namespace: string;
  readonly #adapters: readonly FrameworkAdapter[];
  readonly #client: typeof client;
  #operators: Awaited<ReturnType<typeof started>>[] = [];

  private constructor(namespace: string, adapters: readonly FrameworkAdapter[], as: typeof client) {
    this.namespace = namespace;
    this.#adapters = adapters;
    this.#client = as;
  }

  static async start(
    adapters: readonly FrameworkAdapter[] = [rayCronJobAdapter()],
    as: typeof client = operators,
  ): Promise<Stage> {
    const fixture = new Stage(await cluster.namespace(), adapters, as);
    await fixture.startOperator();
    return fixture;
  }

  get registry(): Registry {
    return this.#operators[0]?.registry as Registry;
  }

  async startOperator(as = this.#client): Promise<void> {
    const where = { client: as, namespaces: [this.namespace], resource: RAY_CRON_JOBS as never } as const;
    const options = loneOperatorOptions({ ...where, serviceMode: 'PerJob', logger: silent, clock: this.clock });
    const registry = new Registry();
    const adapters = this.#adapters as [FrameworkAdapter];
    this.#operators.push(await started(createJobOperator({ ...options, adapters, registry }), registry));
  }

  async stopOperator(): Promise<void> {
    await Promise.all(this.#operators.splice(0).map((operator) => operator.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
  }

  async create(spec: Partial<RayCronJobSpec> = {}): Promise<RayCronJob> {
    return client.create(RAY_CRON_JOBS, {
      apiVersion: 'ray.io/v1',
      kind: 'RayCronJob',
      metadata: { name: NAME, namespace: this.namespace },
      spec: { schedule: this.hourly(), jobTemplate: JOB_TEMPLATE, ...spec },
    });
  }

  async change(spec: object): Promise<void> {
    await client.patch(RAY_CRON_JOBS, { namespace: this.namespace, name: NAME }, { spec });
  }

  /** Once an hour, first in half an hour: no test takes so long by itself. */
  hourly(): string {
    return `${new Date(this.clock.now() + HOUR_MS / 2).getUTCMinutes()} * * * *`;
  }

  /** The next tick of a schedule of `hourly`. */
  nextTick(): number {
    const minute = new Date(this.clock.now()).getUTCMinutes();
    const minutes = (this.#minute - minute + 60) % 60 || 60;
    return Math.floor(this.clock.now() / MINUTE_MS) * MINUTE_MS + minutes * MINUTE_MS;
  }

  #minute = -1;

  /** Creates one with a schedule of `hourly`, and waits until it is scheduled. */
  async createHourly(spec: Partial<RayCronJobSpec> = {}): Promise<void> {
    const schedule = this.hourly();
    this.#minute = Number(schedule.split(' ')[0]);
    await this.create({ schedule, ...spec });
    await this.toBe(({ status }) => status?.nextScheduleTime === timeOf(this.nextTick()));
  }

  /** Passes the next tick, and returns it. */
  pass(): number {
    const tick = this.nextTick();
    this.clock.advance(tick - this.clock.now() + 5);
    return tick;
  }

  async cronJob(): Promise<RayCronJob> {
    return client.get(RAY_CRON_JOBS, { namespace: this.namespace, name: NAME });
  }

  async toBe(holds: (cronJob: RayCronJob) => boolean): Promise<RayCronJob> {
    let seen: RayCronJob | undefined;
    return eventually(async () => holds((seen = await this.cronJob())) && seen, {
      withinMs: WITHIN_MS,
      describe: () => ({ spec: seen?.spec.schedule, status: seen?.status, now: timeOf(this.clock.now()) }),
    });
  }

  async toBeScheduled(reason: string): Promise<RayCronJob> {
    return this.toBe(({ status }) => status?.conditions?.find(({ type }) => type === 'Scheduled')?.reason === reason);
  }

  async runs(): Promise<RayJob[]> {
    const { items } = await client.list(RAY_JOBS, { namespace: this.namespace });
    return items.toSorted((a, b) => (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? ''));
  }

  async runNames(): Promise<string[]> {
    return (await this.runs()).map(({ metadata }) => metadata?.name ?? '');
  }

  async runsToBe(...ticks: readonly number[]): Promise<void> {
    const names = ticks.map((tick) => runName(NAME, tick));
    await eventually(async () => isDeepStrictEqual(await this.runNames(), names), {
      withinMs: WITHIN_MS,
      describe: async () => ({ expected: names, seen: await this.runNames(), now: timeOf(this.clock.now()) }),
    });
  }

  /** Ends a run, as the controller of RayJobs does. */
  async end(tick: number, jobDeploymentStatus: 'Complete' | 'Failed' = 'Complete'): Promise<void> {
    const status = { jobDeploymentStatus, endTime: timeOf(this.clock.now()) };
    await client.patchStatus(RAY_JOBS, { namespace: this.namespace, name: runName(NAME, tick) }, { status });
  }

  /** Reasons of the events about the RayCronJob, with the number of each. */
  async events(): Promise<Record<string, number>> {
    const { items } = await client.list(EVENTS, { namespace: this.namespace });
    const own = items.filter(({ regarding }) => regarding?.kind === 'RayCronJob');
    return Object.fromEntries(
      [...Map.groupBy(own, ({ reason = '' }) => reason)].map(([reason, same]) => [
        reason,
        same.reduce((sum, { series }) => sum + (series?.count ?? 1), 0),
      ]),
    );
  }

  /** Values of this metric, which has one RayCronJob. */
  async gauge(name: string): Promise<readonly number[]> {
    const labels = `{job_namespace="${this.namespace}",raycronjob="${NAME}"}`;
    const lines = (await this.registry.metrics()).split('\n');
    return lines.filter((line) => line.startsWith(`${name}${labels} `)).map((line) => Number(line.split(' ').at(-1)));
  }

  async eventsToBe(expected: Record<string, number>): Promise<void> {
    await eventually(async () => isDeepStrictEqual(await this.events(), expected), {
      withinMs: WITHIN_MS,
      describe: () => this.events(),
    });
  }
}

describe('a RayCronJob', { timeout: 180_000 }, () => {
  it('creates a RayJob at each time, writes its status once for each, and emits events only on changes', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly();
    expect(await fixture.runNames()).toEqual([]);

    const first = fixture.pass();
    await fixture.runsToBe(first);
    const { status } = await fixture.toBe(({ status: seen }) => seen?.lastScheduleTime === timeOf(first));
    expect(status).toMatchObject({
      nextScheduleTime: timeOf(first + HOUR_MS),
      active: [{ name: runName(NAME, first) }],
      conditions: [{ type: 'Scheduled', status: 'True', reason: 'OnSchedule' }],
      observedGeneration: 1,
    });
    const [run] = await fixture.runs();
    expect(run?.metadata).toMatchObject({
      labels: { 'ray.io/cronjob-name': NAME },
      annotations: { 'ray.io/cronjob-scheduled-timestamp': timeOf(first) },
      ownerReferences: [{ kind: 'RayCronJob', name: NAME, controller: true }],
    });
    expect(run?.spec).toMatchObject({ entrypoint: 'python train.py' });

    const before = await fixture.cronJob();
    fixture.clock.advance(HOUR_MS / 3);
    const second = fixture.pass();
    await fixture.runsToBe(first, second);
    const after = await fixture.toBe(({ status: seen }) => seen?.lastScheduleTime === timeOf(second));
    expect(after.metadata?.generation).toBe(before.metadata?.generation);
    await fixture.end(first);
    await fixture.toBe(({ status: seen }) => seen?.active?.length === 1 && seen.lastSuccessfulTime !== undefined);
    await fixture.eventsToBe({ RayCronJobRunning: 1, SuccessfulCreateRayJob: 2 });
  });

  it('has metrics of its times and of its RayJobs that have not ended', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly();
    const gauges = async () => ({
      active: await fixture.gauge('muster_raycronjob_active_runs'),
      next: await fixture.gauge('muster_raycronjob_next_schedule_timestamp_seconds'),
      last: await fixture.gauge('muster_raycronjob_last_schedule_timestamp_seconds'),
      success: await fixture.gauge('muster_raycronjob_last_success_timestamp_seconds'),
      missed: await fixture.gauge('muster_raycronjob_last_missed_timestamp_seconds'),
    });
    const toBe = (expected: object) =>
      eventually(async () => isDeepStrictEqual(await gauges(), expected), { withinMs: WITHIN_MS, describe: gauges });
    const seconds = (ms: number) => [ms / 1000];
    await toBe({ active: [0], next: seconds(fixture.nextTick()), last: [], success: [], missed: [] });
    const first = fixture.pass();
    const times = { next: seconds(first + HOUR_MS), last: seconds(first) };
    await toBe({ active: [1], ...times, success: [], missed: [] });
    await fixture.end(first);
    const { status } = await fixture.toBe(({ status: seen }) => seen?.lastSuccessfulTime !== undefined);
    const success = seconds(Date.parse(status?.lastSuccessfulTime ?? ''));
    await toBe({ active: [0], ...times, success, missed: [] });
    await fixture.stopOperator();
    fixture.clock.advance(3 * HOUR_MS);
    await fixture.startOperator();
    const [missed, last, next] = [2, 3, 4].map((hours) => seconds(first + hours * HOUR_MS));
    await toBe({ active: [1], next, last, success, missed });
    await fixture.change({ suspend: true });
    await fixture.toBeScheduled('Suspended');
    await toBe({ active: [1], next: [], last, success, missed });
  });

  it('creates each RayJob once, although two operators run and the answer to a create is lost', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly();
    await using proxy = await faultProxy(access);
    const lossy = createKubeClient(proxy.access, { userAgent: 'muster-test/0' });
    proxy.inject({ method: 'POST', path: /\/rayjobs$/ }, { type: 'loseAnswer' }, 1);
    await fixture.startOperator(lossy);
    const ticks: number[] = [];
    for (let passed = 0; passed < 3; passed++) {
      const tick = fixture.pass();
      ticks.push(tick);
      await fixture.runsToBe(...ticks);
      await fixture.toBe(({ status }) => status?.lastScheduleTime === timeOf(tick));
    }
    await fixture.stopOperator();
    await lossy.close();
    expect(await fixture.runNames()).toEqual(ticks.map((tick) => runName(NAME, tick)));
    expect(await fixture.events()).not.toHaveProperty('NameTaken');
  });

  it('reports a RayJob that an admission policy refuses, and creates it once when the policy is removed', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly();
    const { namespace } = fixture;
    const template = { apiVersion: 'ray.io/v1', kind: 'RayJob', spec: JOB_TEMPLATE };
    const metadata = { name: 'dry-run', namespace };
    const remove = await requireLabel(
      {
        ...{ client, namespace, atEnd: () => {} },
        until: (condition, describe) => eventually(condition, { withinMs: WITHIN_MS, describe }),
      },
      {
        what: 'rayjobs',
        rule: { apiGroups: ['ray.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['rayjobs'] },
        reason: 'Forbidden',
        isMet: () => isLetThrough(() => client.create(RAY_JOBS, { ...template, metadata }, { dryRun: true })),
      },
    );
    const tick = fixture.pass();
    const refused = await fixture.toBe(
      ({ status }) => status?.conditions?.some(({ type }) => type === 'ReplicaFailure') === true,
    );
    expect(refused.status?.conditions?.at(-1)).toMatchObject({
      ...{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' },
      message: expect.stringContaining('rayjobs need the label') as string,
    });
    expect(refused.status).toMatchObject({ nextScheduleTime: timeOf(tick) });
    await remove();
    // The next try.
    fixture.clock.advance(10 * MINUTE_MS);
    await fixture.runsToBe(tick);
    await fixture.toBe(({ status }) => status?.conditions?.length === 1 && status.lastScheduleTime === timeOf(tick));
  });

  it('creates the RayJob of its last time when the operator starts late', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly();
    await fixture.stopOperator();
    const tick = fixture.pass();
    fixture.clock.advance(10 * MINUTE_MS);
    await fixture.startOperator();
    await fixture.runsToBe(tick);
    expect(await fixture.events()).not.toHaveProperty('MissedSchedule');
  });

  it('creates only the latest of several missed RayJobs, once, and reports the others', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly();
    const first = fixture.pass();
    await fixture.runsToBe(first);
    await fixture.stopOperator();
    fixture.clock.advance(4 * HOUR_MS + 10 * MINUTE_MS);
    const latest = first + 4 * HOUR_MS;
    await fixture.startOperator();
    await fixture.runsToBe(first, latest);
    await fixture.toBe(({ status }) => status?.lastScheduleTime === timeOf(latest));
    await fixture.stopOperator();
    await fixture.startOperator();
    const { status } = await fixture.toBeScheduled('OnSchedule');
    expect(status).toMatchObject({
      lastMissedTime: timeOf(latest - HOUR_MS),
      nextScheduleTime: timeOf(latest + HOUR_MS),
    });
    await fixture.runsToBe(first, latest);
    const { items } = await client.list(EVENTS, { namespace: fixture.namespace });
    expect(items.filter(({ reason }) => reason === 'MissedSchedule').map(({ note }) => note)).toEqual([
      `3 runs up to that of ${timeOf(latest - HOUR_MS)} were not created; only the latest one that is due is created.`,
    ]);
  });

  it('with Forbid waits until the earlier RayJob has ended', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly({ concurrencyPolicy: 'Forbid' });
    const first = fixture.pass();
    await fixture.runsToBe(first);
    await fixture.toBe(({ status }) => status?.lastScheduleTime === timeOf(first));
    const second = fixture.pass();
    const waiting = await fixture.toBeScheduled('PreviousRunActive');
    expect(waiting.status).toMatchObject({ nextScheduleTime: timeOf(second), lastScheduleTime: timeOf(first) });
    expect(await fixture.runNames()).toEqual([runName(NAME, first)]);
    await fixture.end(first);
    await fixture.runsToBe(first, second);
    await fixture.toBeScheduled('OnSchedule');
  });

  it('with Replace deletes the earlier RayJob', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly({ concurrencyPolicy: 'Replace' });
    await fixture.runsToBe(fixture.pass());
    await fixture.toBe(({ status }) => status?.lastScheduleTime !== undefined);
    const second = fixture.pass();
    await fixture.runsToBe(second);
    await fixture.toBe(({ status }) => status?.active?.length === 1 && status.lastScheduleTime === timeOf(second));
  });

  it('that is suspended creates nothing, and leaves out the times that passed when it is resumed', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly();
    const first = fixture.pass();
    await fixture.runsToBe(first);
    await fixture.change({ suspend: true });
    const suspended = await fixture.toBeScheduled('Suspended');
    expect(suspended.status).not.toHaveProperty('nextScheduleTime');
    fixture.clock.advance(3 * HOUR_MS);
    await fixture.change({ suspend: false });
    await fixture.toBeScheduled('OnSchedule');
    expect(await fixture.runNames()).toEqual([runName(NAME, first)]);
    const next = fixture.pass();
    expect(next).toBe(first + 4 * HOUR_MS);
    await fixture.runsToBe(first, next);
    await fixture.eventsToBe({
      ...{ RayCronJobRunning: 2, SuccessfulCreateRayJob: 2 },
      ...{ RayCronJobSuspended: 1, RayCronJobResumed: 1 },
    });
  });

  it('with an edited schedule counts from the edit', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly();
    fixture.clock.advance(20 * MINUTE_MS);
    const edited = fixture.clock.now();
    await fixture.change({ schedule: '*/5 * * * *' });
    const { status } = await fixture.toBe(({ status: seen }) => seen?.observedSchedule === '*/5 * * * *');
    expect(await fixture.runNames()).toEqual([]);
    const next = Date.parse(status?.nextScheduleTime ?? '');
    expect(next).toBeGreaterThan(edited);
    expect(next - edited).toBeLessThanOrEqual(5 * MINUTE_MS);
    fixture.clock.advance(next - fixture.clock.now() + 5);
    await fixture.runsToBe(next);
  });

  it('on February 30 is invalid and creates nothing, until it is corrected', async () => {
    await using fixture = await Stage.start();
    await fixture.create({ schedule: '0 0 30 2 *' });
    const { status } = await fixture.toBeScheduled('InvalidSpec');
    expect(status?.conditions?.[0]?.message).toContain('no date ever matches');
    expect(await fixture.runNames()).toEqual([]);
    await fixture.change({ schedule: '0 0 28 2 *' });
    await fixture.toBeScheduled('OnSchedule');
  });

  it.each([
    ['skips a time that does not exist', '2027-03-28T00:00:00Z', ['2027-03-29T00:30:00Z']],
    [
      'runs a repeated time twice',
      '2027-10-30T23:00:00Z',
      ['2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z', '2027-11-01T01:30:00Z'],
    ],
  ])('in Europe/Berlin %s', async (_what, from, times) => {
    await using fixture = await Stage.start();
    fixture.clock.advance(Date.parse(from) - fixture.clock.now());
    await fixture.create({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin', suspend: true });
    await fixture.toBeScheduled('Suspended');
    await fixture.change({ suspend: false });
    const ticks = times.map((time) => Date.parse(time));
    for (const [index, tick] of ticks.entries()) {
      await fixture.toBe(({ status }) => status?.nextScheduleTime === timeOf(tick));
      fixture.clock.advance(tick - fixture.clock.now() + 5);
      await fixture.runsToBe(...ticks.slice(0, index + 1));
    }
  });

  it('keeps as many ended RayJobs as its limits allow', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    const ticks: number[] = [];
    for (const end of ['Complete', 'Failed', 'Complete'] as const) {
      const tick = fixture.pass();
      ticks.push(tick);
      await fixture.toBe(({ status }) => status?.lastScheduleTime === timeOf(tick));
      await fixture.end(tick, end);
    }
    await fixture.runsToBe(ticks[2]!);
  });

  it('does not take over a RayJob of another owner, and creates its own when that is gone', async () => {
    await using fixture = await Stage.start();
    await fixture.createHourly();
    const key = { namespace: fixture.namespace, name: runName(NAME, fixture.nextTick()) };
    await client.create(RAY_JOBS, { apiVersion: 'ray.io/v1', kind: 'RayJob', metadata: key, spec: JOB_TEMPLATE });
    const tick = fixture.pass();
    const { status } = await fixture.toBe(
      ({ status: seen }) => seen?.conditions?.some(({ type }) => type === 'ReplicaFailure') === true,
    );
    expect(status?.conditions?.at(-1)).toMatchObject({ type: 'ReplicaFailure', reason: 'NameTaken' });
    expect(status).toMatchObject({ nextScheduleTime: timeOf(tick), active: [] });
    await client.delete(RAY_JOBS, key);
    // The next try.
    fixture.clock.advance(10 * MINUTE_MS);
    await fixture.toBe(({ status: seen }) => seen?.lastScheduleTime === timeOf(tick) && seen.conditions?.length === 1);
  });

  it('that is deleted has its RayJobs and their clusters deleted', async () => {
    await using fixture = await Stage.start(rayAdapters());
    await fixture.createHourly();
    await fixture.runsToBe(fixture.pass());
    await eventually(async () => (await fixture.runs())[0]?.status?.rayClusterName !== undefined, {
      withinMs: WITHIN_MS,
      describe: async () => (await fixture.runs()).map(({ status }) => status),
    });
    await client.delete(RAY_CRON_JOBS, { namespace: fixture.namespace, name: NAME });
    await eventually(async () => (await fixture.runs()).length === 0, {
      withinMs: WITHIN_MS,
      describe: () => fixture.runNames(),
    });
  });
});

describe("under KubeRay's CustomResourceDefinition, which lacks Muster's fields", { timeout: 180_000 }, () => {
  /** In a group of its own, because other files need Muster's definition. */
  const resource = { ...RAY_CRON_JOBS, group: 'kuberay.test.muster.dev' };

  beforeAll(async () => {
    const crd = crdFor({ ...rayCronJobDefinition, resource });
    const { properties = {} } = crd.spec.versions[0]?.schema?.openAPIV3Schema ?? {};
    for (const field of ['concurrencyPolicy', 'successfulJobsHistoryLimit'])
      delete properties['spec']?.properties?.[field];
    properties['status'] = {
      type: 'object',
      properties: { lastScheduleTime: { type: 'string', format: 'date-time' } },
    };
    await installCrd(client, crd);
  });

  it('a RayCronJob creates each RayJob once, and none for times at which it was suspended', async () => {
    await using stage = await Stage.start([{ ...rayCronJobAdapter(), resource }], client);
    const key = { namespace: stage.namespace, name: NAME };
    const schedule = stage.hourly();
    const minute = Number(schedule.split(' ')[0]);
    await client.create(resource, {
      ...{ apiVersion: `${resource.group}/v1`, kind: 'RayCronJob', metadata: key },
      spec: { schedule, concurrencyPolicy: 'Forbid', jobTemplate: JOB_TEMPLATE },
    });
    const record = async () => (await client.get(resource, key)).metadata?.annotations?.[ANNOTATIONS.status] ?? '';
    const recordToBe = (part: RegExp) =>
      eventually(async () => part.test(await record()), { withinMs: WITHIN_MS, describe: record });
    await recordToBe(/"state":"Running"/);
    const passHours = (hours: number) => {
      const start = Math.floor(stage.clock.now() / HOUR_MS) * HOUR_MS + minute * MINUTE_MS;
      const tick = start + (start > stage.clock.now() ? hours - 1 : hours) * HOUR_MS;
      stage.clock.advance(tick - stage.clock.now() + 5);
      return tick;
    };
    const first = passHours(1);
    await stage.runsToBe(first);
    const lastScheduleTime = async () => (await client.get(resource, key)).status?.lastScheduleTime;
    await eventually(async () => (await lastScheduleTime()) === timeOf(first), {
      withinMs: WITHIN_MS,
      describe: record,
    });

    await client.patch(resource, key, { spec: { suspend: true } });
    await recordToBe(/"state":"Suspended"/);
    stage.clock.advance(3 * HOUR_MS + 20 * MINUTE_MS);
    await client.patch(resource, key, { spec: { suspend: false } });
    await recordToBe(/"state":"Running"/);
    await stage.stopOperator();
    await stage.startOperator();
    const next = passHours(1);
    await stage.runsToBe(first, next);
  });
});

it('lets the operator run its other kinds where the cluster does not serve it', { timeout: 180_000 }, async () => {
  const absent = { ...rayCronJobAdapter(), resource: { ...RAY_CRON_JOBS, plural: 'absentcronjobs' } };
  const [clusters] = rayAdapters();
  // Resolves when the operator is ready. The chart grants no right for that name.
  await using fixture = await Stage.start([clusters, absent], client);
  expect(fixture.registry).toBeDefined();
});
