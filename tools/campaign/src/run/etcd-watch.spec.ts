import { describe, expect, it } from 'vitest';
import { placeOf } from './etcd-watch.ts';

describe('placeOf', () => {
  it.each([
    ['/registry/pods/team-a/mnist-worker-0', { resource: 'pods', namespace: 'team-a', name: 'mnist-worker-0' }],
    ['/registry/services/specs/team-a/mnist', { resource: 'services', namespace: 'team-a', name: 'mnist' }],
    [
      '/registry/services/endpoints/team-a/mnist',
      { resource: 'services/endpoints', namespace: 'team-a', name: 'mnist' },
    ],
    [
      '/registry/kubeflow.org/pytorchjobs/team-a/mnist',
      { resource: 'pytorchjobs.kubeflow.org', namespace: 'team-a', name: 'mnist' },
    ],
    ['/registry/minions/node-1', { resource: 'nodes', namespace: '', name: 'node-1' }],
    ['/registry/namespaces/team-a', { resource: 'namespaces', namespace: '', name: 'team-a' }],
  ])('reads resource, namespace and name from the key %s', (key, place) => {
    expect(placeOf(key)).toEqual(place);
  });
});
