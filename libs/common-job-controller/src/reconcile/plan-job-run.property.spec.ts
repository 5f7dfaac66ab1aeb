/**
 * Random events on random jobs, with the operator killed between any two writes. The counts must match the events. A
 * failing run prints its seed and the shortest sequence.
 */
import { isFinished, RESTART_POLICIES } from '@muster/job-api';
import { misread } from '@muster/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlainRole } from '../../test-support/plain-adapter.ts';
import { at, type PlainPod } from '../../test-support/plain-pod.ts';
import { PureCluster } from '../../test-support/pure-cluster.ts';
import { conditionsOf, worldOf } from '../../test-support/plain-world.ts';

const HAPPENINGS = [
  'a pod starts',
  'a pod starts',
  'a pod fails with 137',
  'a pod fails with 137',
  'a pod fails with 1',
  'a container is restarted',
  'a pod is evicted',
  'a pod succeeds',
  'a pod is deleted by a user',
  'a pod loses its owner',
  'time passes',
] as const;
/** Each is a separate step, so that earlier events are already recorded. */
const ALONE = ['what is deleted goes', 'the job is suspended or resumed', 'a role is scaled'] as const;

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
    { weight: 4, arbitrary: fc.array(happening(...HAPPENINGS), { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.tuple(happening(...ALONE)) },
  ),
  killedAfter: fc.array(fc.nat(5), { maxLength: 3 }),
});

const roleOf = (name: string) =>
  fc.record({
    name: fc.constant(name),
    replicas: fc.integer({ min: 1, max: 3 }),
    restartPolicy: fc.constantFrom(...RESTART_POLICIES),
    endsByItself: fc.boolean(),
  });

const roles = fc.oneof(fc.tuple(roleOf('Worker')), fc.tuple(roleOf('Master'), roleOf('Worker')));

const runPolicy = fc
  .record({
    cleanPodPolicy: fc.constantFrom('', 'None', 'Running', 'All'),
    backoffLimit: fc.constantFrom(undefined, undefined, 0, 2, 5),
    activeDeadlineSeconds: fc.constantFrom(undefined, undefined, 900),
  })
  .map(({ cleanPodPolicy, backoffLimit, activeDeadlineSeconds }) => ({
    cleanPodPolicy,
    ...(backoffLimit !== undefined && { backoffLimit }),
    ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
  }));

interface News {
  failures: number;
  inPlace: Map<string, number>;
  disruptions: number;
}

/** A job, its events, and the expected counts, kept independently of the engine. */
class Life {
  readonly cluster: PureCluster;
  #roles: readonly PlainRole[];
  restarts = 0;
  disruptions = 0;
  #end: string | undefined;
  /** Restarts by the kubelet that the job could not see, by pods without an owner. */
  #unseen = new Map<string, number>();

  constructor(roles: readonly PlainRole[], runPolicy: object) {
    this.#roles = roles;
    this.cluster = new PureCluster({ roles, runPolicy });
  }

  live({ happenings, killedAfter }: Step): void {
    const { cluster } = this;
    const wasFinished = isFinished(cluster.status);
    const news: News = { failures: 0, inPlace: new Map(), disruptions: 0 };
    for (const each of happenings) this.#happen(each, news);
    for (const writes of killedAfter) if (!cluster.isJobGone) cluster.pass(writes);
    cluster.settle();
    // A failure that ends the job is not a restart, nor is one after the end.
    const isFinal = isFinished(cluster.status);
    const inPlace = [...news.inPlace.values()].reduce((sum, count) => sum + count, 0);
    const seen = this.#seenInAdopted();
    // A job that adopted pods had one more run, in which failures were restarted before its end.
    const areRestarted = !isFinal || seen > 0;
    if (!wasFinished) this.restarts += inPlace + seen + (areRestarted ? news.failures : 0);
    if (areRestarted) this.disruptions += news.disruptions;
    this.check();
  }

  /** Restarts in an orphaned pod are seen after its adoption, unless it has ended. */
  #seenInAdopted(): number {
    let seen = 0;
    for (const [name, count] of this.#unseen) {
      const pod = this.cluster.pods.get(name);
      if (pod !== undefined && !isOwned(pod)) continue;
      this.#unseen.delete(name);
      if (pod !== undefined) seen += count;
    }
    return seen;
  }

  #happen({ what, which }: Happening, news: News): void {
    const { cluster } = this;
    const alive = cluster.alive().filter(isOwned);
    const pod = alive[which % Math.max(1, alive.length)];
    const policy = this.#roles.find(({ name }) => name.toLowerCase() === pod?.role)?.restartPolicy;
    switch (what) {
      case 'time passes':
        cluster.job = { ...cluster.job, now: cluster.now + which * 20 };
        return;
      case 'what is deleted goes':
        for (const each of cluster.pods.values()) if (each.deleted !== undefined) cluster.pods.delete(each.name);
        return;
      case 'the job is suspended or resumed':
        this.#suspendOrResume();
        return;
      case 'a role is scaled':
        this.#scale(which);
        return;
      default:
        if (pod === undefined || isFinished(cluster.status)) return;
    }
    switch (what) {
      case 'a pod starts':
        return cluster.change(pod, { phase: 'Running' });
      case 'a pod fails with 137':
        if (policy !== 'Never') news.failures++;
        return cluster.change(pod, { phase: 'Failed', exit: 137, ended: cluster.now });
      case 'a pod fails with 1':
        if (policy === 'Always' || policy === 'OnFailure') news.failures++;
        return cluster.change(pod, { phase: 'Failed', exit: 1, ended: cluster.now });
      case 'a container is restarted':
        if (policy === 'Never' || policy === 'ExitCode') return;
        news.inPlace.set(pod.name, (news.inPlace.get(pod.name) ?? 0) + 1);
        return cluster.change(pod, { phase: 'Running', restarts: (pod.restarts ?? 0) + 1 });
      case 'a pod is evicted':
        news.disruptions++;
        return cluster.change(pod, { phase: 'Failed', reason: 'Evicted', disrupted: true });
      case 'a pod succeeds':
        return cluster.change(pod, { phase: 'Succeeded', exit: 0, ended: cluster.now });
      case 'a pod is deleted by a user':
        return cluster.change(pod, { deleted: cluster.now });
      case 'a pod loses its owner':
        this.#unseen.set(pod.name, news.inPlace.get(pod.name) ?? 0);
        news.inPlace.delete(pod.name);
        return cluster.change(pod, { owner: 'none' });
    }
  }

  #suspendOrResume(): void {
    const { runPolicy = {} } = this.cluster.job;
    this.cluster.job = { ...this.cluster.job, runPolicy: { ...runPolicy, suspend: runPolicy.suspend !== true } };
  }

  #scale(which: number): void {
    const last = this.#roles.length - 1;
    this.#roles = this.#roles.map((role, i) => (i === last ? { ...role, replicas: 1 + (which % 4) } : role));
    this.cluster.job = { ...this.cluster.job, roles: this.#roles };
  }

  check(): void {
    const { cluster } = this;
    const { status } = cluster;
    expect(misread(worldOf(cluster.job).manifest)).toEqual([]);
    expect({ restarts: status.restartCount ?? 0, disruptions: status.disruptionCount ?? 0 }).toEqual({
      restarts: this.restarts,
      disruptions: this.disruptions,
    });
    const { until, accounts = {} } = status.timeAccounts ?? {};
    const seconds = Object.values(accounts).reduce((sum, account) => sum + (account.seconds ?? 0), 0);
    if (until !== undefined) expect(at(seconds)).toBe(until);
    const ends = conditionsOf(status).filter((condition) => /^(Succeeded|Failed)=True$/.test(condition));
    expect(ends.length).toBeLessThan(2);
    this.#end ??= ends[0];
    expect(ends[0]).toBe(this.#end);
    if (cluster.job.runPolicy?.suspend === true && !isFinished(status))
      expect([...cluster.pods.values()].filter(isOwned).filter(isStaying)).toEqual([]);
  }

  goWell(): void {
    const { cluster } = this;
    cluster.job = { ...cluster.job, runPolicy: { ...cluster.job.runPolicy, suspend: false } };
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
    this.check();
    expect(isFinished(cluster.status)).toBe(true);
    const policy = cluster.job.runPolicy?.cleanPodPolicy;
    if (policy === 'Running' || policy === 'All') expect(cluster.alive().filter(isOwned)).toEqual([]);
    if (policy === 'All') expect([...cluster.pods.values()].filter(isOwned).filter(isStaying)).toEqual([]);
  }
}

const isOwned = ({ owner }: PlainPod) => owner === undefined;
const isStaying = ({ deleted }: PlainPod) => deleted === undefined;

describe('a job under random events', () => {
  it('counts each restart once, and ends once when all pods succeed', () => {
    fc.assert(
      fc.property(roles, runPolicy, fc.array(step, { minLength: 1, maxLength: 15 }), (jobRoles, policy, steps) => {
        const life = new Life(jobRoles, policy);
        life.cluster.settle();
        for (const each of steps) life.live(each);
        life.goWell();
      }),
      { numRuns: 300 },
    );
  });
});
