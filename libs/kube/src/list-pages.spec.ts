import { PODS } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { KubeError } from './kube-error.ts';
import { listPages } from './list-pages.ts';

const expired = new KubeError('the continue token is too old', { code: 410, reason: 'Expired' });

/** Lists two pages, of which the second is refused so many times. */
async function listed(refusals: number) {
  let [asked, left] = [0, refusals];
  const listPage = (_resource: unknown, { continueToken }: { continueToken?: string }) => {
    asked++;
    if (continueToken === undefined)
      return Promise.resolve({ items: [{}], resourceVersion: '1', continueToken: 'next' });
    if (left-- > 0) return Promise.reject(expired);
    return Promise.resolve({ items: [{}], resourceVersion: '1' });
  };
  const list = listPages({ listPage } as never, PODS, {}, (pod) => pod);
  const items = await list.then((all) => all.items.length).catch((error: unknown) => error);
  return { asked, items };
}

describe('a list whose snapshot is forgotten before its last page', () => {
  it('begins again once', async () => {
    expect(await listed(1)).toEqual({ asked: 4, items: 2 });
  });

  it('fails when that happens again, so that its caller waits before the next one', async () => {
    expect(await listed(Infinity)).toEqual({ asked: 4, items: expired });
  });
});
