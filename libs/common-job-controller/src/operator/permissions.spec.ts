import { PODS } from '@muster/job-api';
import { expect, it } from 'vitest';
import { PLAIN_JOBS } from '../../test-support/plain-adapter.ts';
import { jobPermissions, leasePermissions, nodePermissions } from './permissions.ts';

/** `verbs resource`, for each. */
const said = (permissions: ReturnType<typeof leasePermissions>) =>
  permissions.map(({ group, resource, verbs }) => `${verbs.join(',')} ${resource}${group === '' ? '' : `.${group}`}`);

it('an operator asks for these rights and no others: nothing of Secrets, Roles, webhooks or pods/exec', () => {
  expect(said(jobPermissions(PLAIN_JOBS, []))).toEqual([
    'get,list,watch,patch,delete plainjobs.test.muster.dev',
    'patch plainjobs/status.test.muster.dev',
    'update plainjobs/finalizers.test.muster.dev',
    'get,list,watch,create,patch,delete pods',
    'get,list,watch,create,patch,delete services',
    'create,patch events.events.k8s.io',
  ]);
  expect(said(leasePermissions())).toEqual(['get,list,watch,create,update leases.coordination.k8s.io']);
  expect(said(nodePermissions())).toEqual(['get,list,watch nodes']);
  const [, , , , , ownedResource] = said(
    jobPermissions(PLAIN_JOBS, [{ ...PODS, group: 'g', plural: 'ownedResources' }]),
  );
  expect(ownedResource).toBe('get,list,watch,create,patch,delete ownedResources.g');
});
