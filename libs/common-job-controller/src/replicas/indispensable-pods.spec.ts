import { ANNOTATIONS } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { plainPod } from '../../test-support/plain-pod.ts';
import { jobOf, SETTINGS, worldOf } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { keptPods } from './indispensable-pods.ts';

const FIRST = 'job-worker-0';

const scaleDownPods = (named: readonly string[]) => ({ [ANNOTATIONS.scaleDownPods]: named.join(',') });

/** Other pods connect to the first worker. */
function adapterFor(scaleDownFirst: readonly string[] = []): FrameworkAdapter {
  const plain = plainAdapter({ roles: [{ name: 'Worker', replicas: 2, scaleDownFirst }] });
  return { ...plain, network: { addressed: ({ roles }) => ({ role: roles[0]!, index: 0 }) } };
}

function eventsFor(named: readonly string[], scaleDownFirst: readonly string[] = []) {
  const job = jobOf({
    roles: [{ name: 'Worker', replicas: 2, scaleDownFirst }],
    annotations: scaleDownPods(named),
  });
  const [role] = job.roles;
  if (role === undefined) throw new Error('a plain job has a role');
  const replicas = [0, 1].map((index) => ({ role, index, state: 'running' as const, pod: plainPod({ index }) }));
  const missing = { role, index: 0, state: 'missing' as const };
  return keptPods(adapterFor(scaleDownFirst), job, [...replicas, missing]);
}

describe('a pod that is named for scale-down and that others need', () => {
  it('is reported once, with the annotation that names it', () => {
    const [event, ...others] = eventsFor([FIRST, 'job-worker-1']);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'Warning', reason: 'ScaleDownPodKept' });
    expect(event?.note).toContain(`${FIRST} is kept although muster.dev/scale-down-pods names it`);
    const world = worldOf({ annotations: scaleDownPods([FIRST]), pods: [{}, { index: 1 }] });
    const keptIn = (emitted: readonly string[]) =>
      planJob(adapterFor(), { ...world, emittedEvents: new Set(emitted) }, SETTINGS).events.filter(
        ({ reason }) => reason === event?.reason,
      );
    expect([keptIn([]), keptIn([event?.dedupKey ?? ''])]).toEqual([[event], []]);
  });

  it('is reported with the spec if that names it', () => {
    expect(eventsFor([FIRST], [FIRST])[0]?.note).toContain("is kept although the job's spec names it");
    expect(eventsFor([FIRST], ['job-worker-1'])[0]?.note).toContain('muster.dev/scale-down-pods');
  });

  it('is not reported if no pod, or another pod, is named', () => {
    expect([eventsFor([]), eventsFor(['job-worker-1'])]).toEqual([[], []]);
  });
});
