import { describe, expect, it } from 'vitest';
import { WrittenHistory } from '../../test-support/written-history.ts';
import { leadersDoNotOverlap } from './leaders-do-not-overlap.ts';

const LEASE = { resource: 'leases', name: 'muster-pytorch', uid: 'lease' };
const PODS = '/api/v1/namespaces/team/pods';

const held = (history: WrittenHistory, replica: string) => {
  history.put(LEASE, { spec: { holderIdentity: replica } });
  return history.sent(replica, 'PUT', '/apis/coordination.k8s.io/v1/namespaces/muster/leases/muster-pytorch', {
    revision: history.revision,
  });
};

describe('leaders-do-not-overlap', () => {
  it('holds if only the holder writes, and if a write was on its way when the holder changed', () => {
    const history = held(new WrittenHistory(), 'pytorch/a').sent('pytorch/a', 'POST', PODS);
    held(history, 'pytorch/b').sent('pytorch/a', 'POST', PODS).wait(5000).sent('pytorch/b', 'POST', PODS);
    expect(history.violations(leadersDoNotOverlap)).toEqual([]);
  });

  it('is violated by a write of the former holder', () => {
    const history = held(held(new WrittenHistory(), 'pytorch/a'), 'pytorch/b')
      .wait(5000)
      .sent('pytorch/a', 'POST', PODS);
    expect(history.violations(leadersDoNotOverlap)).toMatchObject([{ about: 'pytorch/a' }]);
  });

  it('holds for Events of the former holder, and for a holder that has taken the Lease again', () => {
    const history = held(held(new WrittenHistory(), 'pytorch/a'), 'pytorch/b').wait(5000);
    history.sent('pytorch/a', 'POST', '/apis/events.k8s.io/v1/namespaces/team/events');
    held(history, 'pytorch/a').sent('pytorch/a', 'POST', PODS);
    expect(history.violations(leadersDoNotOverlap)).toEqual([]);
  });
});
