import { describe, expect, it } from 'vitest';
import { goEnvironment, parseStagingModules } from './go-build.ts';

describe('go-build', () => {
  it('replaces the staging modules that Kubernetes requires, and no others', () => {
    const goMod = `
require (
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.140.0
	k8s.io/kube-openapi v0.0.0-20260317180543-43fb72c5454a
	k8s.io/streaming v0.0.0 // indirect
)
replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/sample-cli-plugin => ./staging/src/k8s.io/sample-cli-plugin
	k8s.io/streaming => ./staging/src/k8s.io/streaming
)
`;
    expect(parseStagingModules(goMod)).toEqual(['k8s.io/api', 'k8s.io/streaming']);
  });

  it('sets a home for Go only if the user has none', () => {
    expect(goEnvironment({ HOME: '' })['HOME']).toMatch(/^\//);
    expect(goEnvironment({ HOME: '/home/me' })['HOME']).toBe('/home/me');
  });

  it('never allows Go to download another toolchain or read a workspace', () => {
    expect(goEnvironment({})).toMatchObject({ GOTOOLCHAIN: 'local', GOWORK: 'off', CGO_ENABLED: '0' });
  });
});
