import { describe, expect, it } from 'vitest';
import { clusterOf, headOf, workersOf } from '../../test-support/cluster-models.ts';
import { podLabels } from './ray-labels.ts';

describe('the labels of a pod', () => {
  it('are KubeRay’s, and Muster’s own', () => {
    const cluster = clusterOf();
    expect(podLabels(cluster, headOf(cluster))).toEqual({
      'ray.io/is-ray-node': 'yes',
      'ray.io/cluster': 'demo',
      'ray.io/node-type': 'head',
      'ray.io/group': 'headgroup',
      'ray.io/identifier': 'demo-head',
      'app.kubernetes.io/name': 'kuberay',
      'app.kubernetes.io/created-by': 'kuberay-operator',
      'app.kubernetes.io/managed-by': 'muster',
    });
    expect(podLabels(cluster, workersOf(cluster))).toMatchObject({
      'ray.io/node-type': 'worker',
      'ray.io/group': 'small',
      'ray.io/identifier': 'demo-worker',
    });
  });

  it('are overridden by the user’s, the group’s before the template’s, except for cluster, group and kind', () => {
    const labels = {
      'ray.io/is-ray-node': 'no',
      'ray.io/identifier': 'own',
      'ray.io/cluster': 'other',
      'ray.io/node-type': 'head',
      'ray.io/group': 'other',
      'app.kubernetes.io/name': 'own',
      team: 'template',
      zone: 'a',
    };
    const cluster = clusterOf({
      worker: { template: { metadata: { labels }, spec: { containers: [] } }, labels: { team: 'group' } },
    });
    expect(podLabels(cluster, workersOf(cluster))).toEqual({
      'ray.io/is-ray-node': 'no',
      'ray.io/identifier': 'own',
      'ray.io/cluster': 'demo',
      'ray.io/node-type': 'worker',
      'ray.io/group': 'small',
      'app.kubernetes.io/name': 'own',
      'app.kubernetes.io/created-by': 'kuberay-operator',
      'app.kubernetes.io/managed-by': 'muster',
      team: 'group',
      zone: 'a',
    });
  });
});
