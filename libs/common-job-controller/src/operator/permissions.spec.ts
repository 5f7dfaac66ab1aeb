import { PODS } from '@muster/job-api';
import { expect, it } from 'vitest';
import { PLAIN_JOBS } from '../../test-support/plain-adapter.ts';
import { combined, jobPermissions, leasePermissions, nodePermissions } from './permissions.ts';

const format = (permissions: ReturnType<typeof leasePermissions>) =>
  permissions.map(({ group, resource, verbs }) => `${verbs.join(',')} ${resource}${group === '' ? '' : `.${group}`}`);

it('an operator needs these permissions only, and none for Secrets, Roles, webhooks or pods/exec', () => {
  expect(format(jobPermissions(PLAIN_JOBS, true, []))).toEqual([
    'get,list,watch,patch,delete plainjobs.test.muster.dev',
    'patch plainjobs/status.test.muster.dev',
    'update plainjobs/finalizers.test.muster.dev',
    'get,list,watch,create,patch,delete pods',
    'list,watch,get,create,patch,delete services',
    'create,patch events.events.k8s.io',
  ]);
  expect(format(leasePermissions())).toEqual(['get,list,watch,create,update leases.coordination.k8s.io']);
  expect(format(nodePermissions())).toEqual(['list,watch nodes']);
});

it('an operator may only delete owned objects that may go before their job', () => {
  const kind = { resource: { ...PODS, group: 'g', plural: 'teams' }, trim: (whole: object) => whole };
  const [, , , , , kept] = format(jobPermissions(PLAIN_JOBS, true, [{ ...kind, endsWithRun: false }]));
  expect(kept).toBe('get,list,watch,create,patch teams.g');
  for (const goes of [
    { ...kind, endsWithRun: true },
    { ...kind, endsWithRun: false, isReplaceable: true },
  ]) {
    const [, , , , , ended] = format(jobPermissions(PLAIN_JOBS, true, [goes]));
    expect(ended).toBe('get,list,watch,create,patch,delete teams.g');
  }
});

it('a kind that manages its own Services lists its own permissions for them', () => {
  expect(format(jobPermissions(PLAIN_JOBS, false, []))).toContain('list,watch services');
});

it('the permissions of two kinds for one resource are merged', () => {
  const of = (...verbs: string[]) => ({ group: '', resource: 'pods', verbs });
  expect(combined([of('get', 'list'), { group: 'g', resource: 'pods', verbs: ['get'] }, of('list', 'patch')])).toEqual([
    of('get', 'list', 'patch'),
    { group: 'g', resource: 'pods', verbs: ['get'] },
  ]);
});
