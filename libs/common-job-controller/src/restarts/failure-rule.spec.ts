import { describe, expect, it } from 'vitest';
import { plainAdapter, type PlainOptions, type PlainRole } from '../../test-support/plain-adapter.ts';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { jobReplicas } from '../replicas/job-replicas.ts';
import { countedAs, scopeOfRestart } from './failure-rule.ts';

const OOM = { phase: 'Failed', exit: 137 } as const;
const BAD = { phase: 'Failed', exit: 1 } as const;
const LOST = { restartPolicy: 'Never', cannotRejoin: 'It cannot.' } as const;

/** Formats scope and count. `-` means that the replica stays failed. */
function ruleOf(pod: PlainPod, { role = {}, scopes }: { role?: Partial<PlainRole>; scopes?: PlainOptions['scopes'] }) {
  const plain: PlainOptions = { roles: [{ name: 'Worker', replicas: 1, ...role }], ...(scopes && { scopes }) };
  const started = { replicaStatuses: { Worker: { startedIndexes: '0' } } };
  const { wanted } = jobReplicas(plainAdapter(plain), jobOf({ ...plain, status: started }), [plainPod(pod)]);
  const scope = scopeOfRestart(wanted[0]!);
  return scope === undefined ? '-' : `${scope}${countedAs(wanted[0]!) === 'Failure' ? '' : ', a disruption'}`;
}

describe('the rule for a failure', () => {
  it.each<[string, PlainPod, Parameters<typeof ruleOf>[1], string]>([
    ['a running pod', {}, { scopes: { '*': 'Job' } }, '-'],
    ['a failure that its restart policy restarts', OOM, {}, 'Replica'],
    ['a failure that its restart policy does not restart', BAD, {}, '-'],
    ['a disrupted pod', { ...BAD, disrupted: true }, {}, 'Replica, a disruption'],
    ['a failure for which the framework restarts the role', BAD, { scopes: { Worker: 'Role' } }, 'Role'],
    ['a failure for which the framework restarts the job', OOM, { scopes: { '*': 'Job' } }, 'Job'],
    [
      'a failure for which the framework restarts the replica despite its restart policy',
      BAD,
      { scopes: { Worker: 'Replica' } },
      'Replica',
    ],
    [
      'a disruption for which the framework restarts the job',
      { ...BAD, disrupted: true },
      { scopes: { '*': 'Job' } },
      'Job, a disruption',
    ],
    ['a deleted pod that cannot rejoin', { deleted: -1 }, { role: LOST }, '-'],
    [
      'a deleted pod that cannot rejoin, with a framework that restarts the replica',
      { deleted: -1 },
      { role: LOST, scopes: { '*': 'Replica' } },
      '-',
    ],
    [
      'a deleted pod that cannot rejoin, with a framework that restarts the job',
      { deleted: -1 },
      { role: LOST, scopes: { '*': 'Job' } },
      'Job, a disruption',
    ],
    ['a pod that a user deletes', { ...OOM, deleted: -1 }, { scopes: { '*': 'Job' } }, '-'],
  ])('returns the rule for %s', (_case, pod, world, rule) => {
    expect(ruleOf(pod, world)).toBe(rule);
  });

  it('restarts nothing if the failure policy ends the job', () => {
    const [role] = jobOf().roles;
    const failed = { role: role!, index: 0, state: 'failed', pod: plainPod(OOM) } as const;
    expect(scopeOfRestart({ ...failed, policyRule: { action: 'FailJob', name: '1' } })).toBeUndefined();
    expect(scopeOfRestart({ ...failed, policyRule: { action: 'RestartJob', name: '1' } })).toBe('Job');
  });

  it.each<[string, PlainPod, string]>([
    ['is deleted by the cluster', { deleted: -1, disrupted: true }, 'Job'],
    ['is deleted by a user', { deleted: -1 }, '-'],
    ['runs', {}, 'Role'],
    ['waits for a node', { phase: 'Pending' }, 'Role'],
    ['has failed', BAD, 'Job'],
    ['has succeeded', { phase: 'Succeeded', exit: 0 }, '-'],
  ])("follows the framework's rule for a pod that %s", (_case, pod, scope) => {
    const failures: FrameworkAdapter['failures'] = { scopeOf: () => 'Job', scopeOfOther: () => 'Role' };
    const adapter = { ...plainAdapter({}), failures };
    const { wanted } = jobReplicas(adapter, jobOf(), [plainPod(pod)]);
    expect(scopeOfRestart(wanted[0]!) ?? '-').toBe(scope);
  });
});
