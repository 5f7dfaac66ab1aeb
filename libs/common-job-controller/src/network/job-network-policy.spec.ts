import { NETWORK_POLICIES, type KubeObject, type NetworkPolicy } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { JOB } from '../../test-support/plain-pod.ts';
import { SETTINGS, worldOf, type PlainWorld } from '../../test-support/plain-world.ts';
import { byOperatorName } from '../contract/labels.ts';
import { operatorPermissions } from '../operator/permissions.ts';
import type { OwnedResource } from '../model/owned-resources.ts';
import { planJob } from '../reconcile/plan-job.ts';
import { planned } from '../../test-support/planned.ts';
import { makesNetworkPolicies, withNetworkPolicy, type JobNetworkPolicy } from './job-network-policy.ts';

function planOf(policy: JobNetworkPolicy, plain: PlainWorld, existing: readonly KubeObject[] = []) {
  const adapter = withNetworkPolicy(plainAdapter(plain), policy);
  const kind = adapter.ownedResources?.kinds.find(({ resource }) => resource === NETWORK_POLICIES);
  const ownedResources = existing.map((object): OwnedResource => ({ kind: kind!, object }));
  return planned(planJob(adapter, { ...worldOf(plain), ownedResources }, SETTINGS)).ownedResources;
}

function createdBy(policy: JobNetworkPolicy, plain: PlainWorld): NetworkPolicy[] {
  return planOf(policy, plain).create.map(({ object }) => object as NetworkPolicy);
}

const PODS_OF_JOB = {
  matchLabels: { 'training.kubeflow.org/job-name': 'job' },
  matchExpressions: [{ key: 'training.kubeflow.org/operator-name', operator: 'In', values: ['plainjob-controller'] }],
};

describe('the NetworkPolicy of a job', () => {
  it('allows traffic between its pods only', () => {
    const [policy, ...others] = createdBy('DenyIngress', {});
    expect(others).toEqual([]);
    expect(policy?.metadata).toMatchObject({
      name: 'job-plainjob',
      namespace: JOB.namespace,
      ownerReferences: [{ name: 'job' }],
    });
    expect(policy?.spec).toEqual({
      podSelector: PODS_OF_JOB,
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: PODS_OF_JOB }] }],
    });
  });

  it('with DenyAll, allows egress to its pods and DNS only', () => {
    expect(createdBy('DenyAll', {})[0]?.spec).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      egress: [
        { to: [{ podSelector: PODS_OF_JOB }] },
        {
          ports: [
            { port: 53, protocol: 'UDP' },
            { port: 53, protocol: 'TCP' },
          ],
        },
      ],
    });
  });

  it('allows the operator to poll progress at its port if the job sets a deadline', () => {
    const runPolicy = { progressDeadlineSeconds: 60 };
    const ingressOf = (plain: PlainWorld, operatorNamespace?: string) => {
      const adapter = withNetworkPolicy(plainAdapter(plain), 'DenyIngress', operatorNamespace);
      const [made] = planned(planJob(adapter, worldOf(plain), SETTINGS)).ownedResources.create;
      return (made?.object as NetworkPolicy).spec?.ingress;
    };
    const operator = {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'muster-system' } },
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'muster-plain' } },
    };
    expect(ingressOf({ progressPort: 9000, runPolicy }, 'muster-system')?.[1]).toEqual({
      from: [operator],
      ports: [{ port: 9000, protocol: 'TCP' }],
    });
    expect(ingressOf({ progressPort: 9000, runPolicy })).toHaveLength(1);
    expect(ingressOf({ progressPort: 9000 }, 'muster-system')).toHaveLength(1);
  });

  it('selects the pods of each generation of a kind', () => {
    const plain = plainAdapter({});
    const adapter = { ...plain, labels: { ...plain.labels, ...byOperatorName(['new-operator', 'old-operator']) } };
    const world = worldOf({});
    const plan = planned(planJob(withNetworkPolicy(adapter, 'DenyIngress'), world, SETTINGS));
    expect((plan.ownedResources.create[0]?.object as NetworkPolicy).spec?.podSelector).toEqual({
      matchLabels: { 'training.kubeflow.org/job-name': 'job' },
      matchExpressions: [
        { key: 'training.kubeflow.org/operator-name', operator: 'In', values: ['new-operator', 'old-operator'] },
      ],
    });
  });

  it('exists for a suspended job', () => {
    expect(createdBy('DenyIngress', { runPolicy: { suspend: true } })).toHaveLength(1);
  });

  it('is patched only after another client changed it', () => {
    const [policy] = createdBy('DenyIngress', {});
    expect(planOf('DenyIngress', {}, [policy!]).change).toEqual([]);
    const open = { ...policy!, spec: { ...policy!.spec, ingress: [{}] } };
    expect(planOf('DenyIngress', {}, [open]).change.map(({ patch }) => patch)).toEqual([
      { spec: { ingress: policy!.spec?.ingress } },
    ]);
  });

  it('is absent by default, without permissions for it', () => {
    const plain = plainAdapter({});
    expect(withNetworkPolicy(plain, 'None')).toBe(plain);
    const groupsOf = (policy: JobNetworkPolicy) =>
      operatorPermissions([withNetworkPolicy(plain, policy)], undefined).map(({ resource }) => resource);
    expect(groupsOf('None')).not.toContain('networkpolicies');
    expect(groupsOf('DenyAll')).toContain('networkpolicies');
    expect(makesNetworkPolicies(plain)).toBe(false);
    expect(makesNetworkPolicies(withNetworkPolicy(plain, 'DenyAll'))).toBe(true);
  });
});
