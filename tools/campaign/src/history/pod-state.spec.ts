import { describe, expect, it } from 'vitest';
import { replicaOf, roleOf } from './pod-state.ts';
import type { Life } from './job-story.ts';

const podWith = (labels: Record<string, string>): Life => {
  const version = { revision: 1, atMs: 0, object: { metadata: { name: 'pod', uid: 'uid', labels } } };
  return { uid: 'uid', resource: 'pods', namespace: 'team', name: 'pod', versions: [version] };
};
const kubeflow = (labels: Record<string, string>) =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [`training.kubeflow.org/${name}`, value]));

describe('the role and the replica of a pod', () => {
  it.each<[what: string, labels: Record<string, string>, role: string | undefined, index: string | undefined]>([
    ['a worker', kubeflow({ 'replica-type': 'worker', 'replica-index': '1' }), 'worker', '1'],
    [
      'a master, which leads the job',
      kubeflow({ 'replica-type': 'worker', 'replica-index': '0', 'job-role': 'master' }),
      'worker',
      '0',
    ],
    ['a worker of an MPIJob of v2beta1', kubeflow({ 'job-role': 'worker', 'replica-index': '1' }), 'worker', '1'],
    ['a launcher, which a Job creates', kubeflow({ 'job-role': 'launcher' }), 'launcher', '0'],
    ['the head of a RayCluster', { 'ray.io/group': 'headgroup', 'ray.io/node-type': 'head' }, 'headgroup', '0'],
    ['a worker of a RayCluster', { 'ray.io/group': 'small', 'ray.io/node-type': 'worker' }, 'small', undefined],
    ['another pod', {}, undefined, undefined],
  ])('are known for %s', (_what, labels, role, index) => {
    expect(roleOf(podWith(labels))).toBe(role);
    expect(replicaOf(podWith(labels))?.index).toBe(index);
  });
});
