import { describe, expect, it } from 'vitest';
import { checkPlace } from './place.ts';

const root = { platform: 'linux', uid: 0 } as const;
const user = { platform: 'linux', uid: 1000 } as const;
const mac = { platform: 'darwin', uid: 0 } as const;

describe('checkPlace', () => {
  it('lets root on Linux have a real node', () => {
    expect(() => checkPlace({ node: 'real' }, root)).not.toThrow();
  });

  it.each([
    [user, 'this is not root'],
    [mac, 'this is not Linux'],
  ])('names the three ways to %j', (host, lacks) => {
    const check = () => checkPlace({ node: 'real' }, host);
    for (const text of [lacks, 'sudo -E npm start', '--kubeconfig', '--node simulated']) expect(check).toThrow(text);
  });

  it('asks for nothing where simulated nodes or a cluster of theirs are wanted', () => {
    expect(() => checkPlace({ node: 'simulated' }, mac)).not.toThrow();
    expect(() => checkPlace({ node: 'real', kubeconfig: '/tmp/x' }, user)).not.toThrow();
  });
});
