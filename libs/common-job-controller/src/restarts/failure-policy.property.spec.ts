/**
 * Random failures under random failure policies, with the operator killed between any two writes. The first matching
 * rule must be applied and counted once. `PureCluster` checks that attempts never coexist and plans converge. A failing
 * run prints its seed and the shortest sequence.
 */
import { FAILURE_ACTIONS, type FailurePolicyRule, isFinished, type RestartPolicy } from '@muster/job-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlainRole } from '../../test-support/plain-adapter.ts';
import type { PlainPod } from '../../test-support/plain-pod.ts';
import { PureCluster } from '../../test-support/pure-cluster.ts';

type Rule = FailurePolicyRule;

const FAILURES = {
  Program: { phase: 'Failed', exit: 1 },
  Retryable: { phase: 'Failed', exit: 137 },
  OutOfMemory: { phase: 'Failed', exit: 137, containerReason: 'OOMKilled' },
  Preempted: { phase: 'Failed', disrupted: true },
  Evicted: { phase: 'Failed', disrupted: true, reason: 'Evicted', disruption: 'TerminationByKubelet' },
  NodeLost: { phase: 'Failed', disrupted: true, disruption: 'DeletionByPodGC' },
  /** Deleted by the cluster. On a lost node the pod never reports a failure. */
  TakenAway: { disrupted: true, disruption: 'DeletionByTaintManager' },
} as const satisfies Record<string, Partial<PlainPod>>;

type Failure = keyof typeof FAILURES;

type Role = 'Master' | 'Worker';

interface Happening {
  readonly what: Failure | 'starts' | 'ends well' | 'is deleted by a user' | 'what is deleted goes' | 'time passes';
  readonly which: number;
}

interface Step extends Happening {
  /** The number of writes before the operator is killed, for each run before the one that survives. */
  readonly killedAfter: readonly number[];
}

const failures = Object.keys(FAILURES) as Failure[];
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...failures) },
    { weight: 1, arbitrary: fc.constantFrom('starts', 'ends well', 'is deleted by a user') },
    { weight: 3, arbitrary: fc.constantFrom('what is deleted goes', 'time passes') },
  ),
  which: fc.nat(20),
  killedAfter: fc.array(fc.nat(6), { maxLength: 2 }),
});

const CLUSTER: readonly Failure[] = ['Preempted', 'Evicted', 'NodeLost', 'TakenAway'];

const MATCHERS: readonly (readonly [matcher: Partial<Rule>, means: readonly Failure[]])[] = [
  [{}, failures],
  [{ onExitCodes: { operator: 'In', values: [1] } }, ['Program']],
  [{ onExitCodes: { operator: 'NotIn', values: [1] } }, ['Retryable', 'OutOfMemory']],
  [{ onReasons: ['Program'] }, ['Program', 'Retryable']],
  [{ onReasons: ['OutOfMemory', 'Evicted'] }, ['OutOfMemory', 'Evicted']],
  [{ onReasons: ['Preempted', 'NodeLost'] }, ['Preempted', 'NodeLost', 'TakenAway']],
  [{ onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }, CLUSTER],
];

interface DrawnRule {
  readonly rule: Rule;
  readonly means: readonly Failure[];
}

const rule: fc.Arbitrary<DrawnRule> = fc
  .record({
    action: fc.constantFrom(...FAILURE_ACTIONS),
    roles: fc.constantFrom<readonly Role[] | undefined>(undefined, undefined, ['Master'], ['Worker']),
    matcher: fc.constantFrom(...MATCHERS),
    counts: fc.constantFrom(undefined, undefined, true, false),
    delaySeconds: fc.constantFrom(undefined, 0, 45, 400),
  })
  .map(({ action, roles, matcher: [matcher, means], counts, delaySeconds }) => {
    const mayCount = action !== 'FailJob' && action !== 'Ignore' && counts !== undefined;
    const mayWait = action !== 'FailJob' && delaySeconds !== undefined;
    const more = { ...(mayCount && { countsTowardsBackoffLimit: counts }), ...(mayWait && { delaySeconds }) };
    return { rule: { action, ...(roles && { roles: [...roles] }), ...matcher, ...more }, means };
  });

interface Drawn {
  readonly roles: readonly (PlainRole & { readonly name: Role; readonly restartPolicy: RestartPolicy })[];
  readonly rules: readonly DrawnRule[];
  readonly backoffLimit: number | undefined;
}

// Under Always a succeeded replica is recreated, so such a job would not end.
const restartPolicy = fc.constantFrom<RestartPolicy>('OnFailure', 'Never', 'ExitCode');
const roleOf = (name: Role, most: number) =>
  fc.record({ name: fc.constant(name), replicas: fc.integer({ min: 1, max: most }), restartPolicy });
const drawn: fc.Arbitrary<Drawn> = fc.record({
  roles: fc.tuple(roleOf('Master', 1), roleOf('Worker', 3)),
  rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
  backoffLimit: fc.constantFrom(undefined, undefined, 0, 2, 5),
});

type Counted = 'Failure' | 'Disruption' | 'Nothing';

interface ExpectedEffect {
  readonly scope: 'Replica' | 'Role' | 'Job' | 'End';
  readonly counted: Counted;
  readonly delaySeconds: number;
}

/** The documented behaviour of a policy, implemented without the engine. */
function expectedEffectOf({ rules, roles }: Drawn, role: Role, failure: Failure): ExpectedEffect {
  const isOfProgram = !CLUSTER.includes(failure);
  const byDefault = isOfProgram ? 'Failure' : 'Disruption';
  const decides = rules.find(
    ({ rule: each, means }) => (each.roles?.includes(role) ?? true) && means.includes(failure),
  )?.rule;
  if (decides === undefined) {
    const { restartPolicy: policy } = roles.find(({ name }) => name === role)!;
    const isFinal = isOfProgram && (policy === 'Never' || (policy === 'ExitCode' && failure === 'Program'));
    return { scope: isFinal ? 'End' : 'Replica', counted: byDefault, delaySeconds: 0 };
  }
  const { action, countsTowardsBackoffLimit: counts, delaySeconds = 0 } = decides;
  const counted = counts === undefined ? byDefault : counts ? 'Failure' : 'Disruption';
  switch (action) {
    case 'FailJob':
      return { scope: 'End', counted: 'Nothing', delaySeconds };
    case 'Ignore':
      return { scope: 'Replica', counted: 'Nothing', delaySeconds };
    case 'RestartReplica':
      return { scope: 'Replica', counted, delaySeconds };
    case 'RestartRole':
      return { scope: 'Role', counted, delaySeconds };
    case 'RestartJob':
      return { scope: 'Job', counted, delaySeconds };
  }
}

interface Wait {
  readonly holds: (pod: PlainPod) => boolean;
  readonly fromSeconds: number;
  readonly dueSeconds: number;
}

/** A job, its events, and the expected counts, kept independently of the engine. */
class Life {
  readonly cluster: PureCluster;
  readonly #drawn: Drawn;
  #expected = { attempt: 0, ofRoles: { Master: 0, Worker: 0 }, restarts: 0, disruptions: 0, hasFailed: false };
  #waits: Wait[] = [];

  constructor(what: Drawn) {
    this.#drawn = what;
    const { roles, rules, backoffLimit } = what;
    const limit = backoffLimit === undefined ? {} : { backoffLimit };
    const failurePolicy = { rules: rules.map((each) => each.rule) };
    this.cluster = new PureCluster({ roles, runPolicy: { failurePolicy, ...limit } });
  }

  live({ what, which, killedAfter }: Step): void {
    const { cluster } = this;
    if (isFinished(cluster.status)) return;
    this.#happen({ what, which });
    for (const writes of killedAfter) cluster.pass(writes);
    cluster.settle();
    this.#check();
  }

  #happen({ what, which }: Happening): void {
    const { cluster } = this;
    const alive = cluster.alive().filter((pod) => this.#isPresent(pod));
    const pick = (from: typeof alive) => from[which % Math.max(1, from.length)];
    const pod = pick(alive);
    switch (what) {
      case 'time passes':
        cluster.job = { ...cluster.job, now: cluster.now + 1 + which * 20 };
        return;
      case 'what is deleted goes':
        for (const each of cluster.pods.values()) if (each.deleted !== undefined) cluster.pods.delete(each.name);
        return;
      case 'starts':
        return pod && cluster.change(pod, { phase: 'Running' });
      case 'ends well': {
        const worker = pick(alive.filter(({ role }) => role === 'worker'));
        return worker && cluster.change(worker, { phase: 'Succeeded', exit: 0, ended: cluster.now });
      }
      case 'is deleted by a user':
        return pod && cluster.change(pod, { deleted: cluster.now });
      default:
        if (pod === undefined) return;
        cluster.change(pod, {
          ...FAILURES[what],
          ...(what === 'TakenAway' ? { deleted: cluster.now } : { ended: cluster.now }),
        });
        this.#enter(pod, expectedEffectOf(this.#drawn, roleNamed(pod), what));
    }
  }

  #enter(pod: PlainPod, { scope, counted, delaySeconds }: ExpectedEffect): void {
    const expected = this.#expected;
    const role = roleNamed(pod);
    const { backoffLimit = Infinity } = this.#drawn;
    if (scope === 'End' || (counted === 'Failure' && expected.restarts >= backoffLimit)) {
      expected.hasFailed = true;
      return;
    }
    if (counted === 'Failure') expected.restarts++;
    if (counted === 'Disruption') expected.disruptions++;
    if (scope === 'Job') expected.attempt++;
    if (scope === 'Role') expected.ofRoles[role]++;
    const { now } = this.cluster;
    this.#waits.push({
      holds: (each) => scope === 'Job' || (roleNamed(each) === role && (scope === 'Role' || each.index === pod.index)),
      fromSeconds: now,
      dueSeconds: now + delaySeconds,
    });
  }

  #isPresent({ role, attempt = 0 }: PlainPod): boolean {
    const { attempt: ofJob = 0, replicaStatuses = {} } = this.cluster.status;
    return attempt === ofJob + (replicaStatuses[roleNamed({ ...(role && { role }) })]?.attempt ?? 0);
  }

  #check(): void {
    const {
      attempt = 0,
      replicaStatuses = {},
      restartCount = 0,
      disruptionCount = 0,
      conditions,
    } = this.cluster.status;
    const ofRole = (role: Role) => replicaStatuses[role]?.attempt ?? 0;
    expect({
      attempt,
      ofRoles: { Master: ofRole('Master'), Worker: ofRole('Worker') },
      restarts: restartCount,
      disruptions: disruptionCount,
      hasFailed: conditions?.some(({ type, status }) => type === 'Failed' && status === 'True') ?? false,
    }).toEqual(this.#expected);
    const early = [...this.cluster.pods.values()].filter((pod) =>
      this.#waits.some(
        ({ holds, fromSeconds, dueSeconds }) => holds(pod) && pod.created! > fromSeconds && pod.created! < dueSeconds,
      ),
    );
    expect(early).toEqual([]);
  }

  goWell(): void {
    const { cluster } = this;
    for (let rounds = 0; rounds < 12 && !isFinished(cluster.status); rounds++) {
      cluster.settle();
      for (const pod of cluster.pods.values()) if (pod.deleted !== undefined) cluster.pods.delete(pod.name);
      cluster.job = { ...cluster.job, now: cluster.now + 401 };
      cluster.settle();
      for (const pod of cluster.alive())
        cluster.change(
          pod,
          pod.phase === 'Pending' ? { phase: 'Running' } : { phase: 'Succeeded', exit: 0, ended: cluster.now },
        );
    }
    cluster.settle();
    expect(cluster.status.state).toBe(this.#expected.hasFailed ? 'Failed' : 'Succeeded');
  }
}

function roleNamed({ role }: PlainPod): Role {
  return role === 'master' ? 'Master' : 'Worker';
}

describe('a job with a failure policy, under random failures', () => {
  it('applies the first matching rule, counts it once, and ends', () => {
    fc.assert(
      fc.property(drawn, fc.array(step, { minLength: 1, maxLength: 15 }), (what, steps) => {
        const life = new Life(what);
        life.cluster.settle();
        for (const each of steps) life.live(each);
        life.goWell();
      }),
      { numRuns: 300 },
    );
  });
});
