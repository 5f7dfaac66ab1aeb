import { LABELS, type Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { SETTINGS, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { OwnedResource } from '../model/owned-resources.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { planned, type Planned } from '../../test-support/planned.ts';
import { WORKLOAD_KINDS, type WorkloadObject } from './workloads.ts';

const ROLES = [
  { name: 'Launcher', replicas: 1 },
  { name: 'Worker', replicas: 1 },
];
const plain = plainAdapter({ roles: ROLES, scopes: { '*': 'Job' } });
const adapter: FrameworkAdapter = {
  ...plain,
  workloads: { kinds: ['Job'] },
  read: (manifest, context) => {
    const read = plain.read(manifest, context);
    const identity = { kind: 'Job', labels: {}, spec: {} } as const;
    return { ...read, roles: read.roles.map((role) => (role.name === 'Launcher' ? { ...role, identity } : role)) };
  },
};
const owner = { apiVersion: 'test.muster.dev/v1', kind: 'PlainJob', name: JOB.name, uid: JOB.uid, controller: true };
const LAUNCHER = 'job-launcher';

function planOf(plainWorld: PlainWorld, pods: readonly Pod[], objects: readonly WorkloadObject[]): Planned {
  const ownedResources = objects.map((object): OwnedResource => ({ kind: WORKLOAD_KINDS.Job, object }));
  const world = { ...worldOf({ roles: ROLES, ...plainWorld }), pods, ownedResources };
  return planned(planJob(adapter, world, SETTINGS));
}

function job(plan: Planned, uid: string, failed = false): WorkloadObject {
  const made = plan.ownedResources.create.find(({ object }) => object.metadata?.name === LAUNCHER);
  const conditions = failed ? [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] : [];
  return { metadata: { ...made?.object.metadata, uid, ownerReferences: [owner] }, spec: {}, status: { conditions } };
}

const podOf = (uid: string, pod: PlainPod): Pod =>
  plainPod({ role: 'launcher', name: `${LAUNCHER}-${uid}`, owner: { uid, name: LAUNCHER, kind: 'Job' }, ...pod });

const first = planOf({}, [], []);
const before = job(first, 'before');
const restart = planOf(
  { status: first.status ?? {} },
  [podOf('before', { phase: 'Failed', exit: 1 }), plainPod()],
  [job(first, 'before', true)],
);
const status = restart.status ?? {};
const namesOf = (objects: readonly { object: { metadata?: { name?: string } } }[]) =>
  objects.map(({ object }) => object.metadata?.name);

describe('a role that a Job runs, when the whole job is restarted', () => {
  it('restarts all roles and deletes the Job when the Job has failed', () => {
    expect(status).toMatchObject({ attempt: 1, restartCount: 1, state: 'Restarting' });
    expect(namesOf(restart.ownedResources.remove)).toEqual([LAUNCHER]);
    expect(restart.remove.pods.map(({ metadata }) => metadata?.name)).toEqual(['job-worker-0']);
  });

  it('deletes a running Job when another role causes the restart', () => {
    const failing = [podOf('before', {}), plainPod({ phase: 'Failed', exit: 1 })];
    expect(namesOf(planOf({}, failing, [before]).ownedResources.remove)).toEqual([LAUNCHER]);
  });

  it('waits until the pods of the deleted Job are gone', () => {
    const plan = planOf({ status }, [podOf('before', {})], []);
    expect([plan.ownedResources.create, plan.create.pods]).toEqual([[], []]);
  });

  it('creates a Job with the attempt in its template, and keeps it', () => {
    const plan = planOf({ status }, [], []);
    const after = job(plan, 'after');
    expect(after.metadata?.labels).toMatchObject({ [LABELS.attempt]: '1' });
    expect(after.metadata?.annotations).not.toEqual(before.metadata?.annotations);
    expect(plan.create.pods.map(({ metadata }) => metadata?.labels?.[LABELS.attempt])).toEqual(['1']);
    const running = [podOf('after', { attempt: 1 }), plainPod({ attempt: 1 })];
    const next = planOf({ status }, running, [after]);
    expect([next.ownedResources.remove, next.remove.pods, next.status?.state]).toEqual([[], [], 'Running']);
  });
});
