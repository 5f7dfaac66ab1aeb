import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { plainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { keptPods } from './indispensable-pods.ts';

const FIRST = 'job-worker-0';

function eventsFor(
  named: readonly string[],
  { emitted = [] as readonly string[], scaleDownFirst = [] as string[] } = {},
) {
  const job = jobOf({ roles: [{ name: 'Worker', replicas: 2, scaleDownFirst }] });
  const [role] = job.roles;
  if (role === undefined) throw new Error('a plain job has a role');
  const adapter: FrameworkAdapter = { ...plainAdapter({}), network: { addressed: () => ({ role, index: 0 }) } };
  const replicas = [0, 1].map((index) => ({ role, index, state: 'running' as const, pod: plainPod({ index }) }));
  const missing = { role, index: 0, state: 'missing' as const };
  return keptPods(adapter, job, [...replicas, missing], { named: new Set(named), emitted: new Set(emitted) });
}

describe('a pod that is named for scale-down and that others need', () => {
  it('is reported once, with the annotation that names it', () => {
    const [event, ...others] = eventsFor([FIRST, 'job-worker-1']);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'Warning', reason: 'ScaleDownPodKept' });
    expect(event?.note).toContain(`${FIRST} is kept although muster.dev/scale-down-pods names it`);
    expect(eventsFor([FIRST], { emitted: [event?.dedupKey ?? ''] })).toEqual([]);
  });

  it('is reported with the spec if that names it', () => {
    expect(eventsFor([FIRST], { scaleDownFirst: [FIRST] })[0]?.note).toContain(
      "is kept although the job's spec names it",
    );
    expect(eventsFor([FIRST], { scaleDownFirst: ['job-worker-1'] })[0]?.note).toContain('muster.dev/scale-down-pods');
  });

  it('is not reported if no pod, or another pod, is named', () => {
    expect([eventsFor([]), eventsFor(['job-worker-1'])]).toEqual([[], []]);
  });
});
