import { describe, expect, it } from 'vitest';
import { OWNER, WrittenHistory } from '../../test-support/written-history.ts';
import { everythingIsOwned } from './everything-is-owned.ts';

const created = (metadata: object) =>
  new WrittenHistory()
    .put({ resource: 'services', name: 'mnist', uid: 's' }, { metadata })
    .sent('pytorch/a', 'POST', '/api/v1/namespaces/team/services', { uid: 's' });

describe('everything-is-owned', () => {
  it('holds for a Service that names its job as the controller', () => {
    expect(created({ ownerReferences: [OWNER] }).violations(everythingIsOwned)).toEqual([]);
  });

  it('is violated by a Service without a controller', () => {
    expect(created({}).violations(everythingIsOwned)).toHaveLength(1);
  });
});
