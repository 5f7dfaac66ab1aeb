import { describe, expect, it } from 'vitest';
import { OWNER, workers, WrittenHistory } from '../../test-support/written-history.ts';
import type { StoredObject } from '../history/history.ts';
import { noPodsWithoutQuota } from './no-pods-without-quota.ts';

const WORKLOAD = { resource: 'workloads.kueue.x-k8s.io', name: 'pytorchjob-mnist', uid: 'workload' };
const JOB = { resource: 'pytorchjobs.kubeflow.org', name: 'mnist', uid: 'job' };

function queued(kind = 'PyTorchJob'): WrittenHistory {
  const labels = { 'kueue.x-k8s.io/queue-name': 'campaign' };
  return new WrittenHistory().put(JOB, { kind, metadata: { labels }, spec: workers(1) } as StoredObject);
}

function workload(history: WrittenHistory, status: 'True' | 'False'): WrittenHistory {
  const conditions = [{ type: 'Admitted', status }];
  return history.put(WORKLOAD, { metadata: { ownerReferences: [OWNER] }, status: { conditions } });
}

const pod = (history: WrittenHistory) => history.pod('worker-0', 'Pending').violations(noPodsWithoutQuota);

describe('no-pods-without-quota', () => {
  it('holds after the admission, and shortly after its end', () => {
    const admitted = () => workload(queued(), 'True');
    expect([pod(admitted()), pod(workload(admitted(), 'False'))]).toEqual([[], []]);
  });

  it('does not apply to jobs without a queue', () => {
    expect(pod(new WrittenHistory().job(workers(1)))).toEqual([]);
  });

  it('does not apply to submitters of RayJobs', () => {
    expect(pod(queued('RayJob'))).toEqual([]);
  });

  it.each([
    ['without a Workload', queued()],
    ['before the admission', workload(queued(), 'False')],
    ['long after an eviction', workload(workload(queued(), 'True'), 'False').wait(190_000)],
  ])('is violated by a pod %s', (_what, history) => expect(pod(history)).toHaveLength(1));
});
