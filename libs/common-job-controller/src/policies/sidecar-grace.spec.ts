import { ANNOTATIONS, type JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { at, type PlainPod } from '../../test-support/plain-pod.ts';
import {
  jobOf,
  namesOf,
  planOf,
  SETTINGS,
  statusAfter,
  worldOf,
  type PlainWorld,
} from '../../test-support/plain-world.ts';
import { jobGraceMs } from './sidecar-grace.ts';

const POLICIES = ['', 'Running', 'All'] as const;
const main = { phase: 'Running', exit: 0, ended: 0 } as const;
const done: PlainPod = { ...main };
const runs: PlainWorld = { pods: [{}] };

function ended(policy: (typeof POLICIES)[number], world: PlainWorld = {}): PlainWorld & { readonly status: JobStatus } {
  const runPolicy = { cleanPodPolicy: policy };
  const job = { pods: [done], runPolicy, ...world };
  return { ...job, status: statusAfter({ ...runs, runPolicy }, job) };
}

const after = (world: PlainWorld, seconds: number) => planOf({ ...world, now: seconds });
const removed = (world: PlainWorld, seconds: number) => namesOf(after(world, seconds).remove.pods);

describe.each(POLICIES)('cleanPodPolicy %j', (policy) => {
  it('keeps a pod whose main container has ended for 30 seconds, so that its sidecar can finish', () => {
    const plan = planOf({ ...runs, runPolicy: { cleanPodPolicy: policy }, pods: [done], status: statusAfter(runs) });
    expect(plan.status?.state).toBe('Succeeded');
    expect([plan.remove.pods, plan.requeueAfterMs]).toEqual([[], 30_000]);
    const job = ended(policy);
    expect([after(job, 10).requeueAfterMs, removed(job, 10)]).toEqual([20_000, []]);
    expect([removed(job, 29), removed(job, 30)]).toEqual([[], ['job-worker-0']]);
  });

  it('does the same for a pod that has failed', () => {
    const job = ended(policy, { pods: [{ ...done, exit: 1 }] });
    expect(job.status.state).toBe('Failed');
    expect([removed(job, 29), removed(job, 30)]).toEqual([[], ['job-worker-0']]);
  });

  it('counts from the end of the main container if it ends after the job', () => {
    const two = {
      roles: [
        { name: 'Master', replicas: 1 },
        { name: 'Worker', replicas: 1 },
      ],
    };
    const master: PlainPod = { role: 'master', phase: 'Succeeded', exit: 0, sidecarExit: 0 };
    const job = ended(policy, { ...two, pods: [master, { index: 0 }] });
    const late = { ...job, pods: [master, { ...main, ended: 100 }] };
    expect([removed(late, 129).includes('job-worker-0'), removed(late, 130).includes('job-worker-0')]).toEqual([
      false,
      true,
    ]);
  });

  it('keeps the job itself for as long, even after its time to live', () => {
    const job = { ...ended(policy), runPolicy: { cleanPodPolicy: policy, ttlSecondsAfterFinished: 0 } };
    expect([after(job, 10).deleteJob, after(job, 10).requeueAfterMs]).toEqual([false, 20_000]);
    expect(after(job, 30).deleteJob).toBe(true);
  });

  it('deletes the job at once when no sidecar runs', () => {
    const gone = { ...ended(policy), pods: [{ ...done, phase: 'Succeeded' as const, sidecarExit: 0 }] };
    expect(after({ ...gone, runPolicy: { ttlSecondsAfterFinished: 0 } }, 1).deleteJob).toBe(true);
  });
});

describe('the grace for sidecars', () => {
  it('also applies when a limit ended the job', () => {
    const pods = [{ ...done, ended: 50 }, { index: 1 }];
    const world = { workers: 2, runPolicy: { activeDeadlineSeconds: 60 }, pods };
    const job = { ...world, status: statusAfter({ ...world, now: 1 }, { ...world, now: 61 }) };
    expect(job.status.state).toBe('Failed');
    expect(removed(job, 62)).toEqual(['job-worker-1']);
    expect(removed(job, 91)).toEqual(['job-worker-0', 'job-worker-1']);
  });

  it("is set by the job's annotation", () => {
    const annotations = { [ANNOTATIONS.sidecarGraceSeconds]: '5' };
    const job = ended('Running', { annotations });
    expect([removed(job, 4), removed(job, 5)]).toEqual([[], ['job-worker-0']]);
  });

  it("is set by the operator's flag if the job has no annotation", () => {
    const settings = { ...SETTINGS, sidecarGraceMs: 5000 };
    const left = (annotations: Record<string, string>) => {
      const given: PlainWorld = { annotations, status: { completionTime: at(0) }, now: 1 };
      return jobGraceMs({ job: jobOf(given), world: worldOf(given), settings });
    };
    const annotated = ['9', '12', '1s', '-5', '0'].map((seconds) =>
      left({ [ANNOTATIONS.sidecarGraceSeconds]: seconds }),
    );
    expect([left({}), ...annotated]).toEqual([4000, 8000, 11_000, 4000, 4000, 4000]);
  });

  it('ends with the last container, so that only the policy decides', () => {
    const pods = [{ ...done, phase: 'Succeeded' as const, sidecarExit: 0 }];
    const job = ended('All', { pods });
    expect(removed(job, 1)).toEqual(['job-worker-0']);
    expect(removed({ ...job, runPolicy: { cleanPodPolicy: 'Running' } }, 100)).toEqual([]);
  });

  it('is not shortened by a kubelet whose clock is behind', () => {
    const job = ended('Running', { pods: [{ ...done, ended: -500 }] });
    expect([job.status.completionTime, removed(job, 29)]).toEqual([at(0), []]);
  });

  it('is not extended when the clock was set back after the end of the job', () => {
    const job = ended('Running');
    const status = { ...job.status, completionTime: at(3600) };
    expect([removed({ ...job, status }, 29), removed({ ...job, status }, 30)]).toEqual([[], ['job-worker-0']]);
    const left = (completionTime: string) => {
      const given: PlainWorld = { status: { completionTime }, now: 1 };
      return jobGraceMs({ job: jobOf(given), world: worldOf(given), settings: SETTINGS });
    };
    expect(left(at(3600))).toBeLessThan(0);
    expect(left(at(3))).toBe(32_000);
  });

  it('does not apply to a pod whose main container is about to be restarted', () => {
    const roles = [
      { name: 'Master', replicas: 1 },
      { name: 'Worker', replicas: 1 },
    ];
    const master: PlainPod = { role: 'master', phase: 'Succeeded', exit: 0, sidecarExit: 0 };
    const job = ended('Running', { roles, pods: [master, { ...main, exit: 1, restartPolicy: 'OnFailure' }] });
    expect([job.status.state, removed(job, 1)]).toEqual(['Succeeded', ['job-worker-0']]);
  });

  it('does not apply to a pod that never ends on its own', () => {
    const roles = [
      { name: 'Worker', replicas: 1 },
      { name: 'PS', replicas: 1, endsByItself: false },
    ];
    const job = ended('', { roles, pods: [done, { role: 'ps' }] });
    expect(removed(job, 1)).toEqual(['job-ps-0']);
  });
});
