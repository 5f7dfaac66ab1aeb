import { describe, expect, it } from 'vitest';
import { workers, WrittenHistory } from '../../test-support/written-history.ts';
import { statusAgreesWithPods } from './status-agrees-with-pods.ts';

const job = () => new WrittenHistory().job(workers(1)).pod('worker-0', 'Pending');
const RUNNING = { conditions: [{ type: 'Running', status: 'True' }] };

describe('status-agrees-with-pods', () => {
  it('holds for a job that runs and succeeds after its pod', () => {
    const running = job()
      .pod('worker-0', 'Running')
      .status({ ...RUNNING, replicaStatuses: { Worker: { active: 1 } } });
    const succeeded = job()
      .pod('worker-0', 'Running')
      .pod('worker-0', 'Succeeded')
      .job(workers(1), { type: 'Succeeded' });
    expect([running, succeeded].flatMap((each) => each.violations(statusAgreesWithPods))).toEqual([]);
  });

  it('holds for a job that a deadline has ended', () => {
    const message = 'Job mnist has failed because it was active longer than specified deadline';
    const history = job().job(workers(1), { type: 'Failed', reason: 'PyTorchJobFailed', message });
    expect(history.violations(statusAgreesWithPods)).toEqual([]);
  });

  it.each(['Running', 'Succeeded', 'Failed'])('is violated by %s while the only pod is pending', (type) => {
    expect(job().job(workers(1), { type, reason: 'Any' }).violations(statusAgreesWithPods)).toHaveLength(1);
  });

  it('is violated by a wrong number of active pods in a settled history only', () => {
    const history = job()
      .pod('worker-0', 'Running')
      .status({ ...RUNNING, replicaStatuses: { Worker: { active: 0 } } });
    expect(history.violations(statusAgreesWithPods)).toHaveLength(1);
    expect(history.violations(statusAgreesWithPods, { hasSettled: false })).toEqual([]);
  });
});
