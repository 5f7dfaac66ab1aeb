import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB } from '../../test-support/plain-pod.ts';
import { namesOf, SETTINGS } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { objectsOf } from './objects-of.ts';

const ROLES = [
  { name: 'Master', replicas: 1 },
  { name: 'Worker', replicas: 2 },
];

const MANIFEST = {
  apiVersion: 'test.muster.dev/v1',
  kind: 'PlainJob',
  metadata: { ...JOB, generation: 1 },
  spec: { runPolicy: { suspend: false } },
};

const objects = (adapter: Partial<FrameworkAdapter> = {}) =>
  objectsOf({ ...plainAdapter({ roles: ROLES }), ...adapter }, MANIFEST, SETTINGS);

describe('objectsOf', () => {
  it('returns Services, then pods, role by role', () => {
    const made = objects();
    expect(made.map(({ kind }) => kind)).toEqual(['Service', 'Pod', 'Pod', 'Pod']);
    expect(namesOf(made)).toEqual(['job', 'job-master-0', 'job-worker-0', 'job-worker-1']);
  });

  it('also returns pods that wait for other roles', () => {
    const made = objects({ scheduling: { mayStart: (_job, role) => role.name === 'Master' } });
    expect(namesOf(made)).toEqual(['job', 'job-master-0', 'job-worker-0', 'job-worker-1']);
  });

  it("returns the framework's owned objects first", () => {
    const autoscaler = () => ({ minReplicas: 1, maxReplicas: 2, metrics: [] });
    expect(objects({ autoscaling: { autoscaler } }).map(({ kind }) => kind)[0]).toBe('HorizontalPodAutoscaler');
  });
});
