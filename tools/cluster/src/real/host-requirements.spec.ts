import { describe, expect, it } from 'vitest';
import { checkHost } from './host-requirements.ts';

describe('host-requirements', () => {
  it('rejects systems other than Linux and says what works there', () => {
    expect(() => checkHost({ platform: 'darwin', uid: 501 })).toThrow(/needs Linux: use "--node simulated"/);
  });

  it('tells users other than root to use sudo', () => {
    expect(() => checkHost({ platform: 'linux', uid: 1000 })).toThrow(/sudo -E/);
  });

  it('accepts root on Linux', () => {
    expect(() => checkHost({ platform: 'linux', uid: 0 })).not.toThrow();
  });
});
