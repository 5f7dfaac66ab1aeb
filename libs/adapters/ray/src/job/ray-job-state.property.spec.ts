/** Whatever is observed in whatever order, a RayJob never hangs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  jobSpec,
  NOT_FOUND,
  observe,
  readyCluster,
  recordOf,
  reports,
  silent,
  START_MS,
} from '../../test-support/ray-jobs.ts';
import type { ObservedRayJob, Submitter } from './observed-ray-job.ts';
import { nextState } from './ray-job-state.ts';
import { JOB_DEPLOYMENT_STATUSES, RAY_JOB_STATUSES, type RayJobRecord } from './ray-job-status.ts';

const seconds = fc.integer({ min: 1, max: 5000 });

const spec = fc
  .record(
    {
      submissionMode: fc.constantFrom('K8sJobMode', 'HTTPMode', 'SidecarMode', 'InteractiveMode'),
      activeDeadlineSeconds: seconds,
      preRunningDeadlineSeconds: seconds,
      backoffLimit: fc.integer({ min: 0, max: 3 }),
      suspend: fc.boolean(),
      jobId: fc.constantFrom('', 'by-hand'),
      clusterSelector: fc.constant({ 'ray.io/cluster': 'shared' }),
    },
    { requiredKeys: ['submissionMode'] },
  )
  .map((fields) => jobSpec(fields));

const podName = fc.constantFrom(undefined, 'head-0', 'head-1');

const cluster = fc.option(
  fc
    .record({
      state: fc.constantFrom('', 'ready', 'suspended'),
      head: podName,
      isTolerant: fc.boolean(),
      known: fc.boolean(),
    })
    .map(({ state, head, isTolerant, known }) => {
      const { spec: plain } = readyCluster();
      const spec = isTolerant ? { ...plain, gcsFaultToleranceOptions: {} } : plain;
      const status = { state, head: { serviceName: 'head-svc', ...(head !== undefined && { podName: head }) } };
      const { status: _status, ...bare } = readyCluster({ spec });
      return known ? { ...bare, status } : bare;
    }),
  { nil: undefined },
);

const answer = fc.oneof(
  fc.constantFrom(undefined, NOT_FOUND, silent(1), silent(9)),
  fc.constantFrom(...RAY_JOB_STATUSES.filter((word) => word !== '')).map((word) => reports(word)),
);

const submitter: fc.Arbitrary<Submitter | undefined> = fc.oneof(
  fc.constantFrom(undefined, {}),
  fc.boolean().map((hasFailed) => ({ end: { hasFailed, message: 'ended' } })),
);

const submission = fc.constantFrom(
  undefined,
  { kind: 'Accepted', ageMs: 0 } as const,
  { kind: 'Refused', problem: 'no' } as const,
  { kind: 'Unanswered', problem: 'away' } as const,
);

const record: fc.Arbitrary<RayJobRecord> = fc
  .record({
    jobDeploymentStatus: fc.constantFrom(...JOB_DEPLOYMENT_STATUSES),
    jobStatus: fc.constantFrom(...RAY_JOB_STATUSES),
    head: podName,
    failed: fc.integer({ min: 0, max: 4 }),
  })
  .map(({ head, ...fields }) =>
    recordOf({ ...fields, ...(head !== undefined && { rayClusterStatus: { head: { podName: head } } }) }),
  );

/** Everything that the operator does not control. */
const seen = fc.record({ spec, cluster, answer, submitter, submission, isDriverNodeDead: fc.boolean() });
type Seen = typeof seen extends fc.Arbitrary<infer One> ? One : never;

function lookAt(things: Seen, record: RayJobRecord, nowMs: number): ObservedRayJob {
  return { ...observe({ nowMs }), ...things, record };
}

const HOURS_MS = 4 * 3_600_000;

/** The result for a job in constant surroundings, with a reconcile run at each requested time. */
function settled(things: Seen, start: RayJobRecord, startMs: number): ReturnType<typeof nextState> {
  let record = start;
  let nowMs = startMs;
  for (let looks = 0; looks < 60; looks++) {
    const step = nextState(lookAt(things, record, nowMs));
    const isSame = JSON.stringify(step.record) === JSON.stringify(record);
    record = step.record;
    if (isSame && step.recheckAfterMs === undefined) return step;
    nowMs += step.recheckAfterMs ?? 1000;
    if (nowMs > startMs + HOURS_MS) return step;
  }
  throw new Error(`the job goes round in circles: ${JSON.stringify(record)}`);
}

const anyTime = fc.integer({ min: 0, max: 10_000 }).map((after) => START_MS + after * 1000);

describe('a RayJob', () => {
  it('in any state and with any observation continues, ends or reports what it waits for', () => {
    fc.assert(
      fc.property(seen, record, anyTime, (things, before, nowMs) => {
        const step = nextState(lookAt(things, before, nowMs));
        const { jobDeploymentStatus } = step.record;
        const hasMoved = jobDeploymentStatus !== before.jobDeploymentStatus;
        expect(hasMoved || isOver(jobDeploymentStatus) || step.waitsFor !== undefined).toBe(true);
        expect(step.recheckAfterMs ?? 1).toBeGreaterThan(0);
        expect(nextState(lookAt(things, before, nowMs))).toEqual(step);
      }),
      { numRuns: 2000 },
    );
  });

  it('reaches a stable state, ended or with a reported wait, when its surroundings do not change', () => {
    fc.assert(
      fc.property(fc.array(seen, { minLength: 1, maxLength: 6 }), record, (worlds, start) => {
        let before = start;
        let nowMs = START_MS;
        for (const things of worlds) {
          before = nextState(lookAt(things, before, nowMs)).record;
          nowMs += 5000;
        }
        const end = settled(worlds.at(-1)!, before, nowMs);
        expect(isOver(end.record.jobDeploymentStatus) || end.waitsFor !== undefined).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('that runs does not wait forever for a dashboard or a submitter', () => {
    fc.assert(
      fc.property(seen, record, anyTime, (things, before, nowMs) => {
        const running = { ...before, jobDeploymentStatus: 'Running' as const };
        const { record: end } = settled({ ...things, spec: { ...things.spec, backoffLimit: 0 } }, running, nowMs);
        if (end.jobDeploymentStatus !== 'Running') return;
        // Ray, a submitter before its submission, or a pending request makes the next change.
        const isAtWork = things.answer === undefined || things.answer.kind === 'Job' || isYetToSubmit(things, end);
        expect(isAtWork || isFirstSilence(things)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('ends at its deadline with any observation', () => {
    fc.assert(
      fc.property(seen, record, (things, before) => {
        const spec = { ...things.spec, activeDeadlineSeconds: 100, suspend: false };
        // A request is answered in time, or fails.
        const limited = { ...things, spec, answer: things.answer ?? silent(1) };
        const { record: end } = settled(limited, before, START_MS + 100_000);
        expect(['Initializing', 'Waiting', 'Running']).not.toContain(end.jobDeploymentStatus);
      }),
      { numRuns: 2000 },
    );
  });

  it('fails at most backoffLimit + 1 times, and never reuses a name', () => {
    fc.assert(
      fc.property(fc.array(seen, { minLength: 5, maxLength: 40 }), fc.integer({ min: 0, max: 3 }), (worlds, limit) => {
        let before = recordOf({ jobDeploymentStatus: '', attempt: 0 });
        const clusters = new Set<string>();
        let starts = 0;
        worlds.forEach((things, at) => {
          const { clusterSelector: _none, ...own } = { ...things.spec, backoffLimit: limit };
          const { record } = nextState(lookAt({ ...things, spec: own }, before, START_MS + at * 200_000));
          if (record.jobDeploymentStatus === 'Initializing' && before.jobDeploymentStatus === '') {
            starts += 1;
            clusters.add(record.rayClusterName ?? '');
          }
          expect(record.attempt).toBeGreaterThanOrEqual(before.attempt);
          before = record;
        });
        expect(before.failed ?? 0).toBeLessThanOrEqual(limit + 1);
        expect(clusters.size).toBe(starts);
      }),
      { numRuns: 1000 },
    );
  });
});

function isYetToSubmit({ spec, answer, submitter }: Seen, { jobStatus }: RayJobRecord): boolean {
  const isOpen = submitter !== undefined && submitter.end === undefined;
  return spec.submissionMode === 'K8sJobMode' && isOpen && answer?.kind === 'NotFound' && jobStatus === '';
}

/** In constant surroundings the operator has sent only one request. */
function isFirstSilence({ answer }: Seen): boolean {
  return answer?.kind === 'Silent' && answer.failures === 1;
}

function isOver(state: RayJobRecord['jobDeploymentStatus']): boolean {
  return state === 'Complete' || state === 'Failed';
}
