import { PODS } from '@muster/job-api';
import { expect, it } from 'vitest';
import { PLAIN_JOBS } from '../../test-support/plain-adapter.ts';
import { combined, jobPermissions, leasePermissions, nodePermissions } from './permissions.ts';

/** `verbs resource`, for each. */
const said = (permissions: ReturnType<typeof leasePermissions>) =>
  permissions.map(({ group, resource, verbs }) => `${verbs.join(',')} ${resource}${group === '' ? '' : `.${group}`}`);

it('an operator asks for these rights and no others: nothing of Secrets, Roles, webhooks or pods/exec', () => {
  expect(said(jobPermissions(PLAIN_JOBS, true, []))).toEqual([
    'get,list,watch,patch,delete plainjobs.test.muster.dev',
    'patch plainjobs/status.test.muster.dev',
    'update plainjobs/finalizers.test.muster.dev',
    'get,list,watch,create,patch,delete pods',
    'list,watch,get,create,patch,delete services',
    'create,patch events.events.k8s.io',
  ]);
  expect(said(leasePermissions())).toEqual(['get,list,watch,create,update leases.coordination.k8s.io']);
  expect(said(nodePermissions())).toEqual(['list,watch nodes']);
});

it('deletes of what jobs own only what may go before its job does', () => {
  const kind = { resource: { ...PODS, group: 'g', plural: 'crews' }, trim: (whole: object) => whole };
  const [, , , , , kept] = said(jobPermissions(PLAIN_JOBS, true, [{ ...kind, endsWithRun: false }]));
  expect(kept).toBe('get,list,watch,create,patch crews.g');
  for (const goes of [
    { ...kind, endsWithRun: true },
    { ...kind, endsWithRun: false, isReplaceable: true },
  ]) {
    const [, , , , , ended] = said(jobPermissions(PLAIN_JOBS, true, [goes]));
    expect(ended).toBe('get,list,watch,create,patch,delete crews.g');
  }
});

it('of Services, a kind that sees to its own has what it says itself', () => {
  expect(said(jobPermissions(PLAIN_JOBS, false, []))).toContain('list,watch services');
});

it('what two kinds need of one resource is one permission', () => {
  const of = (...verbs: string[]) => ({ group: '', resource: 'pods', verbs });
  expect(combined([of('get', 'list'), { group: 'g', resource: 'pods', verbs: ['get'] }, of('list', 'patch')])).toEqual([
    of('get', 'list', 'patch'),
    { group: 'g', resource: 'pods', verbs: ['get'] },
  ]);
});
