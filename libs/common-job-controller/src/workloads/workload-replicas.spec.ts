import { LABELS, type JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import { ownerReference } from '../model/ownership.ts';
import { jobReplicas, tallies } from '../replicas/job-replicas.ts';
import { WORKLOAD_KINDS, type WorkloadObject } from './workloads.ts';

interface Given {
  readonly kind: 'Job' | 'StatefulSet';
  readonly workload?: WorkloadObject;
  readonly pods?: readonly PlainPod[];
  readonly status?: JobStatus;
}

function replicasOf({ kind, workload = {}, pods = [], status = {} }: Given) {
  const plain = jobOf({ workers: kind === 'Job' ? 1 : 2, status });
  const [worker] = plain.roles;
  if (worker === undefined) throw new Error('a plain job has a role');
  const role = { ...worker, identity: { kind, labels: {}, spec: {} } };
  const job = { ...plain, roles: [role] };
  const metadata = { name: 'job-worker', uid: 'uid-of-workload', ownerReferences: [ownerReference(job)] };
  const object = { ...workload, metadata: { ...metadata, ...workload.metadata } };
  const ownedResources = [{ kind: WORKLOAD_KINDS[kind], object }];
  const owner = { uid: 'uid-of-workload', name: 'job-worker', kind };
  const made = pods.map((pod) => plainPod({ owner, ...pod }));
  const { wanted } = jobReplicas(plainAdapter({}), job, made, { ownedResources });
  return { states: wanted.map(({ index, state }) => `${index} ${state}`), tally: tallies(job, wanted)[0] };
}

describe('replicas whose pods a StatefulSet creates', () => {
  it('are matched by index, and are missing without a pod', () => {
    const { states, tally } = replicasOf({ kind: 'StatefulSet', pods: [{ index: 1 }] });
    expect(states).toEqual(['0 missing', '1 running']);
    expect(tally).toMatchObject({ running: 1, ready: 1, succeeded: 0, failed: 0, hasFirstSucceeded: false });
  });

  it('are pending when their pod has ended, because the StatefulSet creates another one', () => {
    const pods: PlainPod[] = [
      { index: 0, phase: 'Failed', exit: 1 },
      { index: 1, phase: 'Succeeded' },
    ];
    expect(replicasOf({ kind: 'StatefulSet', pods }).states).toEqual(['0 pending', '1 pending']);
  });

  it('ignore pods of another object of the same name', () => {
    const pods: PlainPod[] = [{ index: 0, owner: { uid: 'uid-of-another', name: 'job-worker' } }, { index: 1 }];
    expect(replicasOf({ kind: 'StatefulSet', pods }).states).toEqual(['0 missing', '1 running']);
  });

  it('are missing while the StatefulSet of the previous attempt exists', () => {
    const before = { metadata: { labels: { [LABELS.attempt]: '0' } } };
    const status = { attempt: 1 };
    const pods: PlainPod[] = [{ index: 0 }, { index: 1 }];
    expect(replicasOf({ kind: 'StatefulSet', workload: before, status, pods }).states).toEqual([
      '0 missing',
      '1 missing',
    ]);
  });
});

describe('a replica whose pod a Job creates', () => {
  const failed = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'has reached its limit' };

  it.each<[string, Omit<Given, 'kind'>, state: string]>([
    ['is pending without a pod', {}, '0 pending'],
    ['runs if its newest pod runs', { pods: [{ name: 'job-worker-x' }] }, '0 running'],
    [
      'has succeeded if the status records it',
      { status: { replicaStatuses: { Worker: { succeededIndexes: '0' } } } },
      '0 succeeded',
    ],
    [
      'has not succeeded if the status records another index',
      { status: { replicaStatuses: { Worker: { succeededIndexes: '1' } } } },
      '0 pending',
    ],
    ['has failed if the Job has the condition Failed', { workload: { status: { conditions: [failed] } } }, '0 failed'],
  ])('%s', (_what, given, state) => {
    expect(replicasOf({ kind: 'Job', ...given }).states).toEqual([state]);
  });

  it("reports the Job's message of the failure", () => {
    const { tally } = replicasOf({ kind: 'Job', workload: { status: { conditions: [failed] } } });
    expect(tally).toMatchObject({ failed: 1, failure: { reason: failed.reason, message: failed.message } });
    expect(replicasOf({ kind: 'Job', pods: [{}] }).tally).not.toHaveProperty('failure');
  });

  it('does not report the failure of a Job whose pod the cluster ended, because it is recreated', () => {
    const pods: PlainPod[] = [{ phase: 'Failed', disrupted: true }];
    const { states, tally } = replicasOf({ kind: 'Job', workload: { status: { conditions: [failed] } }, pods });
    expect([states, tally?.failed]).toEqual([['0 failed'], 0]);
    expect(tally).not.toHaveProperty('failure');
  });
});
