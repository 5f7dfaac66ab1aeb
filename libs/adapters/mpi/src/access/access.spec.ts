import type { PodSpec } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../test-support/mpi-models.ts';
import { launcherAccount, launcherRole, roleBinding, roleRules, serviceAccount } from './access.ts';

const METADATA = { name: 'pi-launcher', namespace: 'team', labels: { app: 'pi' } };
const READ_PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] };

describe('the rules of a launcher', () => {
  it.each<[workers: number, names: string[]]>([
    [1, ['pi-worker-0']],
    [3, ['pi-worker-0', 'pi-worker-1', 'pi-worker-2']],
  ])('with %i workers allow entering exactly these', (workers, resourceNames) => {
    const enter = { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'], resourceNames };
    expect(roleRules(modelOf('v1', { workers }))).toEqual([READ_PODS, enter]);
  });

  it('without workers allow entering no pod', () => {
    expect(roleRules(modelOf('v1alpha1', { workers: 0, launcherComputes: true }))).toEqual([READ_PODS]);
  });
});

describe('the account of a launcher', () => {
  it.each<[spec: Partial<PodSpec>, account: string]>([
    [{}, 'pi-launcher'],
    [{ serviceAccountName: '' }, 'pi-launcher'],
    [{ serviceAccountName: 'theirs' }, 'theirs'],
    [{ serviceAccount: 'older' }, 'older'],
    [{ serviceAccount: 'older', serviceAccountName: 'theirs' }, 'theirs'],
  ])('of %j is %s', (spec, account) => {
    expect(launcherAccount(modelOf('v1'), { containers: [], ...spec })).toBe(account);
  });

  it('is created and bound to a Role with these rules', () => {
    const model = modelOf('v1');
    expect(serviceAccount(model)).toEqual({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: METADATA });
    expect(launcherRole(model)).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: METADATA,
      rules: roleRules(model),
    });
    expect(roleBinding(model, 'theirs')).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: METADATA,
      subjects: [{ kind: 'ServiceAccount', name: 'theirs', namespace: 'team' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'pi-launcher' },
    });
  });
});
