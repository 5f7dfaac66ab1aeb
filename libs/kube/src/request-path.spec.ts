import { LEASES, PODS, CUSTOM_RESOURCE_DEFINITIONS as CRDS } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { requestTitle, resourcePath } from './request-path.ts';

describe('resourcePath', () => {
  it('supports the core group and others, namespaced and not', () => {
    expect(resourcePath(PODS, { namespace: 'ns', name: 'p' })).toBe('/api/v1/namespaces/ns/pods/p');
    expect(resourcePath(LEASES, {})).toBe('/apis/coordination.k8s.io/v1/leases');
    expect(resourcePath(CRDS, { namespace: 'ignored', name: 'jobs.example.com' })).toBe(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/jobs.example.com',
    );
  });

  it('escapes names and query values, and omits what is not set', () => {
    expect(
      resourcePath(
        PODS,
        { namespace: 'a/b', name: 'p?', subresource: 'status' },
        { labelSelector: 'a in (b,c)', limit: 5, continue: undefined },
      ),
    ).toBe('/api/v1/namespaces/a%2Fb/pods/p%3F/status?labelSelector=a+in+%28b%2Cc%29&limit=5');
  });

  it('refuses an object without a name, and a namespaced one without a namespace', () => {
    expect(() => resourcePath(PODS, { name: 'p' })).toThrow('pods "p" needs a namespace');
    expect(() => resourcePath(PODS, { namespace: 'ns', name: '' })).toThrow('pods: the object needs a name.');
  });
});

describe('requestTitle', () => {
  it('names the request as kubectl does', () => {
    expect(requestTitle('create', PODS, { namespace: 'ns', name: 'p' })).toBe('create pods "ns/p"');
    expect(requestTitle('patch', LEASES, { namespace: 'ns', name: 'l' }, 'status')).toBe(
      'patch leases.coordination.k8s.io/status "ns/l"',
    );
    expect(requestTitle('create', PODS, { namespace: 'ns', name: '' })).toBe('create pods in "ns"');
    expect(requestTitle('list', PODS, {})).toBe('list pods');
    expect(requestTitle('watch', PODS, { namespace: 'ns' })).toBe('watch pods in "ns"');
  });
});
