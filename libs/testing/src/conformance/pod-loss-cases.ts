import { PODS, RESTART_POLICIES, type RestartPolicy } from '@muster/job-api';
import { expect } from 'vitest';
import type { Concern } from './concern.ts';
import type { ConformanceCase } from './conformance-case.ts';
import {
  evicted,
  evictedForItsOwnUse,
  failed,
  failedUnseen,
  onLostNode,
  preempted,
  refused,
  running,
  succeeded,
} from './pod-report.ts';
import { FINALIZER, type Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

/** The last worker: no peer connects to it. */
const lastOf = (job: TestJob) => job.workerPods.at(-1) ?? '';

async function uidOf(job: TestJob, pod: string): Promise<string> {
  return (await job.pod(pod)).metadata?.uid ?? '';
}

const counts = async (job: TestJob) => {
  const { restartCount = 0, disruptionCount = 0 } = await job.status();
  return { restartCount, disruptionCount };
};

const deletedByUser = (concern: Concern, when: string, reach: (job: TestJob) => Promise<unknown>): ConformanceCase => ({
  name: `deleted by a user while ${when}: recreated under its name without counting a restart`,
  concern,
  async play(fixture) {
    const job = await fixture.job({ restartPolicy: 'Never', runPolicy: { backoffLimit: 0 } });
    await reach(job);
    const pod = lastOf(job);
    const uid = await uidOf(job, pod);
    await job.deletePod(pod);
    await job.recreated(pod, uid);
    await job.run();
    expect(await counts(job)).toEqual({ restartCount: 0, disruptionCount: 0 });
    await fixture.countersToBe({ restarted: 0 });
  },
});

type Report = (container: string) => Parameters<Fixture['report']>[1];

interface Disruption {
  readonly what: string;
  /** The cause in the metric of restarts. */
  readonly cause: 'ClusterEnded' | 'NodeRefused';
  readonly report: Report;
  readonly message: RegExp;
}

const EVICTED: Disruption = {
  what: 'evicted',
  cause: 'ClusterEnded',
  report: evicted,
  message: /was ended by the cluster: Evicted: The node was low on resource: memory/,
};
const PREEMPTED: Disruption = {
  what: 'preempted',
  cause: 'ClusterEnded',
  report: preempted,
  message: /was ended by the cluster: PreemptionByScheduler/,
};
const REFUSED: Disruption = {
  what: 'refused by its node',
  cause: 'NodeRefused',
  report: refused,
  message: /was refused by its node: OutOfcpu: Pod was rejected: /,
};

const disrupted = ({ what, cause, report, message: expected }: Disruption, policy: RestartPolicy): ConformanceCase => ({
  name: `${what} under ${policy}: recreated at once, and with back-off the next time; not counted as a failure of the program`,
  concern: what === 'evicted' && policy === 'Never' ? 'restarts' : 'engine',
  async play(fixture) {
    const job = await fixture.job({ restartPolicy: policy, runPolicy: { backoffLimit: 0 } });
    await job.run();
    const pod = lastOf(job);
    for (const times of [1, 2, 3]) {
      const uid = await uidOf(job, pod);
      await fixture.report(pod, report(fixture.framework.containerName));
      const { restarts } = await job.statusToBe('a disruption more', (status) => status.disruptionCount === times);
      const message = (await job.condition('Restarting'))?.message ?? '';
      expect(message).toMatch(expected);
      if (times > 1) {
        const dueMs = Date.parse(/is restarted at (\S+Z)/.exec(message)?.[1] ?? '');
        const { lastFailureTime = '' } = restarts?.find((record) => record.lastFailureTime !== undefined) ?? {};
        expect(dueMs - Date.parse(lastFailureTime)).toBe(10_000 * (times - 1));
        fixture.clock.advance(10_000 * (times - 1) + 1000);
      }
      await job.recreated(pod, uid);
      await fixture.report(pod, running(fixture.framework.containerName));
      await job.stateToBe('Running');
      expect(await counts(job)).toEqual({ restartCount: 0, disruptionCount: times });
    }
    await fixture.countersToBe({ restarted: 3 });
    await fixture.metrics.restartCausesToBe({ [cause]: 3 });
  },
});

interface Failure {
  readonly name: string;
  readonly concern?: Concern;
  readonly policy: RestartPolicy;
  readonly report: Report;
  readonly message: RegExp;
  /** The cause in the metric of restarts. Default: `ProgramFailed`. */
  readonly cause?: 'ProgramFailed' | 'OutOfMemory';
  readonly end: 'recreated' | 'Failed';
}

const FAILURES: readonly Failure[] = [
  {
    name: 'killed for lack of memory (OOMKilled, 137) under ExitCode: recreated, counted and reported',
    policy: 'ExitCode',
    report: (container) => failed(container, 137, 'OOMKilled'),
    message: /exit code 137 \(OOMKilled\)/,
    cause: 'OutOfMemory',
    end: 'recreated',
  },
  {
    name: 'killed for lack of memory (OOMKilled, 137) under Never: the job fails with that message',
    policy: 'Never',
    report: (container) => failed(container, 137, 'OOMKilled'),
    message: /exit code 137 \(OOMKilled\)/,
    end: 'Failed',
  },
  {
    name: 'failed with an unknown exit code under ExitCode: recreated',
    policy: 'ExitCode',
    report: failedUnseen,
    message: /is restarting/,
    end: 'recreated',
  },
  {
    name: 'failed with an unknown exit code under Never: the job fails',
    policy: 'Never',
    report: failedUnseen,
    message: /failed/,
    end: 'Failed',
  },
  {
    name: 'evicted for its own use of disk under Never: the job fails with that message',
    policy: 'Never',
    report: evictedForItsOwnUse,
    message: /Evicted: Usage of EmptyDir volume "scratch" exceeds the limit "1Gi"/,
    end: 'Failed',
  },
  {
    name: 'evicted for its own use of disk under OnFailure: recreated, counted as a failure of the program',
    policy: 'OnFailure',
    report: evictedForItsOwnUse,
    message: /Evicted: Usage of EmptyDir volume "scratch" exceeds the limit "1Gi"/,
    end: 'recreated',
  },
  {
    name: 'failed as a whole under OnFailure: recreated',
    concern: 'restarts',
    policy: 'OnFailure',
    report: (container) => failed(container, 1),
    message: /exit code 1 /,
    end: 'recreated',
  },
];

const failing = ({
  name,
  concern = 'engine',
  policy,
  report,
  message: expected,
  cause = 'ProgramFailed',
  end,
}: Failure): ConformanceCase => ({
  name,
  concern,
  async play(fixture) {
    const job = await fixture.job({ restartPolicy: policy });
    await job.run();
    const pod = lastOf(job);
    const uid = await uidOf(job, pod);
    await fixture.report(pod, report(fixture.framework.containerName));
    const type = end === 'Failed' ? 'Failed' : 'Restarting';
    await job.stateToBe(type);
    expect((await job.condition(type))?.message).toMatch(expected);
    if (end === 'Failed') {
      expect((await job.status()).completionTime).toBeDefined();
      await fixture.settled();
      expect(await uidOf(job, pod)).toBe(uid);
      await fixture.countersToBe({ failed: 1 });
    } else {
      await job.recreated(pod, uid);
      expect(await counts(job)).toEqual({ restartCount: 1, disruptionCount: 0 });
      await fixture.countersToBe({ restarted: 1 });
      await fixture.metrics.restartCausesToBe({ [cause]: 1 });
    }
  },
});

/** A success is counted some seconds later. Before that, only the operator that observed the deletion knows of it. */
function deletedAfterSuccess(success: 'counted' | 'not counted'): ConformanceCase {
  const isCounted = success === 'counted';
  return {
    name: `deleted after it has succeeded (${success}): not recreated, and the job succeeds without it`,
    concern: 'outcome',
    async play(fixture) {
      const job = await fixture.job({ workers: 2 });
      await job.run();
      const done = job.deciding.at(-1) ?? '';
      await fixture.report(done, succeeded(fixture.framework.containerName));
      if (isCounted) {
        await job.statusToBe('a succeeded replica', ({ replicaStatuses = {}, state }) => {
          return state === 'Succeeded' || Object.values(replicaStatuses).some((role) => (role.succeeded ?? 0) > 0);
        });
      }
      await job.deletePod(done);
      await fixture.settled();
      if (isCounted) await fixture.restartOperator();
      await fixture.settled();
      // If it was the only deciding pod, the job has ended.
      const left = job.deciding.length === 1 ? job.lasting : job.pods;
      await job.podsToBe(left.filter((pod) => pod !== done));
      const others = job.deciding.filter((pod) => pod !== done);
      await Promise.all(others.map((pod) => fixture.report(pod, succeeded(fixture.framework.containerName))));
      await job.stateToBe('Succeeded');
      await fixture.countersToBe({ successful: 1 });
    },
  };
}

export const podLossCases: readonly ConformanceCase[] = [
  deletedByUser('engine', 'pending', (job) => job.podsToBe()),
  deletedByUser('restarts', 'running', (job) => job.run()),
  deletedAfterSuccess('counted'),
  deletedAfterSuccess('not counted'),
  ...RESTART_POLICIES.map((policy) => disrupted(EVICTED, policy)),
  disrupted(PREEMPTED, 'Never'),
  disrupted(PREEMPTED, 'ExitCode'),
  ...RESTART_POLICIES.map((policy) => disrupted(REFUSED, policy)),
  ...FAILURES.map(failing),
  {
    name: 'stuck in deletion on a lost node: emitted once after some time, and recreated only after it is gone',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ finalizers: [FINALIZER] });
      await job.run();
      const pod = lastOf(job);
      const uid = await uidOf(job, pod);
      await job.deletePod(pod);
      await fixture.settled();
      expect((await job.events()).PodStuckTerminating).toBeUndefined();
      fixture.clock.advance(180_000);
      await job.eventToBe('PodStuckTerminating');
      fixture.clock.advance(180_000);
      await fixture.settled();
      expect((await job.events()).PodStuckTerminating).toBe(1);
      expect((await job.livePods()).map(({ metadata }) => metadata?.uid)).toContain(uid);
      expect(await job.livePods()).toHaveLength(job.pods.length);
      await fixture.removeFinalizer(PODS, pod);
      await job.recreated(pod, uid);
      await job.run();
      expect(await counts(job)).toEqual({ restartCount: 0, disruptionCount: 0 });
      for (const name of job.pods) await fixture.removeFinalizer(PODS, name);
    },
  },
  {
    name: 'deleted by the cluster with its lost node: recreated when it is gone, and counted once, as a disruption',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({
        restartPolicy: 'Never',
        runPolicy: { backoffLimit: 0 },
        finalizers: [FINALIZER],
      });
      await job.run();
      const pod = lastOf(job);
      const uid = await uidOf(job, pod);
      // The order of the node lifecycle controller.
      await fixture.report(pod, onLostNode(fixture.framework.containerName));
      await job.deletePod(pod);
      await job.statusToBe('a disruption', ({ disruptionCount }) => disruptionCount === 1);
      await fixture.restartOperator();
      await fixture.settled();
      await fixture.removeFinalizer(PODS, pod);
      await job.recreated(pod, uid);
      await job.run();
      expect(await counts(job)).toEqual({ restartCount: 0, disruptionCount: 1 });
      await fixture.countersToBe({ restarted: 1 });
      await fixture.metrics.restartCausesToBe({ ClusterEnded: 1 });
      for (const name of job.pods) await fixture.removeFinalizer(PODS, name);
    },
  },
];
