import { describe, expect, it } from 'vitest';
import { JOB, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import { stateOf } from '../pods/replica-pods.ts';
import { stoppedWorkloads } from './desired-workload.ts';
import { WORKLOAD_KINDS, type WorkloadObject } from './workloads.ts';

const NO_GRACE = () => 0;
const GRACE = () => 5000;

const owner = { apiVersion: 'test.muster.dev/v1', kind: 'PlainJob', name: JOB.name, uid: JOB.uid, controller: true };
const ENDED = { conditions: [{ type: 'Complete', status: 'True' }] };

function isSuspended(pod: PlainPod | undefined, graceOf = NO_GRACE, parts: Partial<WorkloadObject> = {}): boolean {
  const job = jobOf({ status: {} });
  const [worker] = job.roles;
  const role = { ...worker!, identity: { kind: 'Job', labels: {}, spec: {} } } as const;
  const object = { metadata: { name: 'job-worker', uid: 'uid of Job', ownerReferences: [owner] }, spec: {}, ...parts };
  const seen = pod && plainPod(pod);
  const state = seen === undefined ? 'pending' : stateOf(seen, role.containerName);
  const replica = { role, index: 0, state, ...(seen && { pod: seen }) };
  const ownedResources = [{ kind: WORKLOAD_KINDS.Job, object }];
  const [stopped] = stoppedWorkloads({ ...job, roles: [role] }, ownedResources, [replica], graceOf);
  const change = stopped?.change(object);
  if (change !== undefined) expect(change).toEqual({ patch: { spec: { suspend: true } } });
  return change !== undefined;
}

describe('the Job of a role whose job has ended', () => {
  it.each<[what: string, pod: PlainPod | undefined, graceOf: () => number, parts?: Partial<WorkloadObject>]>([
    ['has ended itself', { phase: 'Running' }, NO_GRACE, { status: ENDED }],
    ['is suspended already', { phase: 'Running' }, NO_GRACE, { spec: { suspend: true } }],
    ['has a pod that has succeeded', { phase: 'Succeeded', exit: 0, sidecarExit: 0 }, NO_GRACE],
    ['has a pod that has failed', { phase: 'Failed', exit: 1, sidecarExit: 0 }, NO_GRACE],
    ['has a pod whose containers have all ended', { phase: 'Running', exit: 0, sidecarExit: 0 }, NO_GRACE],
    ['has a pod with a grace period for its sidecars', { phase: 'Running', exit: 0 }, GRACE],
  ])('is not changed if it %s', (_what, pod, graceOf, parts) => {
    expect(isSuspended(pod, graceOf, parts)).toBe(false);
  });

  it.each<[what: string, pod: PlainPod | undefined, graceOf: () => number]>([
    ['has a pod that runs', { phase: 'Running' }, NO_GRACE],
    ['has no pod yet', undefined, NO_GRACE],
    ['has a pod whose sidecars exceeded their grace period', { phase: 'Running', exit: 0 }, NO_GRACE],
    ['would run the program again because of a failed sidecar', { phase: 'Failed', exit: 0, sidecarExit: 1 }, NO_GRACE],
    ['would run the program again in spite of a grace period', { phase: 'Running', exit: 0, sidecarExit: 1 }, GRACE],
  ])('is suspended if it %s', (_what, pod, graceOf) => {
    expect(isSuspended(pod, graceOf)).toBe(true);
  });
});
