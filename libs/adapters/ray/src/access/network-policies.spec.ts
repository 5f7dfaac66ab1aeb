import type { RayNetworkPolicySpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf } from '../../test-support/cluster-models.ts';
import { networkPolicies } from './network-policies.ts';

const OF_CLUSTER = [{ podSelector: { matchLabels: { 'ray.io/cluster': 'demo' } } }];

function policiesOf(networkPolicy: RayNetworkPolicySpec, others: Parameters<typeof clusterOf>[0] = {}) {
  return networkPolicies(clusterOf({ ...others, spec: { networkPolicy } }));
}

describe('NetworkPolicies', () => {
  it('exist only if requested', () => {
    expect(networkPolicies(clusterOf())).toEqual([]);
  });

  it('close the head and each group to all peers but the cluster', () => {
    expect(policiesOf({})).toEqual(
      [
        ['demo-head', 'head', 'headgroup'],
        ['demo-workers-small', 'worker', 'small'],
      ].map(([name, kind, group]) => ({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: {
          name,
          namespace: 'team',
          labels: {
            'ray.io/cluster': 'demo',
            'ray.io/node-type': kind,
            'ray.io/group': group,
            'app.kubernetes.io/name': 'kuberay',
            'app.kubernetes.io/created-by': 'kuberay-operator',
            'app.kubernetes.io/managed-by': 'muster',
          },
        },
        spec: {
          podSelector: {
            matchLabels: { 'ray.io/cluster': 'demo', 'ray.io/node-type': kind, 'ray.io/group': group },
          },
          policyTypes: ['Ingress', 'Egress'],
          ingress: [{ from: OF_CLUSTER }],
          egress: [{ to: OF_CLUSTER }],
        },
      })),
    );
  });

  it.each<[RayNetworkPolicySpec['mode'], object]>([
    ['DenyAll', { policyTypes: ['Ingress', 'Egress'], ingress: [{ from: OF_CLUSTER }], egress: [{ to: OF_CLUSTER }] }],
    ['DenyAllIngress', { policyTypes: ['Ingress'], ingress: [{ from: OF_CLUSTER }] }],
    ['DenyAllEgress', { policyTypes: ['Egress'], egress: [{ to: OF_CLUSTER }] }],
  ])('%s', (mode, expected) => {
    for (const { spec } of policiesOf({ mode: mode! })) {
      const { podSelector: _selector, ...rest } = spec!;
      expect(rest).toEqual(expected);
    }
  });

  it('allow the operator and a RayJob’s submitter to reach the dashboard only', () => {
    const labels = { 'ray.io/originated-from-crd': 'RayJob', 'ray.io/originated-from-cr-name': 'train' };
    const [head, workers] = policiesOf(
      { head: { ingressRules: [{ from: [] }] } },
      { operatorNamespace: 'muster', labels, head: { rayStartParams: { 'dashboard-port': '9000' } } },
    );
    expect(head?.spec?.ingress).toEqual([
      { from: OF_CLUSTER },
      {
        from: [
          { podSelector: { matchLabels: { 'batch.kubernetes.io/job-name': 'train' } } },
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'muster' } },
            podSelector: { matchLabels: { 'app.kubernetes.io/name': 'muster-ray' } },
          },
        ],
        ports: [{ protocol: 'TCP', port: 9000 }],
      },
      { from: [] },
    ]);
    expect(workers?.spec?.ingress).toEqual([{ from: OF_CLUSTER }]);
  });

  it('have the user’s rules after Muster’s, and a group’s own instead of those for all workers', () => {
    const dns = [{ ports: [{ port: 53 }] }];
    const own = [{ ports: [{ port: 80 }] }];
    const worker = { ingressRules: own, egressRules: dns };
    const [head, workers] = policiesOf({ head: { egressRules: own }, worker });
    expect(head?.spec?.egress).toEqual([{ to: OF_CLUSTER }, ...own]);
    expect(workers?.spec).toMatchObject({
      ingress: [{ from: OF_CLUSTER }, ...own],
      egress: [{ to: OF_CLUSTER }, ...dns],
    });
    const [, replaced] = policiesOf({ worker, workerGroups: [{ groupName: 'small', egressRules: own }] });
    expect(replaced?.spec).toMatchObject({ ingress: [{ from: OF_CLUSTER }], egress: [{ to: OF_CLUSTER }, ...own] });
    const [, others] = policiesOf({ worker, workerGroups: [{ groupName: 'large', egressRules: own }] });
    expect(others?.spec?.egress).toEqual([{ to: OF_CLUSTER }, ...dns]);
  });
});
