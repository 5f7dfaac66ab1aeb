/** Writes and requests to the dashboard for a RayJob in different states. */
import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { planRayJob, type RayJobWorld } from '../../test-support/ray-job-worlds.ts';
import { after, HEAD, readyCluster } from '../../test-support/ray-jobs.ts';

const RUNNING = { status: 200, body: { status: 'RUNNING', message: '' } };
const BACKOFF_EXCEEDED = {
  conditions: [
    {
      type: 'Failed',
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'it has failed',
      lastTransitionTime: '2026-01-01T00:00:50Z',
    },
  ],
};

describe('planning', () => {
  const ended: JobStatus = { state: 'Failed', conditions: [{ type: 'Failed', status: 'True', reason: 'AppFailed' }] };

  it.each<[state: string, world: RayJobWorld]>([
    ['new', { record: { jobDeploymentStatus: '', attempt: 0 }, cluster: undefined, submitter: 'none' }],
    ['running', { probeResults: { 'job mnist-abcde': RUNNING } }],
    ['failing', { spec: { backoffLimit: 1 }, record: { jobStatus: 'RUNNING' }, cluster: undefined }],
    [
      'suspended',
      { spec: { suspend: true, shutdownAfterJobFinishes: true }, record: { jobDeploymentStatus: 'Suspended' } },
    ],
    ['ended', { record: { jobDeploymentStatus: 'Failed', endTime: after(30) }, engine: ended }],
    ['deleted', { spec: { clusterSelector: { 'ray.io/cluster': 'mnist-abcde' } }, isDeleted: true }],
  ])('observes a %s RayJob once', (_state, world) => {
    expect(planRayJob(world).observations).toBe(1);
  });
});

describe('a RayJob whose submitter fails while Ray runs the job', () => {
  const world: RayJobWorld = {
    spec: { shutdownAfterJobFinishes: true },
    record: { jobStatus: 'RUNNING' },
    submitter: BACKOFF_EXCEEDED,
    probeResults: { 'job mnist-abcde, after its submitter': RUNNING },
    now: 600,
  };

  it('continues', () => {
    const { shown, ownedResources, calls } = planRayJob(world);
    expect(shown).toMatchObject({ jobDeploymentStatus: 'Running', jobStatus: 'RUNNING' });
    expect(ownedResources.remove).toEqual([]);
    expect(calls).toEqual([]);
  });

  it("ends with Ray's result", () => {
    const { shown } = planRayJob({
      ...world,
      probeResults: {
        'job mnist-abcde, after its submitter': { status: 200, body: { status: 'SUCCEEDED', message: 'done' } },
      },
    });
    expect(shown).toMatchObject({ jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED', succeeded: 1, failed: 0 });
  });
});

/** Offset of the operator's clock from the Job controller's, in seconds. */
describe.each([-300, 0, 300])('a RayJob whose submitter ends, by a clock that is %i s ahead', (aheadSeconds) => {
  const end = (type: 'Complete' | 'Failed') => ({
    conditions: [{ type, status: 'True', lastTransitionTime: after(600 - aheadSeconds) }],
  });
  const NO_SUCH_JOB = { status: 404, body: 'Job mnist-abcde does not exist' };
  const AFTER_END = 'job mnist-abcde, after its submitter';
  const plan = (submitter: ReturnType<typeof end>, probeResults: RayJobWorld['probeResults'], askedForSeconds = 0) =>
    planRayJob({ submitter, now: 601, probeResults: probeResults!, askedForSeconds });

  it.each(['Complete', 'Failed'] as const)('does not fail by an answer from before that end (%s)', (type) => {
    const { shown } = plan(end(type), { 'job mnist-abcde': NO_SUCH_JOB });
    expect(shown).toMatchObject({ jobDeploymentStatus: 'Running' });
  });

  it.each([
    ['Complete', 'AppFailed'],
    ['Failed', 'SubmissionFailed'],
  ] as const)('fails by the first answer from after that end (%s)', (type, reason) => {
    const { shown } = plan(end(type), { [AFTER_END]: NO_SUCH_JOB });
    expect(shown).toMatchObject({ jobDeploymentStatus: 'Failed', reason });
  });

  it.each([
    ['Complete', 'JobDeploymentStatusTransitionGracePeriodExceeded'],
    ['Failed', 'SubmissionFailed'],
  ] as const)('fails when Ray has not answered for 30 s since then (%s)', (type, reason) => {
    const probeResults = { [AFTER_END]: 'no answer' } as const;
    expect(plan(end(type), probeResults, 29).shown).toMatchObject({ jobDeploymentStatus: 'Running' });
    expect(plan(end(type), probeResults, 30).shown).toMatchObject({ jobDeploymentStatus: 'Failed', reason });
  });

  it.each(['Complete', 'Failed'] as const)('requests the status again under another name (%s)', (type) => {
    const names = (submitter?: RayJobWorld['submitter']) =>
      planRayJob({ now: 601, ...(submitter !== undefined && { submitter }) }).probes;
    expect(names()).toEqual(['job mnist-abcde']);
    expect(names(end(type))).toEqual([AFTER_END]);
  });
});

describe('a RayJob whose submitter has failed while its RayCluster has no address', () => {
  const { serviceName: _serviceName, ...head } = HEAD;
  const plan = (seenMs: number, more: RayJobWorld = {}) =>
    planRayJob({ cluster: readyCluster({ status: { head } }), submitter: BACKOFF_EXCEEDED, now: 300, seenMs, ...more });

  it('runs for 30 s by the clock of the operator, and fails then', () => {
    expect(plan(0).shown).toMatchObject({ jobDeploymentStatus: 'Running' });
    expect(plan(29_000)).toMatchObject({ shown: { jobDeploymentStatus: 'Running' }, requeueAfterMs: 1000 });
    expect(plan(30_000).shown).toMatchObject({ jobDeploymentStatus: 'Failed', reason: 'SubmissionFailed' });
  });

  it('continues if the cluster has an address, until the first request to Ray', () => {
    expect(plan(30_000, { cluster: readyCluster() }).shown).toMatchObject({ jobDeploymentStatus: 'Running' });
  });
});

describe('the event SubmitterLost', () => {
  const AFTER_END = 'job mnist-abcde, after its submitter';
  const world: RayJobWorld = {
    record: { jobStatus: 'RUNNING' },
    submitter: BACKOFF_EXCEEDED,
    probeResults: { [AFTER_END]: RUNNING },
    now: 600,
  };
  const lost = (changes: RayJobWorld = {}) =>
    planRayJob({ ...world, ...changes }).events.filter(({ reason }) => reason === 'SubmitterLost');

  it('is emitted once when the submitter fails while Ray runs the job', () => {
    const [event, ...others] = lost();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'Warning' });
    expect(event?.note).toContain('has failed (BackoffLimitExceeded, it has failed)');
    expect(event?.note).toContain('ray job logs mnist-abcde --address http://mnist-abcde-head-svc.team.svc');
    expect(lost({ emitted: [event?.dedupKey ?? ''] })).toEqual([]);
  });

  it('names the command that shows the log before a long message of the submitter, truncated to 300 characters', () => {
    const [condition] = BACKOFF_EXCEEDED.conditions;
    const [event] = lost({ submitter: { conditions: [{ ...condition!, message: 'no such file, '.repeat(200) }] } });
    expect(event?.note.length).toBeLessThan(800);
    expect(event?.note).toMatch(
      /ray job logs mnist-abcde --address http:\/\/mnist-abcde-head-svc.*The submitter has failed/s,
    );
  });

  it('is emitted when the submitter is deleted while Ray runs the job', () => {
    const [event] = lost({ submitter: 'none', probeResults: { 'job mnist-abcde': RUNNING } });
    expect(event?.note).toContain('The submitter was deleted (Job mnist)');
  });

  it.each<[what: string, changes: RayJobWorld]>([
    ['until Ray reports that it runs the job', { probeResults: {} }],
    [
      'when Ray answers that the job has ended',
      { probeResults: { [AFTER_END]: { status: 200, body: { status: 'SUCCEEDED' } } } },
    ],
    [
      'when Ray does not have the job',
      { probeResults: { [AFTER_END]: { status: 404, body: '' } }, record: { jobStatus: '' } },
    ],
    ['while the submitter runs', { submitter: { active: 1 }, probeResults: { 'job mnist-abcde': RUNNING } }],
    [
      'for a submitter that succeeded',
      { submitter: { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: after(590) }] } },
    ],
    [
      'where there is none',
      { spec: { submissionMode: 'HTTPMode' }, submitter: 'none', probeResults: { 'job mnist-abcde': RUNNING } },
    ],
  ])('is not emitted %s', (_what, changes) => {
    expect(lost(changes)).toEqual([]);
  });
});

describe("a RayJob that ends before Ray's job", () => {
  const SELECTS = { clusterSelector: { 'ray.io/cluster': 'mnist-abcde' }, activeDeadlineSeconds: 30 };
  const STOP = 'POST /api/jobs/mnist-abcde/stop';
  const ENDED: RayJobWorld = {
    spec: SELECTS,
    record: {
      jobDeploymentStatus: 'Failed',
      jobStatus: 'RUNNING',
      reason: 'DeadlineExceeded',
      message: 'late',
      endTime: '2026-01-01T00:00:30Z',
    },
    now: 31,
  };
  const removed = ({ ownedResources }: ReturnType<typeof planRayJob>) =>
    ownedResources.remove.map(({ object }) => object.metadata?.name);

  it('is Failed in the status before anything is stopped', () => {
    const plan = planRayJob({
      spec: SELECTS,
      record: { jobStatus: 'RUNNING' },
      probeResults: { 'job mnist-abcde': RUNNING },
      now: 31,
    });
    expect(plan.shown).toMatchObject({ jobDeploymentStatus: 'Failed', reason: 'DeadlineExceeded' });
    expect(plan.calls).toEqual([]);
  });

  it.each<[what: string, spec: RayJobWorld['spec']]>([
    ['that it has selected', SELECTS],
    ['of its own that is kept', { activeDeadlineSeconds: 30 }],
    ['of its own that is kept, in HTTPMode', { activeDeadlineSeconds: 30, submissionMode: 'HTTPMode' }],
    [
      'of its own that is deleted later',
      { activeDeadlineSeconds: 30, shutdownAfterJobFinishes: true, ttlSecondsAfterFinished: 600 },
    ],
  ])("stops Ray's job on a cluster %s", (_what, spec) => {
    expect(planRayJob({ ...ENDED, spec: spec! }).calls).toEqual([STOP]);
  });

  it('repeats the request to stop it while Ray does not answer, and reports after 5 minutes what may still run', () => {
    const probeResults = { 'stop mnist-abcde': 'no answer' } as const;
    expect(planRayJob({ ...ENDED, probeResults, now: 300 }).calls).toEqual([STOP]);
    const late = planRayJob({ ...ENDED, probeResults, now: 330 });
    expect(late.calls).toEqual([]);
    expect(late.events).toMatchObject([{ type: 'Warning', reason: 'RayJobNotStopped' }]);
    expect(late.events[0]?.note).toContain("Ray's job mnist-abcde may still run on RayCluster mnist-abcde");
    expect(planRayJob({ ...ENDED, probeResults, now: 331, emitted: [late.events[0]?.dedupKey ?? ''] }).events).toEqual(
      [],
    );
  });

  it('records that it was stopped, and does not stop it again', () => {
    const stopped = planRayJob({
      ...ENDED,
      probeResults: { 'stop mnist-abcde': { status: 200, body: { stopped: true } } },
    });
    expect(stopped.shown).toMatchObject({ jobDeploymentStatus: 'Failed', jobStatus: 'STOPPED' });
    expect(stopped.calls).toEqual([]);
    const later = planRayJob({ ...ENDED, record: { ...ENDED.record, jobStatus: 'STOPPED' }, now: 1000 });
    expect(later.calls).toEqual([]);
    expect(later.events).toEqual([]);
  });

  it('gives the submitter time to write its log, and then deletes it', () => {
    expect(removed(planRayJob(ENDED))).toEqual([]);
    expect(planRayJob(ENDED).requeueAfterMs).toBeLessThanOrEqual(14_000);
    expect(removed(planRayJob({ ...ENDED, now: 45 }))).toEqual(['mnist']);
    const done = { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-01-01T00:00:35Z' }] };
    expect(removed(planRayJob({ ...ENDED, submitter: done, now: 45 }))).toEqual([]);
  });

  it('keeps the submitter for as long as its annotation requires', () => {
    const world: RayJobWorld = { ...ENDED, annotations: { 'muster.dev/sidecar-grace-seconds': '60' } };
    const kept = planRayJob({ ...world, now: 89 });
    expect([removed(kept), kept.requeueAfterMs]).toEqual([[], 1000]);
    expect(removed(planRayJob({ ...world, now: 90 }))).toEqual(['mnist']);
    // Other jobs use the cluster: what the submitter may have started is stopped all the same.
    expect(planRayJob({ ...world, now: 45 }).calls).toEqual([STOP]);
  });

  it.each(['5', 'soon'])('keeps the submitter for 15 s at least, as with the annotation %j', (seconds) => {
    const world: RayJobWorld = { ...ENDED, annotations: { 'muster.dev/sidecar-grace-seconds': seconds } };
    expect(removed(planRayJob({ ...world, now: 44 }))).toEqual([]);
    expect(removed(planRayJob({ ...world, now: 45 }))).toEqual(['mnist']);
  });

  it('deletes a submitter that has not submitted yet, and stops what it may have submitted meanwhile', () => {
    const unseen = { ...ENDED, record: { ...ENDED.record, jobStatus: '' as const } };
    const first = planRayJob(unseen);
    expect(removed(first)).toEqual(['mnist']);
    expect(first.calls).toEqual([]);
    const second = planRayJob({ ...unseen, submitter: 'none', now: 45 });
    expect(second.calls).toEqual([STOP]);
    const third = planRayJob({
      ...unseen,
      submitter: 'none',
      now: 46,
      probeResults: { 'stop mnist-abcde': { status: 404 } },
    });
    expect(third.calls).toEqual([]);
    expect(third.events).toEqual([]);
  });

  it.each(['RUNNING', ''] as const)(
    "stops Ray's job when it is deleted, on a selected cluster, with jobStatus %j",
    (jobStatus) => {
      const world: RayJobWorld = { spec: SELECTS, record: { jobStatus }, isDeleted: true };
      expect(planRayJob(world).calls).toEqual([STOP]);
      expect(planRayJob({ ...world, probeResults: { 'stop mnist-abcde': 'no answer' } }).calls).toEqual([]);
    },
  );

  it('stops nothing if the cluster was never ready, because nothing was submitted', () => {
    const record = { ...ENDED.record, jobStatus: '' as const, reason: 'PreRunningDeadlineExceeded' };
    const early = { ...ENDED, record: { ...record, dashboardURL: undefined as never }, submitter: 'none' as const };
    for (const now of [31, 50, 400]) {
      expect(planRayJob({ ...early, now }).calls).toEqual([]);
      expect(planRayJob({ ...early, now }).events).toEqual([]);
    }
  });

  it('stops nothing on a cluster that is deleted, or for a job that has ended in Ray', () => {
    const own = { activeDeadlineSeconds: 30, shutdownAfterJobFinishes: true };
    const plan = planRayJob({ ...ENDED, spec: own, now: 50 });
    expect(plan.calls).toEqual([]);
    expect(removed(plan)).toEqual(['mnist-abcde']);
    expect(planRayJob({ ...ENDED, record: { ...ENDED.record, jobStatus: 'FAILED' } }).calls).toEqual([]);
    expect(planRayJob({ ...ENDED, cluster: undefined }).calls).toEqual([]);
  });
});

describe('a RayJob that a rule deletes at its end', () => {
  const ENDED: RayJobWorld = {
    spec: { deletionStrategy: { deletionRules: [{ policy: 'DeleteSelf', condition: { jobStatus: 'SUCCEEDED' } }] } },
    record: { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED', endTime: after(100) },
    engine: {
      state: 'Succeeded',
      completionTime: after(100),
      conditions: [{ type: 'Succeeded', status: 'True', lastTransitionTime: after(100), lastUpdateTime: after(100) }],
    },
    now: 110,
  };
  const done = { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: after(105) }] };

  it.each<[what: string, world: RayJobWorld, expected: [deleteJob: boolean, requeueAfterMs?: number]]>([
    ['is kept for 30 s while its submitter runs', {}, [false, 20_000]],
    ['is deleted after 30 s', { now: 130 }, [true]],
    ['is deleted at once when its submitter has ended', { submitter: done }, [true]],
    ['is deleted at once without a submitter', { submitter: 'none' }, [true]],
    [
      'is kept for the time in its annotation',
      { annotations: { 'muster.dev/sidecar-grace-seconds': '60' }, now: 130 },
      [false, 30_000],
    ],
  ])('%s', (_what, world, [deleteJob, requeueAfterMs]) => {
    const plan = planRayJob({ ...ENDED, ...world });
    expect(plan.deleteJob).toBe(deleteJob);
    if (requeueAfterMs !== undefined) expect(plan.requeueAfterMs).toBeLessThanOrEqual(requeueAfterMs);
  });
});

describe('a RayJob without a matching deletion rule', () => {
  const RULES = {
    deletionStrategy: {
      deletionRules: (['SUCCEEDED', 'FAILED'] as const).map((jobStatus) => ({
        policy: 'DeleteCluster' as const,
        condition: { jobStatus, ttlSeconds: 5 },
      })),
    },
  };
  const OLDER = {
    deletionStrategy: {
      onSuccess: { policy: 'DeleteCluster' as const },
      onFailure: { policy: 'DeleteCluster' as const },
    },
  };
  const LATE = { jobDeploymentStatus: 'Failed', reason: 'DeadlineExceeded', jobStatus: 'STOPPED' } as const;
  const STOPPED = { jobDeploymentStatus: 'Complete', jobStatus: 'STOPPED' } as const;
  const planAt = (spec: RayJobWorld['spec'], record: RayJobWorld['record'], emitted: readonly string[] = []) =>
    planRayJob({
      spec: spec!,
      record: { ...record, endTime: '2026-01-01T00:00:30Z' },
      submitter: 'none',
      now: 60,
      emitted,
    });

  it.each<[what: string, spec: RayJobWorld['spec'], record: RayJobWorld['record'], advice: RegExp]>([
    [
      'after its deadline',
      RULES,
      LATE,
      /RayCluster mnist-abcde is kept. Add a rule with condition.jobDeploymentStatus/,
    ],
    ['after it was stopped', RULES, STOPPED, /No rule can match this end: delete it$/],
    ['after it was stopped, by the older form', OLDER, STOPPED, /No rule can match this end: delete it$/],
  ])('warns once %s', (_what, spec, record, advice) => {
    const { events, ownedResources } = planAt(spec, record);
    expect(events).toMatchObject([{ type: 'Warning', reason: 'NoDeletionRuleMatched' }]);
    expect(events[0]?.note).toMatch(advice);
    expect(ownedResources.remove).toEqual([]);
    expect(planAt(spec, record, [events[0]?.dedupKey ?? '']).events).toEqual([]);
  });

  it.each<[what: string, spec: RayJobWorld['spec'], record: RayJobWorld['record']]>([
    ['where onFailure matches', OLDER, LATE],
    ['where a rule matches', RULES, { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED' }],
    ['where there is no deletionStrategy', {}, LATE],
  ])('does not warn %s', (_what, spec, record) => {
    expect(planAt(spec, record).events.map(({ reason }) => reason)).not.toContain('NoDeletionRuleMatched');
  });
});
