import type { Event, RayCronJobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { explain } from './explanation.ts';
import { isAbout } from './job-events.ts';
import { jobView } from './job-view.ts';
import { noPods } from './log-selection.ts';

const kind = KINDS.find(({ definition }) => definition.resource.kind === 'RayCronJob')!;
const node = { template: { spec: { containers: [{ name: 'ray', image: 'ray:2.60.0' }] } } };
const jobTemplate = { entrypoint: 'python train.py', rayClusterSpec: { headGroupSpec: node } };

const cronJob = (status: RayCronJobStatus) => ({
  ...{ apiVersion: 'ray.io/v1', kind: 'RayCronJob' },
  metadata: { name: 'nightly', namespace: 'team', uid: 'u-1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { schedule: '0 3 * * *', jobTemplate },
  status,
});

const scheduled = (status: 'True' | 'False', reason: string, message: string) => ({
  ...{ type: 'Scheduled', status, reason, message },
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const explained = (status: RayCronJobStatus, events: Event[] = []) =>
  explain({ view: jobView(kind, cronJob(status), []), events, nowMs: Date.parse('2026-01-02T00:00:00Z') });

const RUNS = 'kubectl get rayjobs -l ray.io/cronjob-name=nightly';

describe('why, of a RayCronJob', () => {
  it('says when its next RayJob is created, and how the last ones ended', () => {
    const { headline, findings, next } = explained({
      conditions: [scheduled('True', 'OnSchedule', 'The next run is at 2026-01-02T03:00:00Z.')],
      lastScheduleTime: '2026-01-01T03:00:00Z',
      lastSuccessfulTime: '2026-01-01T03:20:00Z',
      active: [],
      muster: { state: 'Running' },
    });
    expect(headline).toBe('is on schedule. The next run is at 2026-01-02T03:00:00Z.');
    expect(findings[0]?.details).toEqual([
      'No RayJob of it runs.',
      'Last run: 2026-01-01T03:00:00Z.',
      'Last success: 2026-01-01T03:20:00Z.',
    ]);
    expect(next).toEqual([RUNS]);
  });

  it.each([
    ['Suspended', 'Suspended', 'RayCronJob nightly is suspended.', ['resume', RUNS]],
    ['InvalidChange', 'Running', 'spec.schedule: no date ever matches', ['kubectl edit', RUNS]],
    ['PreviousRunActive', 'Running', 'It waits.', ['kubectl delete rayjob nightly-1', RUNS]],
  ])('says why it creates none (%s), and what to do', (reason, state, message, next) => {
    const conditions = [scheduled('False', reason, message)];
    const explanation = explained({ conditions, active: [{ name: 'nightly-1' }], muster: { state } });
    expect(explanation.headline).toBe(`creates no RayJobs (${reason}): ${message}`);
    expect(explanation.findings[0]?.details[0]).toBe('RayJobs that have not ended: nightly-1.');
    expect(explanation.next).toEqual(next);
  });

  it('shows a refused RayJob, and the last warnings', () => {
    const failure = {
      ...scheduled('True', 'FailedCreate', 'exceeded quota: none'),
      type: 'ReplicaFailure',
    };
    const events: Event[] = [
      {
        ...{ metadata: {}, type: 'Warning', reason: 'MissedSchedule', note: '3 runs were not created.' },
        ...{ eventTime: '2026-01-01T23:00:00.000000Z', regarding: { kind: 'RayCronJob', name: 'nightly' } },
      },
    ];
    const { findings } = explained(
      {
        conditions: [scheduled('True', 'OnSchedule', ''), failure],
        muster: { state: 'Running' },
      },
      events,
    );
    const text = findings.flatMap(({ title, details }) => [title, ...details]).join('\n');
    expect(text).toContain('An object of the job cannot be created (FailedCreate)');
    expect(text).toContain('MissedSchedule: 3 runs were not created.');
  });

  it('says that its spec is invalid', () => {
    const failed = { type: 'Failed', status: 'True' as const, reason: 'InvalidSpec', message: 'spec.schedule: wrong' };
    expect(explained({ muster: { state: 'Failed', conditions: [failed] } }).headline).toBe(
      'has an invalid spec: spec.schedule: wrong',
    );
  });
});

it('logs of a RayCronJob are those of its RayJobs', () => {
  const view = jobView(kind, cronJob({ muster: { state: 'Suspended' } }), []);
  const { message } = noPods(view, {}, { title: 'RayCronJob team/nightly', why: 'muster why nightly' });
  expect(message).toBe(
    'RayCronJob team/nightly has no pods: its jobs have the logs.\nSee which jobs: muster why nightly',
  );
});

describe('events of a RayCronJob', () => {
  const found = {
    ...{ kind, resource: kind.definition.resource, name: 'nightly', namespace: 'team' },
    manifest: cronJob({}),
  };
  const about = (regarding: NonNullable<Event['regarding']>) =>
    isAbout(found, [], { metadata: {}, eventTime: '2026-01-02T00:00:00.000000Z', regarding });

  it.each([
    ['it', { kind: 'RayCronJob', name: 'nightly', uid: 'u-1' }, true],
    ['its RayJobs', { kind: 'RayJob', name: 'nightly-29453820' }, true],
    ['a RayJob of another name', { kind: 'RayJob', name: 'nightly-other' }, false],
    ['a RayJob of its name', { kind: 'RayJob', name: 'nightly' }, false],
    ['another RayCronJob', { kind: 'RayCronJob', name: 'nightly-29453820' }, false],
  ])('about %s: %s', (_what, regarding, isOf) => {
    expect(about(regarding)).toBe(isOf);
  });
});
