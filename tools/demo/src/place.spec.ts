import { describe, expect, it } from 'vitest';
import { checkPlace } from './place.ts';

const root = { platform: 'linux', uid: 0 } as const;
const user = { platform: 'linux', uid: 1000 } as const;
const mac = { platform: 'darwin', uid: 0 } as const;

describe('checkPlace', () => {
  it('allows a real node for root on Linux', () => {
    expect(() => checkPlace({ node: 'real' }, root)).not.toThrow();
  });

  it.each([
    [user, 'this is not root'],
    [mac, 'this is not Linux'],
  ])('names the three alternatives for %j', (host, lacks) => {
    const check = () => checkPlace({ node: 'real' }, host);
    for (const text of [lacks, 'sudo -E npm start', '--kubeconfig', '--node simulated']) expect(check).toThrow(text);
  });

  it("needs nothing for simulated nodes or the user's cluster", () => {
    expect(() => checkPlace({ node: 'simulated' }, mac)).not.toThrow();
    expect(() => checkPlace({ node: 'real', kubeconfig: '/tmp/x' }, user)).not.toThrow();
  });
});
