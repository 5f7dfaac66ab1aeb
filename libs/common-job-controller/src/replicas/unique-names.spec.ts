import { ANNOTATIONS, LABELS, type JobStatus, type Pod } from '@muster/job-api';
import { expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB, NOW, plainPod } from '../../test-support/plain-pod.ts';
import { namesOf, SETTINGS, worldOf } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { planned } from '../../test-support/planned.ts';
import type { ReplicaRole } from '../model/training-job.ts';

const plain = plainAdapter({ workers: 2 });

const UNIQUE = { kind: 'UniqueNames', prefix: 'job-w', overlap: true } as const;

const adapter: FrameworkAdapter = {
  ...plain,
  network: undefined as never,
  labels: {
    ...plain.labels,
    replicaOf: ({ metadata }) => {
      const ordinal = metadata?.labels?.[LABELS.ordinal];
      return { role: 'worker', ...(ordinal !== undefined && { index: Number(ordinal) }) };
    },
    ofPod: (job, { index }) => ({ ...plain.labels.ofJob(job.metadata.name), [LABELS.ordinal]: String(index) }),
  },
  failures: { scopeOf: () => 'Replica' },
  read: (manifest, context) => {
    const { roles, options } = plain.read(manifest, context);
    const fresh = { identity: UNIQUE, mustNotEnd: true };
    return { roles: roles.map((role) => ({ ...role, ...fresh })), options };
  },
};

function pod(index: number, phase: 'Running' | 'Succeeded' | 'Failed' = 'Running', exit?: number): Pod {
  const made = plainPod({ index, phase, ...(exit !== undefined && { exit }) });
  const labels = { ...plain.labels.ofJob(JOB.name), [LABELS.ordinal]: String(index) };
  return { ...made, metadata: { ...made.metadata, name: `job-w-${index}`, labels } };
}

interface Different {
  readonly annotations?: Record<string, string>;
  readonly adapter?: FrameworkAdapter;
}

function pass(pods: readonly Pod[], status: JobStatus = {}, nowS = 0, overrides: Different = {}) {
  const { adapter: other = adapter, ...more } = overrides;
  const world = { ...worldOf({ status, now: nowS, hasWrittenStatus: true, ...more }), services: [], pods };
  return planned(planJob(other, world, SETTINGS));
}

function withRoles(change: (role: ReplicaRole) => readonly ReplicaRole[]): FrameworkAdapter {
  return {
    ...adapter,
    read(manifest, context) {
      const { roles, ...read } = adapter.read(manifest, context);
      return { ...read, roles: roles.flatMap(change) };
    },
  };
}

it('records the first names in the status before it creates the pods', () => {
  const { status, create } = pass([]);
  expect(namesOf(create.pods)).toEqual(['job-w-0', 'job-w-1']);
  expect(create.pods.map(({ metadata }) => metadata?.labels?.[LABELS.ordinal])).toEqual(['0', '1']);
  expect(status?.replicaStatuses?.['Worker']).toMatchObject({ indexes: '0-1', nextOrdinal: 2 });
});

it('retries a name under which no pod could be created', () => {
  const first = pass([]).status;
  const again = pass([], first);
  expect(namesOf(again.create.pods)).toEqual(['job-w-0', 'job-w-1']);
  expect(again.status).toBeUndefined();
});

it('replaces a lost pod by one with the next name', () => {
  const running = pass([pod(0), pod(1)], pass([]).status).status;
  const { status, create } = pass([pod(1)], running);
  expect(namesOf(create.pods)).toEqual(['job-w-2']);
  expect(status?.replicaStatuses?.['Worker']).toMatchObject({ indexes: '1-2', nextOrdinal: 3 });
});

it.each<[string, 'Succeeded' | 'Failed', number]>([
  ['failed', 'Failed', 1],
  ['succeeded', 'Succeeded', 0],
])('deletes a pod that has %s, and records failures on the next pod', (_how, phase, exit) => {
  const running = pass([pod(0), pod(1)], pass([]).status).status;
  const ended = pass([pod(0), pod(1, phase, exit)], running, 20);
  expect(namesOf(ended.remove.pods)).toEqual(['job-w-1']);
  expect(ended.status?.restartCount).toBe(1);
  const going = { ...pod(1, phase, exit) };
  going.metadata = { ...going.metadata, deletionTimestamp: new Date(NOW + 50_000).toISOString() };
  const { create } = pass([pod(0), going], ended.status, 21);
  expect(namesOf(create.pods)).toEqual(['job-w-2']);
  expect(create.pods[0]?.metadata?.annotations?.[ANNOTATIONS.failures]).toBe('1');
  const kept = pass([pod(0)], pass([pod(0), going], ended.status, 21).status, 22);
  expect(kept.create.pods[0]?.metadata?.annotations?.[ANNOTATIONS.failures]).toBe('1');
});

it('does not reuse numbers after a suspension', () => {
  const running = pass([pod(0), pod(1)], pass([]).status).status;
  const world = worldOf({ status: running ?? {}, runPolicy: { suspend: true } });
  const suspended = planned(planJob(adapter, { ...world, services: [], pods: [pod(0), pod(1)] }, SETTINGS));
  expect(suspended.status?.replicaStatuses?.['Worker']).toEqual({ nextOrdinal: 2 });
  expect(namesOf(pass([], suspended.status).create.pods)).toEqual(['job-w-2', 'job-w-3']);
});

it('deletes the named pods when the role shrinks, and keeps the others', () => {
  const running = pass([pod(0), pod(1)], pass([]).status).status;
  const smaller = withRoles((role) => [{ ...role, replicas: 1 }]);
  const annotations = { [ANNOTATIONS.scaleDownPods]: 'job-w-0' };
  const { remove, create } = pass([pod(0), pod(1)], running, 20, { adapter: smaller, annotations });
  expect([namesOf(remove.pods), namesOf(create.pods)]).toEqual([['job-w-0'], []]);
});

it('deletes pods of an earlier attempt, and creates those of the next under new names', () => {
  const running = pass([pod(0), pod(1)], pass([]).status).status;
  const next = { ...running, attempt: 1 };
  const { remove, create, status } = pass([pod(0), pod(1)], next, 20);
  expect(namesOf(remove.pods)).toEqual(['job-w-0', 'job-w-1']);
  expect(create.pods).toEqual([]);
  expect(namesOf(pass([], status ?? next, 21).create.pods)).toEqual(['job-w-2', 'job-w-3']);
});

it('replaces an outdated pod', () => {
  const running = pass([pod(0), pod(1)], pass([]).status).status;
  const changed = withRoles((role) => [
    { ...role, identity: { ...UNIQUE, isCurrent: ({ metadata }) => metadata?.name !== 'job-w-0' } },
  ]);
  const { remove, create } = pass([pod(0), pod(1)], running, 20, { adapter: changed });
  expect([namesOf(remove.pods), namesOf(create.pods)]).toEqual([['job-w-0'], ['job-w-2']]);
});

it('ignores pods of another role', () => {
  const two = withRoles((role) => [
    role,
    { ...role, name: 'Other', identity: { kind: 'UniqueNames', prefix: 'job-o', overlap: true } },
  ]);
  const { create } = pass([pod(0), pod(1)], pass([pod(0), pod(1)]).status, 20, { adapter: two });
  expect(namesOf(create.pods)).toEqual(['job-o-0', 'job-o-1']);
});
