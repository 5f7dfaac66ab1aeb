import { describe, expect, it } from 'vitest';
import { checkKubernetesVersion } from './kubernetes-version.ts';

describe('checkKubernetesVersion', () => {
  it.each(['1.31.3', '1.31.14', '1.34.0', '1.36.3', '1.37.2'])('takes %s', (version) => {
    expect(checkKubernetesVersion(version)).toBe(version);
  });

  it.each(['1.30.9', '1.38.0', '2.31.3', '1.31', 'v1.31.3', '1.31.3-rc.1', ''])('refuses "%s"', (version) => {
    expect(() => checkKubernetesVersion(version)).toThrow(/choose one from 1\.31\.3 to 1\.37\.2, with all three/);
  });
});
