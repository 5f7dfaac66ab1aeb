/**
 * Random events on random jobs with group restarts, with the operator killed between any two writes. No attempt may be
 * lost or counted twice. `PureCluster` checks that attempts never coexist. A failing run prints its seed and the
 * shortest sequence.
 */
import { isFinished } from '@muster/job-api';
import type { RestartScope } from '../model/training-job.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlainPod } from '../../test-support/plain-pod.ts';
import type { PlainWorld } from '../../test-support/plain-world.ts';
import { PureCluster } from '../../test-support/pure-cluster.ts';

const HAPPENINGS = [
  'a pod starts',
  'a pod starts',
  'a pod fails',
  'a pod of an earlier attempt fails',
  'a pod is evicted',
  'a pod succeeds',
  'a pod is deleted by a user',
] as const;
/** Each is a separate step, so that earlier events are already recorded. */
const ALONE = [
  'what is deleted goes',
  'a pod that is deleted goes',
  'time passes',
  'the job is suspended or resumed',
] as const;

interface Happening {
  readonly what: (typeof HAPPENINGS)[number] | (typeof ALONE)[number];
  readonly which: number;
}

interface Step {
  readonly happenings: readonly Happening[];
  /** The number of writes before the operator is killed, for each run before the one that survives. */
  readonly killedAfter: readonly number[];
}

const happening = (...what: readonly Happening['what'][]) =>
  fc.record({ what: fc.constantFrom(...what), which: fc.nat(20) });
const step: fc.Arbitrary<Step> = fc.record({
  happenings: fc.oneof(
    { weight: 2, arbitrary: fc.array(happening(...HAPPENINGS), { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.tuple(happening(...ALONE)) },
  ),
  killedAfter: fc.array(fc.nat(6), { maxLength: 3 }),
});

const ROLES = ['Master', 'Worker', 'Ps'] as const;
type Scopes = Readonly<Record<(typeof ROLES)[number], RestartScope>>;
const scope = fc.constantFrom<RestartScope>('Job', 'Role', 'Replica');
const ACTIONS = { Job: 'RestartJob', Role: 'RestartRole', Replica: 'RestartReplica' } as const;

function scopesFrom(who: 'framework' | 'policy', scopes: Scopes): Pick<PlainWorld, 'scopes' | 'runPolicy'> {
  if (who === 'framework') return { scopes };
  const rules = ROLES.map((role) => ({ action: ACTIONS[scopes[role]], roles: [role] }));
  return { runPolicy: { failurePolicy: { rules } } };
}

const scopes: fc.Arbitrary<Scopes> = fc.record({ Master: scope, Worker: scope, Ps: scope });

/** A job, its events, and the expected counts, kept independently of the engine. */
class Life {
  readonly cluster: PureCluster;
  readonly #scopes: Scopes;
  #ofJob = 0;
  #ofRoles = new Map<string, number>();
  #restarts = 0;
  #disruptions = 0;

  constructor(scopes: Scopes, who: 'framework' | 'policy', backoffLimit: number | undefined) {
    this.#scopes = scopes;
    const roles = [
      { name: 'Master', replicas: 2 },
      { name: 'Worker', replicas: 2 },
      { name: 'Ps', replicas: 1, endsByItself: false },
    ];
    const { runPolicy, ...options } = scopesFrom(who, scopes);
    const limit = backoffLimit === undefined ? {} : { backoffLimit };
    this.cluster = new PureCluster({ roles, ...options, runPolicy: { ...runPolicy, ...limit } });
  }

  live({ happenings, killedAfter }: Step): void {
    const { cluster } = this;
    const wasFinished = isFinished(cluster.status);
    const failed = happenings.flatMap((each) => this.#happen(each) ?? []);
    for (const writes of killedAfter) {
      cluster.pass(writes);
      this.#failOld(writes);
    }
    cluster.settle();
    if (wasFinished || isFinished(cluster.status)) return;
    this.#enter(failed);
    this.check();
  }

  #enter(failed: readonly PlainPod[]): void {
    const of = (wanted: RestartScope) => failed.filter(({ role }) => this.#scopeOf(role) === wanted);
    const ofJob = of('Job');
    if (ofJob.length > 0) {
      this.#ofJob++;
      return this.#count(ofJob);
    }
    for (const [role, pods] of Map.groupBy(of('Role'), (pod) => this.#roleOf(pod.role))) {
      this.#ofRoles.set(role, (this.#ofRoles.get(role) ?? 0) + 1);
      this.#count(pods);
    }
    for (const pod of of('Replica')) if (!of('Role').some(({ role }) => role === pod.role)) this.#count([pod]);
  }

  /** Counted for the pod that failed first. Without an end time, the creation time decides. */
  #count(failed: readonly PlainPod[]): void {
    const order = (pod: PlainPod) => [
      pod.ended ?? pod.created ?? 0,
      ROLES.indexOf(this.#roleOf(pod.role)),
      pod.index ?? 0,
    ];
    const [first] = failed.toSorted(
      (a, b) =>
        order(a)
          .map((each, i) => each - order(b)[i]!)
          .find(Boolean) ?? 0,
    );
    if (first === undefined) return;
    if (first.disrupted === true) this.#disruptions++;
    else this.#restarts++;
  }

  #roleOf(role = ''): (typeof ROLES)[number] {
    return ROLES.find((name) => name.toLowerCase() === role) ?? 'Worker';
  }

  #scopeOf(role: string | undefined): RestartScope {
    return this.#scopes[this.#roleOf(role)];
  }

  #isPresent({ role, attempt = 0 }: PlainPod): boolean {
    const { status } = this.cluster;
    return attempt === (status.attempt ?? 0) + (status.replicaStatuses?.[this.#roleOf(role)]?.attempt ?? 0);
  }

  #happen({ what, which }: Happening): PlainPod | undefined {
    const { cluster } = this;
    const pick = <T>(pods: readonly T[]) => pods[which % Math.max(1, pods.length)];
    const change = (pod: ReturnType<typeof cluster.alive>[number] | undefined, to: Partial<PlainPod>) => {
      if (pod !== undefined) cluster.change(pod, to);
      return pod && { ...pod, ...to };
    };
    const alive = pick(cluster.alive().filter((pod) => this.#isPresent(pod)));
    const going = [...cluster.pods.values()].filter(({ deleted }) => deleted !== undefined);
    const ended = cluster.now;
    switch (what) {
      case 'a pod starts':
        return void change(alive, { phase: 'Running' });
      case 'a pod fails':
        return change(alive, { phase: 'Failed', exit: which % 2 === 0 ? 137 : 255, ended });
      case 'a pod is evicted':
        return change(alive, { phase: 'Failed', reason: 'Evicted', disrupted: true });
      case 'a pod succeeds':
        return void change(alive, { phase: 'Succeeded', exit: 0, ended });
      case 'a pod is deleted by a user':
        return void change(alive, { deleted: cluster.now });
      case 'a pod of an earlier attempt fails':
        return void this.#failOld(which);
      case 'what is deleted goes':
        return void going.forEach(({ name }) => cluster.pods.delete(name));
      case 'a pod that is deleted goes':
        return void cluster.pods.delete(pick(going)?.name ?? '');
      case 'time passes':
        cluster.job = { ...cluster.job, now: cluster.now + which * 40 };
        return undefined;
      case 'the job is suspended or resumed': {
        const { runPolicy = {} } = cluster.job;
        cluster.job = { ...cluster.job, runPolicy: { ...runPolicy, suspend: runPolicy.suspend !== true } };
        return undefined;
      }
    }
  }

  /** Includes pods of earlier attempts that the operator has not deleted yet. */
  #failOld(which: number): void {
    const old = [...this.cluster.pods.values()].filter((pod) => !this.#isPresent(pod) && pod.phase !== 'Failed');
    const pod = old[which % Math.max(1, old.length)];
    if (pod !== undefined) this.cluster.change(pod, { phase: 'Failed', exit: 137, ended: this.cluster.now });
  }

  check(): void {
    const { attempt, replicaStatuses = {}, restartCount = 0, disruptionCount = 0 } = this.cluster.status;
    const ofRoles = Object.entries(replicaStatuses).flatMap(([role, of]) => (of.attempt ? [[role, of.attempt]] : []));
    expect({ attempt, ofRoles: Object.fromEntries(ofRoles) as object, restartCount, disruptionCount }).toEqual({
      attempt: this.#ofJob === 0 ? undefined : this.#ofJob,
      ofRoles: Object.fromEntries(this.#ofRoles),
      restartCount: this.#restarts,
      disruptionCount: this.#disruptions,
    });
  }

  goWell(): void {
    const { cluster } = this;
    const { suspend: _suspend, ...runPolicy } = cluster.job.runPolicy ?? {};
    cluster.job = { ...cluster.job, runPolicy };
    for (let rounds = 0; rounds < 12 && !isFinished(cluster.status); rounds++) {
      cluster.settle();
      for (const pod of cluster.pods.values()) if (pod.deleted !== undefined) cluster.pods.delete(pod.name);
      cluster.job = { ...cluster.job, now: cluster.now + 301 };
      cluster.settle();
      for (const pod of cluster.alive())
        cluster.change(
          pod,
          pod.phase === 'Pending' ? { phase: 'Running' } : { phase: 'Succeeded', exit: 0, ended: cluster.now },
        );
    }
    cluster.settle();
    expect(isFinished(cluster.status)).toBe(true);
  }
}

describe.each(['framework', 'policy'] as const)(
  'a job that is restarted as a group by its %s, under random events',
  (who) => {
    it('neither loses nor doubles an attempt, and ends once all pods succeed', () => {
      const limits = fc.constantFrom(undefined, undefined, 3);
      fc.assert(
        fc.property(scopes, limits, fc.array(step, { minLength: 1, maxLength: 15 }), (jobScopes, limit, steps) => {
          const life = new Life(jobScopes, who, limit);
          life.cluster.settle();
          for (const each of steps) life.live(each);
          life.goWell();
        }),
        { numRuns: 200 },
      );
    });
  },
);
