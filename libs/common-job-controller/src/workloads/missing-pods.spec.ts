import type { Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainPod } from '../../test-support/plain-pod.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { missingPodLeftMs, missingPodMessage, missingPodStates } from './missing-pods.ts';
import { WORKLOAD_KINDS, type WorkloadObject } from './workloads.ts';

const metadata = { name: 'job-worker', uid: 'uid-of-set' };
const SET: WorkloadObject = { metadata, spec: { replicas: 2 } };
const JOB: WorkloadObject = { metadata, spec: {} };
const STATE = 'missing pods of uid-of-set';

const podOf = (index: number): Pod =>
  plainPod({ index, owner: { uid: 'uid-of-set', name: 'job-worker', kind: 'StatefulSet' } });

describe('the states of Jobs and StatefulSets that lack pods', () => {
  it.each<[what: string, kind: keyof typeof WORKLOAD_KINDS, object: WorkloadObject, pods: Pod[], states: string[]]>([
    ['a StatefulSet without one of its pods', 'StatefulSet', SET, [podOf(0)], [STATE]],
    ['a Job without a pod', 'Job', JOB, [], [STATE]],
    ['not of a StatefulSet with all pods', 'StatefulSet', SET, [podOf(0), podOf(1)], []],
    ['not of a Job with a pod', 'Job', JOB, [podOf(0)], []],
    ['not of a StatefulSet without replicas', 'StatefulSet', { metadata, spec: { replicas: 0 } }, [], []],
    ['not of a suspended Job', 'Job', { metadata, spec: { suspend: true } }, [], []],
    [
      'not of a Job that has ended',
      'Job',
      { ...JOB, status: { conditions: [{ type: 'Complete', status: 'True' }] } },
      [],
      [],
    ],
    [
      'not of one that is being deleted',
      'Job',
      { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      [],
      [],
    ],
  ])('%s', (_what, kind, object, pods, states) => {
    expect(missingPodStates({ kind: WORKLOAD_KINDS[kind], object }, pods)).toEqual(states);
  });
});

describe('a replica whose pod a StatefulSet has not created', () => {
  const identity = { kind: 'StatefulSet', labels: {}, spec: {} } as const;
  const role = { name: 'Worker', replicas: 2, identity } as unknown as ReplicaPod['role'];
  const replica: ReplicaPod = { role, index: 1, state: 'missing', workload: SET };

  it('is a problem after a minute', () => {
    expect(missingPodLeftMs(replica, new Map([[STATE, 59_000]]))).toBe(1000);
    expect(missingPodLeftMs(replica, new Map([[STATE, 60_000]]))).toBe(0);
    expect(missingPodMessage(replica)).toContain('kubectl describe statefulset job-worker');
  });

  it('is none as long as its pod exists or is not wanted', () => {
    expect(missingPodLeftMs({ ...replica, pod: podOf(1) }, new Map([[STATE, 60_000]]))).toBeUndefined();
    expect(missingPodLeftMs(replica, new Map())).toBeUndefined();
  });
});
