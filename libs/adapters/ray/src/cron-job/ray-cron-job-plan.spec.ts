/** Writes, status and metrics of a RayCronJob in different Worlds. */
import { newWorld, planJob, type OwnedResource } from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import { RAY_JOBS, type KubeObject, type RayCronJob, type RayJob, type RayCronJobSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, CREATED, cronSpec, JOB_TEMPLATE } from '../../test-support/cron-jobs.ts';
import { rayCronJobAdapter } from './ray-cron-job-adapter.ts';

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local', gang: undefined } as const;
const adapter = rayCronJobAdapter();
const [ownedKind] = adapter.ownedResources?.kinds ?? [];

function cronJob(spec: Partial<RayCronJobSpec> = {}, rest: Partial<RayCronJob> = {}): RayCronJob {
  const metadata = { name: 'nightly', namespace: 'team', uid: 'u-1', generation: 1, creationTimestamp: CREATED };
  return {
    ...{ apiVersion: 'ray.io/v1', kind: 'RayCronJob', spec: cronSpec(spec) },
    ...rest,
    metadata: { ...metadata, ...rest.metadata },
  };
}

function plan(manifest: RayCronJob, now: string, runs: readonly KubeObject[] = []) {
  const ownedResources: OwnedResource[] = runs.map((object) => ({ kind: ownedKind!, object }));
  const result = planned(planJob(adapter, { ...newWorld(manifest, at(now)), ownedResources }, SETTINGS));
  const { stored, ownedResources: writes, events } = result;
  const status = (stored ?? manifest.status) as RayCronJob['status'];
  return {
    ...{ events, status, isWritten: stored !== undefined, requeueAfterMs: result.requeueAfterMs },
    created: writes.create.map(({ object }) => object as RayJob),
    deleted: writes.remove.map(({ object }) => object.metadata?.name),
    changed: writes.change,
    scheduled: status?.conditions?.find(({ type }) => type === 'Scheduled'),
    /** After the status write. */
    after: (): RayCronJob => ({ ...manifest, ...(status && { status }) }),
  };
}

const stored = (run: RayJob | undefined, status: RayJob['status'] = {}): RayJob => ({
  ...run,
  metadata: { ...run?.metadata, uid: `uid of ${run?.metadata?.name}` },
  spec: run?.spec ?? JOB_TEMPLATE,
  status,
});

describe('the plan of a RayCronJob', () => {
  it('creates a RayJob as KubeRay does, with the labels and annotations of queues', () => {
    const metadata = {
      labels: { 'kueue.x-k8s.io/queue-name': 'night', app: 'training' },
      annotations: { 'muster.dev/ray-memory-fraction': '0.8', 'muster.dev/status': '{}', note: 'mine' },
    };
    const { created } = plan(cronJob({}, { metadata }), '2026-01-01T01:00:00Z');
    expect(created).toEqual([
      {
        apiVersion: 'ray.io/v1',
        kind: 'RayJob',
        metadata: {
          name: 'nightly-29453820',
          namespace: 'team',
          labels: { 'kueue.x-k8s.io/queue-name': 'night', 'ray.io/cronjob-name': 'nightly' },
          annotations: {
            'muster.dev/ray-memory-fraction': '0.8',
            'ray.io/cronjob-scheduled-timestamp': '2026-01-01T01:00:00Z',
          },
          ownerReferences: [
            {
              ...{ apiVersion: 'ray.io/v1', kind: 'RayCronJob', name: 'nightly', uid: 'u-1' },
              ...{ controller: true, blockOwnerDeletion: true },
            },
          ],
        },
        spec: JOB_TEMPLATE,
      },
    ]);
  });

  it('writes the status once for each run: when it exists', () => {
    const first = plan(cronJob(), '2026-01-01T00:30:00Z');
    expect(first.status).toMatchObject({ nextScheduleTime: '2026-01-01T01:00:00Z', active: [] });
    const due = plan(first.after(), '2026-01-01T01:00:00Z');
    expect([due.isWritten, due.created.length]).toEqual([false, 1]);
    const run = stored(due.created[0]);
    const seen = plan(first.after(), '2026-01-01T01:00:01Z', [run]);
    expect(seen.created).toEqual([]);
    expect(seen.status).toMatchObject({
      lastScheduleTime: '2026-01-01T01:00:00Z',
      nextScheduleTime: '2026-01-01T02:00:00Z',
      active: [{ name: 'nightly-29453820', uid: 'uid of nightly-29453820' }],
    });
    const idle = plan(seen.after(), '2026-01-01T01:30:00Z', [run]);
    expect([idle.isWritten, idle.events, idle.created, idle.deleted, idle.changed]).toEqual([false, [], [], [], []]);
    const ended = stored(run, { jobDeploymentStatus: 'Complete', endTime: '2026-01-01T01:40:00Z' });
    expect(plan(seen.after(), '2026-01-01T01:40:01Z', [ended]).status).toMatchObject({
      lastSuccessfulTime: '2026-01-01T01:40:00Z',
      active: [],
    });
  });

  it('does not change a run if the template changes', () => {
    const [run] = plan(cronJob(), '2026-01-01T01:00:00Z').created;
    const edited = cronJob({ jobTemplate: { ...JOB_TEMPLATE, entrypoint: 'python other.py' } });
    const { changed, deleted } = plan(edited, '2026-01-01T01:30:00Z', [stored(run)]);
    expect([changed, deleted]).toEqual([[], []]);
  });

  it('deletes ended runs over the limit, and no RayJob of another owner', () => {
    const runs = ['01', '02'].map((hour) => {
      const [run] = plan(cronJob(), `2026-01-01T${hour}:00:00Z`).created;
      return stored(run, { jobDeploymentStatus: 'Complete', endTime: `2026-01-01T${hour}:10:00Z` });
    });
    const foreign = { ...runs[0], metadata: { ...runs[0]?.metadata, name: 'nightly-1', ownerReferences: [] } };
    const limited = cronJob({ successfulJobsHistoryLimit: 1 });
    expect(plan(limited, '2026-01-01T02:30:00Z', [...runs, foreign]).deleted).toEqual(['nightly-29453820']);
  });

  it('has the condition Scheduled with the reason of the engine', () => {
    const running = plan(cronJob(), '2026-01-01T00:30:00Z');
    expect(running.scheduled).toMatchObject({ status: 'True', reason: 'OnSchedule' });
    const suspended = plan({ ...running.after(), spec: cronSpec({ suspend: true }) }, '2026-01-01T00:40:00Z');
    expect(suspended.scheduled).toMatchObject({ status: 'False', reason: 'Suspended' });
    expect(suspended.status).not.toHaveProperty('nextScheduleTime');
    expect(suspended.events.map(({ reason }) => reason)).toEqual(['RayCronJobSuspended']);
    const again = plan({ ...suspended.after(), spec: cronSpec({ suspend: true }) }, '2026-01-01T04:40:00Z');
    expect([again.isWritten, again.events]).toEqual([false, []]);

    const resumed = plan({ ...again.after(), spec: cronSpec() }, '2026-01-02T00:30:00Z');
    expect(resumed.created).toEqual([]);
    expect(resumed.status).toMatchObject({
      nextScheduleTime: '2026-01-02T01:00:00Z',
      scheduleStartTime: '2026-01-02T00:30:00Z',
    });
    expect(plan(resumed.after(), '2026-01-02T00:31:00Z').created).toEqual([]);
  });

  it('is InvalidSpec for a date that never comes, and runs when that is corrected', () => {
    const invalid = plan(cronJob({ schedule: '0 0 30 2 *' }), '2026-01-01T00:30:00Z');
    expect(invalid.created).toEqual([]);
    expect(invalid.scheduled).toMatchObject({ status: 'False', reason: 'InvalidSpec' });
    expect(invalid.scheduled?.message).toContain('spec.schedule: Invalid value: "0 0 30 2 *": no date ever matches');
    const corrected = {
      ...invalid.after(),
      spec: cronSpec(),
      metadata: { ...invalid.after().metadata, generation: 2 },
    };
    expect(plan(corrected, '2026-01-01T01:00:00Z').created).toHaveLength(1);
  });

  it.each([
    ['schedule', { schedule: '0 0 30 2 *' }, 'spec.schedule: '],
    ['time zone', { timeZone: 'Mars/Base' }, 'spec.timeZone: '],
    [
      'template',
      { jobTemplate: { ...JOB_TEMPLATE, runtimeEnvYAML: 'just text' } },
      'spec.jobTemplate.runtimeEnvYAML: Invalid value: must be a map in YAML',
    ],
  ])('creates no runs after an invalid change of the %s, and says so', (_what, change, message) => {
    const before = plan(cronJob(), '2026-01-01T00:30:00Z').after();
    const changed = { ...before, spec: cronSpec(change), metadata: { ...before.metadata, generation: 2 } };
    const { created, scheduled, events } = plan(changed, '2026-01-01T01:00:00Z');
    expect(created).toEqual([]);
    expect(scheduled).toMatchObject({ status: 'False', reason: 'InvalidChange' });
    expect(scheduled?.message).toContain(message);
    expect(events.map(({ reason }) => reason)).toEqual(['InvalidChange']);
  });

  it('continues after the last run that KubeRay created', () => {
    const taken = cronJob({}, { status: { lastScheduleTime: '2026-01-01T05:00:00Z' } });
    expect(plan(taken, '2026-01-01T05:30:00Z').created).toEqual([]);
    expect(plan(taken, '2026-01-01T06:00:00Z').created.map(({ metadata }) => metadata?.name)).toEqual([
      'nightly-29454120',
    ]);
  });

  it("runs also under KubeRay's definition, which drops the fields of Muster", () => {
    const { muster: record, lastScheduleTime } = plan(cronJob(), '2026-01-01T00:30:00Z').status ?? {};
    const dropped = { ...(record && { muster: record }), ...(lastScheduleTime !== undefined && { lastScheduleTime }) };
    expect(plan(cronJob({}, { status: dropped }), '2026-01-01T01:00:00Z').created).toHaveLength(1);
  });
});

describe('warnings about a RayCronJob', () => {
  const { shutdownAfterJobFinishes: _shutdown, ...kept } = JOB_TEMPLATE;

  it('are those of its RayJobs, with their paths, and one about clusters that stay', () => {
    const jobTemplate = { ...kept, submitterConfig: { backoffLimit: 1 } };
    expect(adapter.warnings?.(cronJob({ jobTemplate })).map(({ path }) => path)).toEqual([
      'spec.jobTemplate.submitterConfig',
      'spec.jobTemplate.shutdownAfterJobFinishes',
    ]);
    expect(adapter.warnings?.(cronJob())).toEqual([]);
  });
});

describe('the gauges of a RayCronJob', () => {
  const samples = (status: RayCronJob['status']) =>
    Object.fromEntries(
      (adapter.gauges ?? []).flatMap((gauge) =>
        gauge
          .samples(cronJob({}, { ...(status && { status }) }))
          .map(({ value }) => [gauge.metric.name.replace('muster_raycronjob_', ''), value]),
      ),
    );

  it('are the times in its status and the number of active runs', () => {
    expect(
      samples({
        ...{ nextScheduleTime: '2026-01-01T02:00:00Z', lastScheduleTime: '2026-01-01T01:00:00Z' },
        ...{ lastSuccessfulTime: '2026-01-01T00:20:00Z', lastMissedTime: '2025-12-31T23:00:00Z' },
        active: [{ name: 'nightly-29453820' }],
      }),
    ).toEqual({
      next_schedule_timestamp_seconds: at('2026-01-01T02:00:00Z') / 1000,
      last_schedule_timestamp_seconds: at('2026-01-01T01:00:00Z') / 1000,
      last_success_timestamp_seconds: at('2026-01-01T00:20:00Z') / 1000,
      last_missed_timestamp_seconds: at('2025-12-31T23:00:00Z') / 1000,
      active_runs: 1,
    });
  });

  it('are only the number of active runs before its first reconcile run', () => {
    expect(samples(undefined)).toEqual({ active_runs: 0 });
  });
});

it('owns RayJobs', () => {
  expect(ownedKind?.resource).toBe(RAY_JOBS);
});
