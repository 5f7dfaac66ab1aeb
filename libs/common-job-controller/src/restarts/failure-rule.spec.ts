import { describe, expect, it } from 'vitest';
import { plainAdapter, type PlainOptions, type PlainRole } from '../../test-support/plain-adapter.ts';
import { plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { jobReplicas } from '../replicas/job-replicas.ts';
import { failureRule } from './failure-rule.ts';

const OOM = { phase: 'Failed', exit: 137 } as const;
const BAD = { phase: 'Failed', exit: 1 } as const;
const LOST = { restartPolicy: 'Never', cannotRejoin: 'It cannot.' } as const;

/** The rule in words; `-`: it stays failed. */
function ruleOf(
  pod: PlainPod,
  { role = {}, scopes }: { role?: Partial<PlainRole>; scopes?: PlainOptions['scopes'] },
  inARow = 1,
) {
  const plain: PlainOptions = { roles: [{ name: 'Worker', replicas: 1, ...role }], ...(scopes && { scopes }) };
  const started = { replicaStatuses: { Worker: { startedIndexes: '0' } } };
  const { wanted } = jobReplicas(plainAdapter(plain), jobOf({ ...plain, status: started }), [plainPod(pod)]);
  const rule = wanted[0] && failureRule(wanted[0], inARow);
  return rule === undefined
    ? '-'
    : `${rule.scope}${rule.countedAs === 'Failure' ? '' : ', a disruption'}${rule.afterMs > 0 ? `, after ${rule.afterMs} ms` : ''}`;
}

describe('failureRule', () => {
  it.each<[string, PlainPod, Parameters<typeof ruleOf>[1], string]>([
    ['a pod that runs', {}, { scopes: { '*': 'Job' } }, '-'],
    ['what its policy brings back', OOM, {}, 'Replica'],
    ['what its policy does not', BAD, {}, '-'],
    ['what the cluster ended', { ...BAD, disrupted: true }, {}, 'Replica, a disruption'],
    ['what its framework recreates with its role', BAD, { scopes: { Worker: 'Role' } }, 'Role'],
    ['what its framework recreates with its job', OOM, { scopes: { '*': 'Job' } }, 'Job'],
    ['what its framework recreates alone, whatever the policy', BAD, { scopes: { Worker: 'Replica' } }, 'Replica'],
    [
      'what the cluster ended, for its job',
      { ...BAD, disrupted: true },
      { scopes: { '*': 'Job' } },
      'Job, a disruption',
    ],
    ['what cannot join again', { deleted: -1 }, { role: LOST }, '-'],
    ['that, whatever its framework says of it alone', { deleted: -1 }, { role: LOST, scopes: { '*': 'Replica' } }, '-'],
    ['that, with all others', { deleted: -1 }, { role: LOST, scopes: { '*': 'Job' } }, 'Job, a disruption'],
    ['a pod that somebody deletes', { ...OOM, deleted: -1 }, { scopes: { '*': 'Job' } }, '-'],
  ])('says of %s', (_case, pod, world, rule) => {
    expect(ruleOf(pod, world)).toBe(rule);
  });

  it('recreates nothing for a failure that ends the job by its failure policy', () => {
    const [role] = jobOf().roles;
    const failed = { role: role!, index: 0, state: 'failed', pod: plainPod(OOM) } as const;
    expect(failureRule({ ...failed, policyRule: { action: 'FailJob', name: '1' } })).toBeUndefined();
    expect(failureRule({ ...failed, policyRule: { action: 'RestartJob', name: '1' } })).toMatchObject({ scope: 'Job' });
  });

  it.each<[string, PlainPod, string]>([
    ['is deleted by the cluster', { deleted: -1, disrupted: true }, 'Job'],
    ['is deleted by a person', { deleted: -1 }, '-'],
    ['runs', {}, 'Role'],
    ['waits for a node', { phase: 'Pending' }, 'Role'],
    ['has failed', BAD, 'Job'],
    ['has succeeded', { phase: 'Succeeded', exit: 0 }, '-'],
  ])('follows the framework about a pod that %s', (_case, pod, scope) => {
    const failures: FrameworkAdapter['failures'] = { scopeOf: () => 'Job', scopeOfOther: () => 'Role' };
    const adapter = { ...plainAdapter({}), failures };
    const { wanted } = jobReplicas(adapter, jobOf(), [plainPod(pod)]);
    expect(failureRule(wanted[0]!)?.scope ?? '-').toBe(scope);
  });

  it('waits the longer the more have failed in a row', () => {
    expect([1, 2, 3].map((inARow) => ruleOf(OOM, { scopes: { '*': 'Job' } }, inARow))).toEqual([
      'Job',
      'Job, after 10000 ms',
      'Job, after 20000 ms',
    ]);
  });
});
