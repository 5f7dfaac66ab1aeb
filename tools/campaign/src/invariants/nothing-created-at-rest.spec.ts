import { describe, expect, it } from 'vitest';
import { JOB, OWNER, workers, WrittenHistory } from '../../test-support/written-history.ts';
import { nothingCreatedAtRest } from './nothing-created-at-rest.ts';

const suspended = () => new WrittenHistory().job(workers(1, { suspend: true }), { type: 'Suspended' });

describe('nothing-created-at-rest', () => {
  it('holds for a pod that is created before the end, and for one whose request was sent before the end', () => {
    const before = new WrittenHistory()
      .job(workers(1))
      .pod('worker-0', 'Pending')
      .job(workers(1), { type: 'Succeeded' });
    const late = new WrittenHistory().job(workers(1));
    late.sent('pytorch/a', 'POST', '/api/v1/namespaces/team/pods', { uid: 'worker-0' });
    late.job(workers(1), { type: 'Failed', reason: 'PyTorchJobFailed' }).pod('worker-0', 'Pending');
    expect([before, late].flatMap((each) => each.violations(nothingCreatedAtRest))).toEqual([]);
  });

  it('holds for a suspended Job and a Service of a suspended job', () => {
    const history = suspended()
      .put({ resource: 'services', name: 'mnist', uid: 's' }, { metadata: { ownerReferences: [OWNER] } })
      .put(
        { resource: 'jobs', name: 'mnist', uid: 'j' },
        { metadata: { ownerReferences: [OWNER] }, spec: { suspend: true } },
      );
    expect(history.violations(nothingCreatedAtRest)).toEqual([]);
  });

  it.each(['Succeeded', 'Failed', 'Suspended'])('is violated by a pod that is created after %s', (type) => {
    const history = new WrittenHistory().job(workers(1)).job(workers(1), { type }).pod('worker-0', 'Pending');
    expect(history.violations(nothingCreatedAtRest)).toHaveLength(1);
  });

  it('is violated by a Service that is created after the end', () => {
    const history = new WrittenHistory().job(workers(1), { type: 'Succeeded' });
    history.put({ resource: 'services', name: 'mnist', uid: 's' }, { metadata: { ownerReferences: [OWNER] } });
    expect(history.violations(nothingCreatedAtRest)).toHaveLength(1);
  });

  it('is violated three minutes after a deletion, and not within three minutes', () => {
    const deleted = () => new WrittenHistory().job(workers(1)).put(JOB, { metadata: { deletionTimestamp: 'now' } });
    expect(deleted().pod('worker-0', 'Pending').violations(nothingCreatedAtRest)).toEqual([]);
    expect(deleted().wait(181_000).pod('worker-0', 'Pending').violations(nothingCreatedAtRest)).toHaveLength(1);
  });

  it('holds after InvalidSpec, which a corrected spec removes', () => {
    const history = new WrittenHistory()
      .job(workers(1), { type: 'Failed', reason: 'InvalidSpec' })
      .pod('worker-0', 'Pending');
    expect(history.violations(nothingCreatedAtRest)).toEqual([]);
  });
});
