import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { plainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { keptPods } from './indispensable-pods.ts';

const FIRST = 'job-worker-0';

/** What is said of a job of two workers, the first of which the other one addresses, when these pods are to go first. */
function saidOf(named: readonly string[], { told = [] as readonly string[], scaleDownFirst = [] as string[] } = {}) {
  const job = jobOf({ roles: [{ name: 'Worker', replicas: 2, scaleDownFirst }] });
  const [role] = job.roles;
  if (role === undefined) throw new Error('a plain job has a role');
  const adapter: FrameworkAdapter = { ...plainAdapter({}), network: { addressed: () => ({ role, index: 0 }) } };
  const replicas = [0, 1].map((index) => ({ role, index, state: 'running' as const, pod: plainPod({ index }) }));
  const missing = { role, index: 0, state: 'missing' as const };
  return keptPods(adapter, job, [...replicas, missing], { named: new Set(named), told: new Set(told) });
}

describe('a pod that is to go first though the others need it', () => {
  it('is told of once, with the annotation that names it', () => {
    const [event, ...others] = saidOf([FIRST, 'job-worker-1']);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'Warning', reason: 'ScaleDownPodKept' });
    expect(event?.note).toContain(`${FIRST} stays though muster.dev/scale-down-pods names it`);
    expect(saidOf([FIRST], { told: [event?.dedupKey ?? ''] })).toEqual([]);
  });

  it('is told of with the spec where that names it', () => {
    expect(saidOf([FIRST], { scaleDownFirst: [FIRST] })[0]?.note).toContain("stays though the job's spec names it");
    expect(saidOf([FIRST], { scaleDownFirst: ['job-worker-1'] })[0]?.note).toContain('muster.dev/scale-down-pods');
  });

  it('is not told of where none is named, or others are', () => {
    expect([saidOf([]), saidOf(['job-worker-1'])]).toEqual([[], []]);
  });
});
