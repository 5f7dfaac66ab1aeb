/**
 * Random failures, restarts, deletions and operator crashes in jobs that restart in place. Each failure of the current attempt is counted
 * once, the job succeeds, and no pod waits for a restart. A failed run prints the seed and the shortest sequence.
 */
import fc from 'fast-check';
import { isFinished } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import type { PlainPod } from '../../test-support/plain-pod.ts';
import { PureCluster } from '../../test-support/pure-cluster.ts';

type LivePod = PureCluster['pods'] extends Map<string, infer Each> ? Each : never;

const STEPS = [
  'a program fails',
  'a program succeeds',
  'a pod is lost',
  'a user deletes a pod',
  'a kubelet restarts a pod',
  'a kubelet fails a pod',
  'pods start',
  'deleted pods are removed',
  'time passes',
] as const;

interface Step {
  readonly what: (typeof STEPS)[number];
  readonly which: number;
  /** The number of writes after which each run crashes, before a run that completes. */
  readonly deaths: readonly number[];
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...STEPS),
  which: fc.nat(20),
  deaths: fc.array(fc.nat(6), { maxLength: 2 }),
});

class Life {
  readonly cluster = new PureCluster({
    roles: [
      { name: 'Master', replicas: 1, restartPolicy: 'OnFailure' },
      { name: 'Worker', replicas: 2, restartPolicy: 'OnFailure' },
    ],
    runPolicy: { failurePolicy: { rules: [{ action: 'RestartJob', inPlace: true }] } },
  });
  #expected = { attempt: 0, restarts: 0, disruptions: 0 };
  restartedInPlace = 0;

  live({ what, which, deaths }: Step): void {
    const { cluster } = this;
    if (isFinished(cluster.status)) return;
    this.#happen(what, which);
    for (const writes of deaths) cluster.pass(writes);
    cluster.settle();
    const { attempt = 0, restartCount = 0, disruptionCount = 0 } = cluster.status;
    expect({ attempt, restarts: restartCount, disruptions: disruptionCount }).toEqual(this.#expected);
  }

  #happen(what: Step['what'], which: number): void {
    const { cluster } = this;
    const pods = [...cluster.pods.values()];
    const working = pods.filter((pod) => isPresent(pod, cluster) && isWorking(pod));
    const pick = (from: readonly LivePod[]) => from[which % Math.max(1, from.length)];
    switch (what) {
      case 'time passes':
        cluster.job = { ...cluster.job, now: cluster.now + 1 + which * 20 };
        return;
      case 'deleted pods are removed':
        for (const { name, deleted } of pods) if (deleted !== undefined) cluster.pods.delete(name);
        return;
      case 'pods start':
        for (const pod of cluster.alive()) if (pod.phase === 'Pending') cluster.change(pod, { phase: 'Running' });
        return;
      case 'a kubelet restarts a pod':
        this.#restart(pick(pods.filter(hasPendingRestart)));
        return;
      case 'a kubelet fails a pod': {
        const pod = pick(pods.filter(hasPendingRestart));
        return pod && cluster.change(pod, { phase: 'Failed', exit: 137, ended: cluster.now });
      }
      case 'a program fails': {
        const pod = pick(working);
        if (pod === undefined) return;
        cluster.change(pod, { exit: 1, ended: cluster.now });
        this.#expected.attempt++;
        this.#expected.restarts++;
        return;
      }
      case 'a program succeeds': {
        // The job ends with the Master.
        const pod = pick(working.filter(({ role }) => role === 'worker'));
        return pod && cluster.change(pod, { exit: 0, ended: cluster.now });
      }
      case 'a pod is lost': {
        const pod = pick(working);
        if (pod === undefined) return;
        cluster.change(pod, { phase: 'Failed', exit: 137, ended: cluster.now, disrupted: true });
        this.#expected.attempt++;
        this.#expected.disruptions++;
        return;
      }
      case 'a user deletes a pod': {
        const pod = pick(working);
        return pod && cluster.change(pod, { deleted: cluster.now });
      }
    }
  }

  #restart(pod: LivePod | undefined): void {
    if (pod === undefined) return;
    const { exit: exitBefore = 137, ended: _ended, ...rest } = pod;
    const { exit: _exit, ...running } = rest as typeof rest & { exit?: number };
    this.cluster.pods.set(pod.name, { ...running, restarts: (pod.restarts ?? 0) + 1, exitBefore });
    this.restartedInPlace++;
  }

  /** Continues without failures until the job has succeeded. */
  finish(): void {
    const { cluster } = this;
    for (let rounds = 0; rounds < 20 && !isFinished(cluster.status); rounds++) {
      cluster.settle();
      for (const pod of [...cluster.pods.values()]) {
        if (pod.deleted !== undefined) cluster.pods.delete(pod.name);
        else if (hasPendingRestart(pod)) this.#restart(pod);
        else if (pod.phase === 'Pending') cluster.change(pod, { phase: 'Running' });
        else if (isWorking(pod)) cluster.change(pod, { exit: 0, ended: cluster.now });
      }
      cluster.job = { ...cluster.job, now: cluster.now + 401 };
    }
    cluster.settle();
    expect(cluster.status.state).toBe('Succeeded');
    // Pods that still run when the job has ended complete a little later.
    for (const pod of [...cluster.pods.values()].filter(isWorking))
      cluster.change(pod, { exit: 0, ended: cluster.now });
    cluster.settle();
    const waiting = [...cluster.pods.values()].filter(
      ({ deleted, phase, restarter }) => deleted === undefined && phase === 'Running' && restarter !== 'ended',
    );
    expect(waiting).toEqual([]);
  }
}

function isPresent({ attempt = 0 }: PlainPod, { status }: PureCluster): boolean {
  return attempt === (status.attempt ?? 0);
}

function isWorking(pod: PlainPod): boolean {
  return pod.phase === 'Running' && pod.deleted === undefined && pod.exit === undefined && !hasPendingRestart(pod);
}

function hasPendingRestart({ deleted, phase, restarter, restarts = 0 }: PlainPod): boolean {
  if (deleted !== undefined || phase !== 'Running' || typeof restarter !== 'string') return false;
  return restarter !== 'ended' && restarts <= Number(restarter.split('/')[1]);
}

describe('a job that restarts in place, with random failures', () => {
  it('counts each failure once, succeeds, and leaves no pod waiting', () => {
    let restartedInPlace = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
        const life = new Life();
        life.cluster.settle();
        for (const pod of life.cluster.alive()) life.cluster.change(pod, { phase: 'Running' });
        for (const each of steps) life.live(each);
        life.finish();
        restartedInPlace += life.restartedInPlace;
      }),
      { numRuns: 300 },
    );
    // Otherwise the sequences do not cover restarts in place.
    expect(restartedInPlace).toBeGreaterThan(100);
  });
});
