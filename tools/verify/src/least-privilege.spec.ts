import { describe, expect, it } from 'vitest';
import { accountUser, refusedRights, rightsOf, unusedRights, formatRight, type AuditEvent } from './least-privilege.ts';

const USER = accountUser('muster', 'muster-mpi');

const event = (verb: string, objectRef: AuditEvent['objectRef'], isAllowed = true, username = USER): AuditEvent => ({
  verb,
  user: { username },
  ...(objectRef && { objectRef }),
  annotations: { 'authorization.k8s.io/decision': isAllowed ? 'allow' : 'forbid' },
});

const EVENTS = [
  event('list', { resource: 'pods' }),
  event('patch', { apiGroup: 'batch', resource: 'jobs', subresource: 'status', namespace: 'team', name: 'launcher' }),
  event('list', { resource: 'secrets' }, false),
  event('get', { resource: 'secrets', namespace: 'team', name: 'keys' }, false),
  event('get', { resource: 'secrets', namespace: 'team', name: 'others' }, false),
  event('list', { apiGroup: 'made-up.example', resource: 'mpijobs' }, false),
  event('list', { resource: 'nodes' }, false, accountUser('muster', 'muster-ray')),
];

describe('least-privilege', () => {
  it('reads each right of the rules', () => {
    const rules = [
      { apiGroups: [''], resources: ['pods', 'pods/exec'], verbs: ['list', 'create'] },
      { apiGroups: ['batch'], resources: ['jobs/status'], verbs: ['patch'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ];
    expect(rightsOf(rules).map(formatRight)).toEqual([
      'list pods',
      'create pods',
      'list pods/exec',
      'create pods/exec',
      'patch jobs.batch/status',
    ]);
  });

  it('lists each right that the account was refused once', () => {
    expect(refusedRights(EVENTS, USER)).toEqual(['get secrets (team/keys)', 'list secrets (all)']);
  });

  it('lists the rights that the account never used', () => {
    const granted = rightsOf([
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
      { apiGroups: ['batch'], resources: ['jobs/status'], verbs: ['patch'] },
    ]);
    expect(unusedRights(EVENTS, USER, granted)).toEqual(['watch pods']);
  });
});
