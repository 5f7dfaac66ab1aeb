import { describe, expect, it } from 'vitest';
import { WrittenHistory } from '../../test-support/written-history.ts';
import { FOREIGN_LABEL, othersUntouched } from './others-untouched.ts';

const SERVICE = { resource: 'services', name: 'mnist-worker-0', uid: 'other' };
const service = () => new WrittenHistory().put(SERVICE, { metadata: { labels: { [FOREIGN_LABEL]: 'true' } } });

describe('others-untouched', () => {
  it('holds while the object stays, and when its owner releases and deletes it', () => {
    const released = service()
      .put(SERVICE, { metadata: { labels: { [FOREIGN_LABEL]: 'released' } } })
      .remove(SERVICE);
    expect([service(), released].flatMap((each) => each.violations(othersUntouched))).toEqual([]);
  });

  it('holds if Kubernetes changes the endpoints of the object, which have its labels', () => {
    const slice = { resource: 'endpointslices', name: 'mnist-worker-0-x', uid: 'slice' };
    const history = service().put(slice, { metadata: { labels: { [FOREIGN_LABEL]: 'true' } } });
    expect(history.put(slice, { spec: {} }).remove(slice).violations(othersUntouched)).toEqual([]);
  });

  it.each([
    ['deleted', service().remove(SERVICE)],
    ['changed', service().put(SERVICE, { spec: { selector: {} } })],
  ])('is violated if the object is %s', (_what, history) => {
    expect(history.violations(othersUntouched)).toHaveLength(1);
  });
});
