/** An operator has exactly the permissions that its code declares, in the namespaces of the values. */
import {
  gangSchedulerNamed,
  kueueClusterPermissions,
  kueuePermissions,
  leasePermissions,
  nodePermissions,
  operatorPermissions,
  otherLeasePermissions,
  readPermissions,
  type Permission,
} from '@muster/common-job-controller';
import { FRAMEWORKS, type FrameworkName, type KubeObject } from '@muster/job-api';
import { volcanoJobAdapters } from '@muster/volcano-job';
import type { PolicyRule } from 'kubernetes-types/rbac/v1.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { helm, HELM_TIMEOUT_MS, rendered } from '../test-support/helm.ts';
import { namesOfKind } from '../test-support/of-kind.ts';
import { FRAMEWORK_CHARTS } from './framework-charts.ts';

const NAMES = Object.keys(FRAMEWORKS) as FrameworkName[];

/** Single permissions, sorted. */
function rightsOfRules(objects: readonly KubeObject[], name: string): string[] {
  const roles = objects.filter(({ kind, metadata }) => kind?.endsWith('Role') && metadata?.name === name);
  const rules = roles.flatMap((role) => (role as { rules?: PolicyRule[] }).rules ?? []);
  const rights = rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((each) => verbs.map((verb) => `${verb} ${each}.${group}`))),
  );
  return [...new Set(rights)].sort();
}

function rightsOf(permissions: readonly Permission[]): string[] {
  const rights = permissions.flatMap(({ group, resource, verbs }) => verbs.map((verb) => `${verb} ${resource}.${group}`));
  return [...new Set(rights)].sort();
}

beforeAll(() => helm(['version']), HELM_TIMEOUT_MS);

describe.each(NAMES)('the operator %s', (framework) => {
  const { adapters } = FRAMEWORK_CHARTS[framework];

  it('has exactly the permissions that it declares', async () => {
    const objects = await rendered(framework, {}, { release: framework });
    expect(rightsOfRules(objects, `muster:${framework}`)).toEqual(rightsOf(operatorPermissions(adapters, undefined)));
    expect(rightsOfRules(objects, `${framework}-lease`)).toEqual(rightsOf(leasePermissions()));
    expect(rightsOfRules(objects, `muster:${framework}:leases`)).toEqual(rightsOf(otherLeasePermissions()));
  });

  it.each(['volcano', 'scheduler-plugins', 'kubernetes'])('may create the pod groups of %s if it is selected', async (scheduler) => {
    const objects = await rendered(framework, { gangScheduling: { scheduler } }, { release: framework });
    const declared = operatorPermissions(adapters, gangSchedulerNamed(scheduler));
    expect(rightsOfRules(objects, `muster:${framework}`)).toEqual(rightsOf(declared));
  });

  it.each(['yunikorn', 'kai-scheduler'])('has no further permissions for %s, which reads gangs from their pods', async (scheduler) => {
    const without = rightsOfRules(await rendered(framework, {}, { release: framework }), `muster:${framework}`);
    for (const gangScheduling of [{ scheduler }, { others: [scheduler] }]) {
      const objects = await rendered(framework, { gangScheduling }, { release: framework });
      expect(rightsOfRules(objects, `muster:${framework}`)).toEqual(without);
    }
  });

  it('may create the pod groups of all gang schedulers that jobs may name', async () => {
    const others = ['volcano', 'kubernetes', 'yunikorn', 'kai-scheduler', 'mine', 'yours'];
    const objects = await rendered(framework, { gangScheduling: { others } }, { release: framework });
    const gangs = others.flatMap((name) => gangSchedulerNamed(name) ?? []);
    expect(rightsOfRules(objects, `muster:${framework}`)).toEqual(rightsOf(operatorPermissions(adapters, undefined, gangs)));
  });

  it('may write nothing in shadow mode, with every switch', async () => {
    const gangScheduling = { scheduler: 'volcano', others: ['kubernetes', 'mine'] };
    const operator = { forceDeletePodsOnLostNodes: true, kueue: 'Own' };
    const values = { shadow: { enabled: true }, gangScheduling, operator, tenancy: { enforceCreatorRights: true }, alerts: { enabled: true } };
    const objects = await rendered(framework, values, { release: framework });
    const roles = objects.filter(({ kind }) => kind?.endsWith('Role')).map(({ metadata }) => metadata?.name ?? '');
    const verbs = roles.flatMap((name) => rightsOfRules(objects, name)).map((right) => right.split(' ')[0]);
    expect([...new Set(verbs)].sort()).toEqual(['get', 'list', 'watch']);
    expect(roles.sort()).toEqual([`muster:${framework}`, `muster:${framework}:kueue`, `muster:${framework}:nodes`]);
    const kinds = new Set(objects.map(({ kind }) => kind));
    expect([...kinds].filter((kind) => /CustomResource|Policy|PrometheusRule/.test(kind ?? ''))).toEqual([]);
  });

  it('may read in shadow mode what it declares', async () => {
    const objects = await rendered(framework, { shadow: { enabled: true } }, { release: framework });
    const declared = readPermissions(operatorPermissions(adapters, undefined));
    expect(rightsOfRules(objects, `muster:${framework}`)).toEqual(rightsOf(declared));
    expect(rightsOf(declared)).toEqual(expect.arrayContaining(['get pods.', 'watch services.']));
  });

  it('has no wildcard permissions, and neither lists nor watches Secrets', async () => {
    const text = JSON.stringify(await rendered(framework, { operator: { forceDeletePodsOnLostNodes: true } }));
    expect(text).not.toContain('"*"');
    const rights = rightsOf(operatorPermissions(adapters, undefined));
    expect(rights.filter((right) => /^(list|watch|deletecollection) secrets\./.test(right))).toEqual([]);
  });
});

describe('permissions', () => {
  it('are cluster-wide, except for the Lease', async () => {
    const objects = await rendered('ray', {}, { release: 'ray', namespace: 'ops' });
    expect(namesOfKind(objects, 'ClusterRoleBinding').sort()).toEqual(['ops:ray', 'ops:ray:leases']);
    expect(namesOfKind(objects, 'RoleBinding')).toEqual(['ops/ray-lease']);
  });

  it('are granted in each listed namespace, and elsewhere only to list Leases', async () => {
    const watch = { scope: 'namespaces', namespaces: ['team-a', 'team-b'] };
    const objects = await rendered('ray', { watch }, { release: 'ray', namespace: 'ops' });
    expect(namesOfKind(objects, 'ClusterRoleBinding')).toEqual(['ops:ray:leases']);
    expect(namesOfKind(objects, 'RoleBinding').sort()).toEqual(['ops/ray-lease', 'team-a/ray', 'team-b/ray']);
    expect(namesOfKind(objects, 'Role').sort()).toEqual(['ops/ray-lease', 'team-a/ray', 'team-b/ray']);
  });

  it('can all be in the namespace of the release, for users without other permissions', async () => {
    const values = { watch: { scope: 'own' }, crds: { install: false }, rbac: { aggregateToDefaultRoles: false, findOtherOperators: false } };
    const objects = await rendered('ray', values, { release: 'ray', namespace: 'team-a' });
    expect(namesOfKind(objects, 'RoleBinding').sort()).toEqual(['team-a/ray', 'team-a/ray-lease']);
    expect(new Set(objects.map(({ metadata }) => metadata?.namespace))).toEqual(new Set(['team-a']));
  });

  it.each([
    ['None', false],
    ['DenyIngress', true],
    ['DenyAll', true],
  ])('include NetworkPolicies only if jobs have them: %s', async (jobNetworkPolicy, has) => {
    const objects = await rendered('mxnet', { tenancy: { jobNetworkPolicy } }, { release: 'mxnet' });
    const rights = rightsOfRules(objects, 'muster:mxnet').filter((right) => right.includes('networkpolicies'));
    const all = ['create', 'get', 'list', 'patch', 'watch'];
    expect(rights).toEqual(has ? all.map((verb) => `${verb} networkpolicies.networking.k8s.io`) : []);
  });

  it('include nodes only if pods on lost nodes may be deleted', async () => {
    const name = 'muster:rel-mxnet:nodes';
    expect(rightsOfRules(await rendered('mxnet', {}), name)).toEqual([]);
    const objects = await rendered('mxnet', { operator: { forceDeletePodsOnLostNodes: true }, watch: { scope: 'own' } });
    expect(rightsOfRules(objects, name)).toEqual(rightsOf(nodePermissions()));
    expect(namesOfKind(objects, 'ClusterRoleBinding')).toContain(name);
  });

  it("include Kueue's Workloads only if Muster creates them", async () => {
    const [jobs, cluster] = ['muster:rel-mxnet', 'muster:rel-mxnet:kueue'];
    const none = await rendered('mxnet', {});
    expect(JSON.stringify(none.filter(({ kind }) => kind === 'ClusterRole'))).not.toContain('kueue');
    const own = await rendered('mxnet', { operator: { kueue: 'Own' } });
    expect(rightsOfRules(own, jobs)).toEqual(
      rightsOf([...operatorPermissions(FRAMEWORK_CHARTS.mxnet.adapters, undefined), ...kueuePermissions()]),
    );
    expect(rightsOfRules(own, cluster)).toEqual(rightsOf(kueueClusterPermissions()));
  });

  it('include Volcano Jobs only if the operator runs them, for operator and users', async () => {
    const none = await rendered('mpi', {});
    expect(JSON.stringify(none.filter(({ kind }) => kind === 'ClusterRole'))).not.toContain('batch.volcano.sh');
    const on = await rendered('mpi', { operator: { volcanoJobs: true } });
    const { adapters, plugin } = FRAMEWORK_CHARTS.mpi;
    const all = [...adapters, ...(plugin === undefined ? [] : volcanoJobAdapters({ volcanoJobs: true }, plugin))];
    expect(rightsOfRules(on, 'muster:rel-mpi')).toEqual(rightsOf(operatorPermissions(all, undefined)));
    expect(rightsOfRules(on, 'muster:rel-mpi:viewer')).toContain('list jobs.batch.volcano.sh');
    expect(rightsOfRules(on, 'muster:rel-mpi:editor')).toContain('create jobs.batch.volcano.sh');
  });

  it('for the Lease are in its namespace, and are left out without leader election', async () => {
    const elsewhere = await rendered('mxnet', { leaderElection: { namespace: 'leases' } });
    expect(namesOfKind(elsewhere, 'RoleBinding')).toEqual(['leases/rel-mxnet-lease']);
    const without = await rendered('mxnet', { leaderElection: { enabled: false } });
    expect(namesOfKind(without, 'RoleBinding')).toEqual([]);
    expect(namesOfKind(without, 'ClusterRoleBinding')).toEqual(['muster:rel-mxnet']);
  });

  it('are left out with rbac.create=false', async () => {
    const objects = await rendered('mxnet', { rbac: { create: false }, serviceAccount: { create: false, name: 'mine' } });
    expect(objects.map(({ kind }) => kind).filter((kind) => /Role|ServiceAccount/.test(kind ?? ''))).toEqual([]);
    expect(JSON.stringify(objects)).toContain('"serviceAccountName":"mine"');
  });

  it('are extended by rbac.extraRules', async () => {
    const extraRules = [{ apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] }];
    const objects = await rendered('mxnet', { rbac: { extraRules } });
    expect(rightsOfRules(objects, 'muster:rel-mxnet')).toContain('get things.example.com');
  });
});

describe('users', () => {
  it('with the role edit may create jobs, and with the role view may read them', async () => {
    const objects = await rendered('ray', {});
    const roles = objects.filter(({ metadata }) => /:(viewer|editor)$/.test(metadata?.name ?? ''));
    const labels = roles.flatMap(({ metadata }) => Object.keys(metadata?.labels ?? {}));
    expect(labels.filter((label) => label.startsWith('rbac.')).sort()).toEqual([
      'rbac.authorization.k8s.io/aggregate-to-admin',
      'rbac.authorization.k8s.io/aggregate-to-edit',
      'rbac.authorization.k8s.io/aggregate-to-view',
    ]);
    const editor = rightsOfRules(objects, 'muster:rel-ray:editor');
    expect(editor).toEqual(expect.arrayContaining(['create rayclusters.ray.io', 'delete rayjobs.ray.io']));
    expect(editor.filter((right) => /^(update|patch) .*\/status/.test(right))).toEqual([]);
    const viewer = rightsOfRules(objects, 'muster:rel-ray:viewer');
    expect(new Set(viewer.map((right) => right.split(' ')[0]))).toEqual(new Set(['get', 'list', 'watch']));
  });
});
