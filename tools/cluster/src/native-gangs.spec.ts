import { describe, expect, it } from 'vitest';
import { nativeGangs } from './native-gangs.ts';

describe('the options for gang scheduling of Kubernetes', () => {
  it('are those of the release, or of the default one if the release is too old', () => {
    const apiVersions = ['scheduling.k8s.io/v1alpha2'];
    expect(nativeGangs({ kubernetesVersion: '1.36.3' })).toMatchObject({ kubernetesVersion: '1.36.3', apiVersions });
    const old = nativeGangs({ kubernetesVersion: '1.31.3' }, '1.36.3');
    expect(old).toMatchObject({ kubernetesVersion: '1.36.3', apiVersions });
  });

  it('throw an error that names the default release if it is not in the table', () => {
    const unknown = () => nativeGangs({ kubernetesVersion: '1.31.3' }, '1.99.0');
    expect(unknown).toThrow('Gang scheduling of Kubernetes 1.99 is not known: add it to RELEASES.');
  });
});
