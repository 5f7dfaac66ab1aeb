import type { JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import type { PlainPod } from '../../test-support/plain-pod.ts';
import { conditionsOf, namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';

const problems = [
  { path: 'spec.roles[Worker].image', message: 'Required value' },
  { path: 'metadata.name', message: 'is too long' },
];
const invalidObject = { generation: 1, message: 'Pod "job-worker-0" is invalid: spec.volumes[0].name' };
const MESSAGE = 'spec.roles[Worker].image: Required value; metadata.name: is too long';
const pods: PlainPod[] = [{ index: 0 }, { index: 1, owner: 'none' }, { index: 2, deleted: -1 }];

describe('planJob: a job with an invalid spec', () => {
  it.each<[string, PlainWorld, string]>([
    ["by Muster's rules", { problems }, MESSAGE],
    ["by the API server's answer", { invalidObject }, invalidObject.message],
    ["by both, with the problems by Muster's rules first", { problems, invalidObject }, MESSAGE],
    ['even if it is suspended', { problems, runPolicy: { suspend: true } }, MESSAGE],
  ])('is InvalidSpec %s, with one event, and its pods are deleted', (_case, world, message) => {
    const plan = planOf({ ...world, pods });
    expect(conditionsOf(plan.status ?? {})).toEqual(['Created=True', 'Failed=True']);
    expect(plan.status).toMatchObject({ state: 'Failed', observedGeneration: 1 });
    expect(plan.status?.completionTime).toBeDefined();
    expect(plan.events).toEqual([{ type: 'Warning', reason: 'InvalidSpec', note: message, action: 'Validate' }]);
    expect(plan.counters).toEqual(['created', 'failed']);
    expect([namesOf(plan.remove.pods), plan.create.pods, plan.create.services]).toEqual([['job-worker-0'], [], []]);
  });

  const invalid = statusAfter({ problems });

  it.each<[string, PlainWorld]>([
    ['the same spec', { problems }],
    ['the same spec after a restart of the operator', {}],
    ['the same spec, suspended', { problems, runPolicy: { suspend: true } }],
  ])('stays InvalidSpec without another event with %s, and deletes remaining pods', (_case, world) => {
    const plan = planOf({ ...world, status: invalid, pods });
    expect([plan.status, plan.events, plan.counters, plan.create.pods]).toEqual([undefined, [], [], []]);
    expect(namesOf(plan.remove.pods)).toEqual(['job-worker-0']);
  });

  it('is tried again when the spec is changed', () => {
    const plan = planOf({ status: invalid, generation: 2, workers: 2 });
    expect(conditionsOf(plan.status ?? {})).toEqual(['Created=True']);
    expect(plan.status).toMatchObject({ state: 'Created', observedGeneration: 2 });
    expect(plan.status?.completionTime).toBeUndefined();
    expect([plan.events, plan.counters, plan.create.pods.length]).toEqual([[], [], 2]);
  });

  it('gets another event when the changed spec is invalid, too', () => {
    const { status, events, counters } = planOf({ status: invalid, generation: 2, problems: problems.slice(1) });
    expect(conditionsOf(status ?? {})).toEqual(['Created=True', 'Failed=True']);
    expect([events.map(({ note }) => note), counters]).toEqual([['metadata.name: is too long'], ['failed']]);
  });

  it('is suspended when it is corrected and suspended at once', () => {
    const { status } = planOf({ status: invalid, generation: 2, runPolicy: { suspend: true } });
    expect(conditionsOf(status ?? {})).toEqual(['Created=True', 'Suspended=True']);
  });

  it('is deleted after its time to live, even with an invalid spec', () => {
    const runPolicy = { ttlSecondsAfterFinished: 60 };
    expect(planOf({ problems, runPolicy, status: invalid }).requeueAfterMs).toBe(60_000);
    expect(planOf({ problems, runPolicy, status: invalid, now: 60 }).deleteJob).toBe(true);
  });
});

describe('planJob: a job that was valid when it started', () => {
  const ran: JobStatus = statusAfter({ pods: [{}] });

  it.each<[string, JobStatus]>([
    ['runs', ran],
    ['restarts', statusAfter({ pods: [{ phase: 'Failed', exit: 137 }] })],
    [
      'was suspended while it restarted',
      statusAfter({ pods: [{ phase: 'Failed', exit: 137 }] }, { runPolicy: { suspend: true } }, {}),
    ],
    ['was suspended', statusAfter({ pods: [{}] }, { runPolicy: { suspend: true } }, {})],
    ['has ended', statusAfter({ pods: [{ phase: 'Succeeded' }] })],
  ])('does not fail by a newer rule when it %s', (_case, status) => {
    expect(planOf({ problems, invalidObject, status, pods: [{}] }).status?.state ?? status.state).not.toBe('Failed');
  });

  it('creates no pod from a rejected template, and reports it once', () => {
    const refused = planOf({ status: ran, invalidObject });
    expect(refused.create.pods).toEqual([]);
    expect(refused.events).toMatchObject([{ reason: 'FailedCreatePod', type: 'Warning' }]);
    const emitted = refused.events.flatMap(({ dedupKey }) => dedupKey ?? []);
    expect(planOf({ status: ran, invalidObject, emittedEvents: emitted }).events).toEqual([]);
  });

  it('creates the pod again when the template has been changed', () => {
    expect(planOf({ status: ran, invalidObject, generation: 2 }).create.pods).toHaveLength(1);
    expect(planOf({ invalidObject, generation: 2 }).status?.state).toBe('Created');
  });
});

describe('planJob: invalid annotations of Muster', () => {
  const misspelt = { 'muster.dev/service-mode': 'perreplica' };
  const problem =
    'metadata.annotations[muster.dev/service-mode]: Unsupported value: "perreplica": supported values: PerJob, PerReplica';
  const invalid = statusAfter({ annotations: misspelt });

  it('make a new job InvalidSpec', () => {
    const { status, events, create } = planOf({ annotations: misspelt, services: [] });
    expect(status?.state).toBe('Failed');
    expect(events.map(({ reason, note }) => `${reason}: ${note}`)).toEqual([`InvalidSpec: ${problem}`]);
    expect([create.pods, create.services]).toEqual([[], []]);
  });

  it('are reported once while they are unchanged', () => {
    const { status, events, counters } = planOf({ annotations: misspelt, status: invalid });
    expect([status, events, counters]).toEqual([undefined, [], []]);
  });

  it.each<[string, Record<string, string>]>([
    ['corrected', { 'muster.dev/service-mode': 'PerReplica' }],
    ['removed', {}],
  ])('let the job run as soon as they are %s, even without a new generation', (_how, annotations) => {
    const plan = planOf({ annotations, status: invalid });
    expect(plan.status?.state).toBe('Created');
    expect(namesOf(plan.create.pods)).toEqual(['job-worker-0']);
  });

  it('are reported again when the problem is another', () => {
    const { events } = planOf({ annotations: { 'muster.dev/service-mode': 'PerPod' }, status: invalid });
    expect(events).toMatchObject([{ reason: 'InvalidSpec', note: problem.replace('perreplica', 'PerPod') }]);
  });

  it('are reported once for a started job, which continues', () => {
    const begun = statusAfter({});
    const plan = planOf({ annotations: misspelt, status: begun, pods: [{}] });
    expect(plan.status?.state).toBe('Running');
    expect(plan.events).toMatchObject([
      { reason: 'PlainJobRunning' },
      { type: 'Warning', reason: 'AnnotationIgnored', note: `Ignored: ${problem}` },
    ]);
    const once = plan.events.at(-1)?.dedupKey ?? '';
    expect(planOf({ annotations: misspelt, status: begun, emittedEvents: [once] }).events).toEqual([]);
  });

  it('are reported once if they are unknown, with a similar known name', () => {
    const { status, events } = planOf({ annotations: { 'muster.dev/servicemode': 'PerReplica' } });
    expect(status?.state).toBe('Created');
    expect(events).toMatchObject([
      {
        reason: 'AnnotationIgnored',
        note:
          'Ignored: metadata.annotations[muster.dev/servicemode]: unknown annotation for kind PlainJob; did you mean ' +
          'muster.dev/service-mode?',
      },
    ]);
  });
});
