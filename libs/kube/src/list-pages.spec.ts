import { PODS } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { KubeError } from './kube-error.ts';
import { listPages } from './list-pages.ts';

const expired = new KubeError('the continue token is too old', { code: 410, reason: 'Expired' });

/** Lists two pages, the second of which is refused `refusals` times. */
async function listed(refusals: number) {
  let [requests, left] = [0, refusals];
  const listPage = (_resource: unknown, { continueToken }: { continueToken?: string }) => {
    requests++;
    if (continueToken === undefined)
      return Promise.resolve({ items: [{}], resourceVersion: '1', continueToken: 'next' });
    if (left-- > 0) return Promise.reject(expired);
    return Promise.resolve({ items: [{}], resourceVersion: '1' });
  };
  const list = listPages({ listPage } as never, PODS, {}, (pod) => pod);
  const items = await list.then((all) => all.items.length).catch((error: unknown) => error);
  return { requests, items };
}

describe('a list whose snapshot expires before its last page', () => {
  it('restarts once', async () => {
    expect(await listed(1)).toEqual({ requests: 4, items: 2 });
  });

  it('fails when that happens again, so that its caller backs off', async () => {
    expect(await listed(Infinity)).toEqual({ requests: 4, items: expired });
  });
});
