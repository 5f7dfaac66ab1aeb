import { LABELS, type FailurePolicyRule, type JobStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import type { PlainRole } from '../../test-support/plain-adapter.ts';
import { at, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { jobOf, namesOf, planOf, statusAfter, type PlainWorld } from '../../test-support/plain-world.ts';
import { hasText, matchingRule } from './matching-rule.ts';
import { restartingRoles } from '../contract/restarting-roles.ts';

type Rule = FailurePolicyRule;

const ROLES: readonly PlainRole[] = [
  { name: 'Master', replicas: 1 },
  { name: 'Worker', replicas: 2 },
];
const master: PlainPod = { role: 'master' };
const BAD = { phase: 'Failed', exit: 1, ended: -5 } as const;
const OOM = { phase: 'Failed', exit: 137, ended: -5, containerReason: 'OOMKilled' } as const;
const PREEMPTED = { phase: 'Failed', exit: 143, ended: -5, disrupted: true } as const;

function worldOf(rules: readonly Rule[], pods: readonly PlainPod[], more: PlainWorld = {}): PlainWorld {
  const { runPolicy, ...rest } = more;
  const world: PlainWorld = {
    roles: ROLES,
    ...rest,
    runPolicy: { ...runPolicy, ...(rules.length > 0 && { failurePolicy: { rules: [...rules] } }) },
  };
  const before = statusAfter({ ...world, pods: [master, { index: 0 }, { index: 1 }] });
  return { ...world, status: before, pods };
}

/** Formats a Plan: the state, the removed pods, the counts of failures and disruptions. */
function summaryOf(world: PlainWorld): string {
  const plan = planOf(world);
  const { state = '', restartCount = 0, disruptionCount = 0 } = plan.status ?? {};
  const gone = namesOf(plan.remove.pods).sort().join(' ');
  return `${state}: ${gone || 'none'} (${restartCount}/${disruptionCount})`;
}

const message = ({ conditions }: JobStatus = {}, type: string) =>
  conditions?.find((condition) => condition.type === type)?.message ?? '';

const ALL = 'job-master-0 job-worker-0 job-worker-1';
const JOB: Rule = { action: 'RestartJob' };
const waiting = (reason: string): PlainPod => ({ index: 1, phase: 'Pending', waits: reason });
const one = (pod: PlainPod): PlainPod[] => [master, { index: 0 }, { index: 1, ...pod }];

describe('the failure policy', () => {
  it.each<[string, readonly Rule[], PlainPod, string]>([
    ['nothing without a policy, where ExitCode fails the job', [], BAD, 'Failed: none (0/0)'],
    ['all pods of the job', [JOB], BAD, `Restarting: ${ALL} (1/0)`],
    ['all pods of the role', [{ action: 'RestartRole' }], BAD, 'Restarting: job-worker-0 job-worker-1 (1/0)'],
    ['the replica', [{ action: 'RestartReplica' }], BAD, 'Restarting: job-worker-1 (1/0)'],
    ['the replica without counting it', [{ action: 'Ignore' }], BAD, 'Restarting: job-worker-1 (0/0)'],
    ['nothing where FailJob ends the job', [{ action: 'FailJob' }], OOM, 'Failed: none (0/0)'],

    [
      'only the replica where the first matching rule is Ignore',
      [{ action: 'Ignore' }, JOB],
      BAD,
      'Restarting: job-worker-1 (0/0)',
    ],
    [
      'only the replica where the rule names another role',
      [{ ...JOB, roles: ['Master'] }],
      OOM,
      'Restarting: job-worker-1 (1/0)',
    ],
    [
      'all pods where the rule names its role',
      [{ ...JOB, roles: ['Master', 'Worker'] }],
      OOM,
      `Restarting: ${ALL} (1/0)`,
    ],

    [
      'all pods where the exit code matches',
      [{ ...JOB, onExitCodes: { operator: 'In', values: [1, 2] } }],
      BAD,
      `Restarting: ${ALL} (1/0)`,
    ],
    [
      'nothing where the exit code does not match',
      [{ ...JOB, onExitCodes: { operator: 'In', values: [2] } }],
      BAD,
      'Failed: none (0/0)',
    ],
    [
      'all pods where the exit code is not one of NotIn',
      [{ ...JOB, onExitCodes: { operator: 'NotIn', values: [2] } }],
      BAD,
      `Restarting: ${ALL} (1/0)`,
    ],
    [
      "nothing where only another container's exit code matches",
      [{ ...JOB, onExitCodes: { operator: 'In', values: [1], containerName: 'logger' } }],
      BAD,
      'Failed: none (0/0)',
    ],
    [
      "all pods where the named container's exit code matches",
      [{ ...JOB, onExitCodes: { operator: 'In', values: [7], containerName: 'logger' } }],
      { ...BAD, sidecarExit: 7 },
      `Restarting: ${ALL} (1/0)`,
    ],

    [
      'all pods where a pod condition matches',
      [{ ...JOB, onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
      PREEMPTED,
      `Restarting: ${ALL} (0/1)`,
    ],
    [
      'only the replica where the pod condition is False',
      [{ ...JOB, onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
      OOM,
      'Restarting: job-worker-1 (1/0)',
    ],

    ['memory', [{ ...JOB, onReasons: ['OutOfMemory'] }], OOM, `Restarting: ${ALL} (1/0)`],
    [
      'only the replica where another signal than an OOM kill ended it',
      [{ ...JOB, onReasons: ['OutOfMemory'] }],
      { ...OOM, containerReason: 'Error' },
      'Restarting: job-worker-1 (1/0)',
    ],
    ['preemption', [{ ...JOB, onReasons: ['Preempted'] }], PREEMPTED, `Restarting: ${ALL} (0/1)`],
    [
      'all pods after an eviction',
      [{ ...JOB, onReasons: ['Evicted'] }],
      { ...PREEMPTED, disruption: 'EvictionByEvictionAPI' },
      `Restarting: ${ALL} (0/1)`,
    ],
    [
      'all pods after a node was lost',
      [{ ...JOB, onReasons: ['NodeLost'] }],
      { ...PREEMPTED, disruption: 'DeletionByTaintManager' },
      `Restarting: ${ALL} (0/1)`,
    ],
    [
      'all pods after a node rejected the pod',
      [{ ...JOB, onReasons: ['Refused'] }],
      { phase: 'Failed', reason: 'OutOfcpu' },
      `Restarting: ${ALL} (0/1)`,
    ],
    ['all pods after the program failed', [{ ...JOB, onReasons: ['Program'] }], BAD, `Restarting: ${ALL} (1/0)`],
    [
      'only the replica where a disruption does not match onReasons Program',
      [{ ...JOB, onReasons: ['Program'] }],
      PREEMPTED,
      'Restarting: job-worker-1 (0/1)',
    ],

    [
      'all pods where the termination message matches',
      [{ ...JOB, onMessage: ['no', 'CUDA*memory'] }],
      { ...BAD, message: 'x CUDA out of memory.' },
      `Restarting: ${ALL} (1/0)`,
    ],
    [
      'nothing where the message differs in case',
      [{ ...JOB, onMessage: ['CUDA'] }],
      { ...BAD, message: 'cuda' },
      'Failed: none (0/0)',
    ],
    [
      "nothing where only one of a rule's conditions holds",
      [{ ...JOB, onMessage: ['CUDA'], onExitCodes: { operator: 'In', values: [2] } }],
      { ...BAD, message: 'CUDA' },
      'Failed: none (0/0)',
    ],

    [
      'all pods, and counts a disruption as a failure if the rule says so',
      [{ ...JOB, countsTowardsBackoffLimit: true }],
      PREEMPTED,
      `Restarting: ${ALL} (1/0)`,
    ],
    [
      'all pods, and counts a failure as a disruption if the rule says so',
      [{ ...JOB, countsTowardsBackoffLimit: false }],
      BAD,
      `Restarting: ${ALL} (0/1)`,
    ],
    [
      'the replica, and counts its failure as a disruption if the rule says so',
      [{ action: 'RestartReplica', countsTowardsBackoffLimit: false }],
      BAD,
      'Restarting: job-worker-1 (0/1)',
    ],

    [
      'all pods when the cluster deletes one',
      [JOB],
      { deleted: -1, disrupted: true },
      'Restarting: job-master-0 job-worker-0 (0/1)',
    ],
    ['nothing when a user deletes a pod', [JOB], { deleted: -1 }, 'Running: none (0/0)'],
    ['nothing when a pod has succeeded', [JOB], { phase: 'Succeeded', exit: 0 }, 'Running: none (0/0)'],
    [
      'nothing when a sidecar fails after the program succeeded',
      [JOB],
      { phase: 'Failed', exit: 0, sidecarExit: 7 },
      'Running: none (0/0)',
    ],
    ['nothing when a sidecar fails while the program runs', [JOB], { sidecarExit: 7 }, 'Running: none (0/0)'],
    [
      'nothing for a failed pod by a rule with onNoProgress',
      [{ ...JOB, onNoProgress: true }],
      BAD,
      'Failed: none (0/0)',
    ],
  ])('restarts %s', (_case, rules, pod, expected) => {
    expect(summaryOf(worldOf(rules, one(pod)))).toBe(expected);
  });

  it.each<[string, readonly Rule[], string, string]>([
    [
      'fails the job by onReasons Image when an image cannot be pulled',
      [{ action: 'FailJob', onReasons: ['Image'] }],
      'ImagePullBackOff',
      'Failed',
    ],
    [
      'fails the job by onReasons Refused when a Secret is missing',
      [{ action: 'FailJob', onReasons: ['Refused'] }],
      'CreateContainerConfigError',
      'Failed',
    ],
    ['ignores a rule without onReasons', [{ action: 'FailJob' }], 'ImagePullBackOff', ''],
    [
      'matches no rule before the kubelet has tried twice',
      [{ action: 'FailJob', onReasons: ['Image'] }],
      'ErrImagePull',
      '',
    ],
  ])('for a waiting pod, %s', (_case, rules, reason, state) => {
    expect(planOf(worldOf(rules, [master, { index: 0 }, waiting(reason)])).status?.state ?? '').toBe(
      state === '' ? 'Running' : state,
    );
  });

  it('reports the cause, the rule and the attempt of a restart', () => {
    const { status } = planOf(worldOf([{ ...JOB, name: 'oom', onReasons: ['OutOfMemory'] }], one(OOM)));
    expect(status).toMatchObject({ attempt: 1 });
    expect(message(status, 'Restarting')).toBe(
      'job job is restarting all pods of the job (attempt 1) because Worker replica(s) failed, by rule oom of its failure ' +
        'policy. First: pod job-worker-1, container main: exit code 137 (OOMKilled)',
    );
  });

  it('reports the rule that ended the job, and the failed pod', () => {
    const { status } = planOf(worldOf([{ ...JOB, roles: ['Master'] }, { action: 'FailJob' }], one(BAD)));
    expect(status?.conditions?.at(-1)).toMatchObject({ type: 'Failed', status: 'True', reason: 'FailurePolicy' });
    expect(message(status, 'Failed')).toBe(
      'job job has failed because Worker replica(s) failed, by rule 2 of its failure policy. First: pod job-worker-1, ' +
        'container main: exit code 1',
    );
  });

  it('does not fail a job that has succeeded', () => {
    const world = worldOf(
      [{ action: 'FailJob' }],
      [{ ...master, phase: 'Succeeded', exit: 0 }, { index: 0 }, { index: 1, ...BAD }],
    );
    expect(planOf(world).status?.state).toBe('Succeeded');
  });

  it('counts restarts of the whole job towards backoffLimit', () => {
    expect(summaryOf(worldOf([JOB], one(BAD), { runPolicy: { backoffLimit: 0 } }))).toBe(
      'Failed: job-master-0 job-worker-0 (0/0)',
    );
    const uncounted: Rule = { ...JOB, countsTowardsBackoffLimit: false };
    expect(summaryOf(worldOf([uncounted], one(BAD), { runPolicy: { backoffLimit: 0 } }))).toBe(
      `Restarting: ${ALL} (0/1)`,
    );
  });

  it.each<[string, readonly Rule[], PlainPod[], string]>([
    [
      'after the one that restarts the job as part of that restart',
      [{ ...JOB, onReasons: ['OutOfMemory'] }, { action: 'FailJob' }],
      [
        { ...master, ...BAD, ended: -4 },
        { index: 0, ...BAD, ended: -3 },
        { index: 1, ...OOM },
      ],
      `Restarting: ${ALL} (1/0)`,
    ],
    [
      'that no rule matches as part of that restart',
      [{ ...JOB, onReasons: ['OutOfMemory'] }],
      [
        { ...master, ...BAD },
        { index: 0, ...BAD },
        { index: 1, ...OOM },
      ],
      `Restarting: ${ALL} (1/0)`,
    ],
    [
      'before the one that restarts the job by its own rule',
      [{ ...JOB, onReasons: ['OutOfMemory'] }, { action: 'FailJob' }],
      [{ ...master, ...BAD, ended: -6 }, { index: 0 }, { index: 1, ...OOM }],
      'Failed: none (0/0)',
    ],
    [
      'of a role that is not restarted by its own rule',
      [{ action: 'RestartRole', roles: ['Worker'] }, { action: 'FailJob' }],
      [{ ...master, ...BAD, ended: -4 }, { index: 0 }, { index: 1, ...OOM }],
      'Failed: none (0/0)',
    ],
  ])('handles a failure %s', (_case, rules, pods, expected) => {
    expect(summaryOf(worldOf(rules, pods))).toBe(expected);
  });

  it('counts one restart, not three, for an elastic job that loses all its pods at once', () => {
    const lost: PlainPod[] = [
      { ...master, ...PREEMPTED },
      { index: 0, ...PREEMPTED },
      { index: 1, ...PREEMPTED },
    ];
    expect(summaryOf(worldOf([], lost))).toBe(`Restarting: ${ALL} (0/3)`);
    expect(summaryOf(worldOf([{ ...JOB, onReasons: ['Preempted'] }], lost))).toBe(`Restarting: ${ALL} (0/1)`);
  });

  describe('a delay', () => {
    const rule: Rule = { ...JOB, delaySeconds: 60 };
    const after = (seconds: number, status: JobStatus | undefined, pods: readonly PlainPod[], rules = [rule]) =>
      planOf({ ...worldOf(rules, pods), ...(status && { status }), now: seconds });

    it('holds back all pods of the next attempt until it is over', () => {
      const { status } = planOf(worldOf([rule], one(BAD)));
      expect(status?.restarts).toEqual([
        { scope: 'Job', replaced: true, failures: 1, lastFailureTime: at(0), delaySeconds: 60 },
      ]);
      expect(message(status, 'Restarting')).toContain(`; the job is restarted at ${at(60)}`);
      const early = after(59, status, []);
      expect(early.create.pods).toEqual([]);
      expect(early.requeueAfterMs).toBe(1000);
      const due = after(60, status, []);
      expect(due.create.pods.map(({ metadata }) => metadata?.labels?.[LABELS.attempt])).toEqual(['1', '1', '1']);
    });

    it('holds for a single replica, even if the cluster deletes its pod in the meantime', () => {
      const rules: Rule[] = [{ action: 'RestartReplica', delaySeconds: 60 }];
      const { status } = planOf(worldOf(rules, one({ deleted: -1, disrupted: true })));
      const early = after(59, status, [master, { index: 0 }], rules);
      expect([early.create.pods, early.requeueAfterMs]).toEqual([[], 1000]);
      expect(namesOf(after(60, status, [master, { index: 0 }], rules).create.pods)).toEqual(['job-worker-1']);
    });

    it('of a single replica does not hold back another failed replica whose pod is gone', () => {
      const rules: Rule[] = [{ action: 'RestartReplica', onReasons: ['Preempted'], delaySeconds: 60 }];
      const failed: PlainPod[] = [master, { index: 0, ...OOM }, { index: 1, deleted: -1, disrupted: true }];
      const { status } = planOf(worldOf(rules, failed));
      expect(namesOf(after(1, status, [master], rules).create.pods)).toEqual(['job-worker-0']);
    });

    it('of a single replica still holds when the whole job is restarted in the meantime', () => {
      const alone: Rule = { action: 'RestartReplica', onReasons: ['OutOfMemory'], delaySeconds: 60 };
      const rules: Rule[] = [alone, JOB];
      const waits = planOf(worldOf(rules, one(OOM))).status;
      const { status } = after(
        20,
        waits,
        [{ ...master, ...BAD, ended: 19 }, { index: 0 }, { index: 1, ...OOM }],
        rules,
      );
      expect(status?.restarts).toEqual([
        { scope: 'Job', replaced: true, failures: 1, lastFailureTime: at(20), delaySeconds: 40 },
      ]);
      expect(after(59, status, [], rules).create.pods).toEqual([]);
      expect(after(60, status, [], rules).create.pods).toHaveLength(3);
    });

    it('is never shorter than the back-off for failures in a row', () => {
      const rules: Rule[] = [{ action: 'RestartReplica', delaySeconds: 5 }];
      const { requeueAfterMs } = planOf(worldOf(rules, one({ ...BAD, failures: 2 })));
      expect(requeueAfterMs).toBe(20_000);
    });
  });

  describe('the pods of a role that a rule names', () => {
    const policyOf = (rules: readonly Rule[], restartPolicy: PlainRole['restartPolicy']) =>
      planOf({
        roles: [{ name: 'Worker', replicas: 1, ...(restartPolicy && { restartPolicy }) }],
        runPolicy: { ...(rules.length > 0 && { failurePolicy: { rules: [...rules] } }) },
      }).create.pods.map(({ spec }) => spec?.restartPolicy);

    it('are not restarted in place, unlike those of other roles', () => {
      expect(policyOf([JOB], 'OnFailure')).toEqual(['Never']);
      expect(policyOf([{ ...JOB, roles: ['Master'] }], 'OnFailure')).toEqual(['OnFailure']);
      expect(policyOf([], 'Always')).toEqual(['Always']);
    });

    it('are recreated under Always even if they succeeded', () => {
      const rules: Rule[] = [{ ...JOB, onExitCodes: { operator: 'In', values: [2] } }];
      const roles: PlainRole[] = [{ name: 'Worker', replicas: 2, restartPolicy: 'Always' }];
      const ended: PlainPod[] = [{ index: 0 }, { index: 1, phase: 'Succeeded', exit: 0 }];
      expect(summaryOf(worldOf(rules, ended, { roles }))).toBe('Restarting: job-worker-1 (1/0)');
    });
  });

  it('does not recreate a single replica that cannot rejoin', () => {
    const roles: PlainRole[] = [{ name: 'Worker', replicas: 2, cannotRejoin: 'It cannot.' }];
    const pods: PlainPod[] = [{ index: 0 }, { index: 1, ...OOM }];
    expect(summaryOf(worldOf([{ action: 'RestartReplica' }], pods, { roles }))).toBe('Failed: none (0/0)');
    expect(summaryOf(worldOf([JOB], pods, { roles }))).toBe('Restarting: job-worker-0 job-worker-1 (1/0)');
    expect(summaryOf(worldOf([JOB], [{ index: 0 }], { roles }))).toBe('Restarting: job-worker-0 (0/1)');
  });
});

it('leaves a failed pod of a StatefulSet to be restarted in place', () => {
  const failurePolicy = { rules: [JOB] };
  const [role] = jobOf({ runPolicy: { failurePolicy } }).roles;
  const replica = { index: 0, state: 'failed', pod: plainPod(BAD) } as const;
  const ofSet = { ...role!, identity: { kind: 'StatefulSet', labels: {}, spec: {} } } as const;
  const [untouched] = restartingRoles([{ ...ofSet, restartsAsPods: false }], { failurePolicy });
  expect(matchingRule(failurePolicy, { ...replica, role: untouched! })).toBeUndefined();
  expect(matchingRule(failurePolicy, { ...replica, role: role! })).toMatchObject({ action: 'RestartJob' });
});

describe('hasText', () => {
  it.each<[string, string, boolean]>([
    ['CUDA out of memory', 'out of', true],
    ['CUDA out of memory', 'CUDA*memory', true],
    ['CUDA out of memory', 'memory*CUDA', false],
    ['a.b', 'a*b*', true],
    ['ab', 'a.b', false],
    ['ab', 'ab*b', false],
    ['', '*', true],
    [`${'a'.repeat(100_000)}`, `${'*a'.repeat(99)}b`, false],
  ])('case %#', (text, pattern, expected) => {
    expect(hasText(text, pattern)).toBe(expected);
  });
});
