import { ANNOTATIONS, LABELS, PODS, type FailurePolicyRule } from '@muster/job-api';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { failed, preempted, restartable, running } from './pod-report.ts';
import { FINALIZER, type Fixture } from './fixture.ts';
import type { TestJob, TestJobShape } from './test-job.ts';

const policyJob = (fixture: Fixture, rules: FailurePolicyRule[], { runPolicy, ...more }: TestJobShape = {}) =>
  fixture.job({ restartPolicy: 'Never', ...more, runPolicy: { ...runPolicy, failurePolicy: { rules } } });

/** The last worker: no peer connects to it. */
const lastOf = (job: TestJob) => job.workerPods.at(-1) ?? '';

/** Waits until no pod with one of these UIDs is left and all pods of the job exist. Fails if two attempts overlap. */
export async function allRecreated(
  fixture: Fixture,
  job: TestJob,
  before: Readonly<Record<string, string>>,
): Promise<void> {
  const old = new Set(Object.values(before));
  await fixture.until(
    async () => {
      await job.endTerminating();
      const pods = await job.livePods();
      const left = pods.filter(({ metadata }) => old.has(metadata?.uid ?? ''));
      if (left.length > 0) expect(pods.length - left.length, 'pods of the new attempt beside those of the old').toBe(0);
      return left.length === 0 && pods.length > 0;
    },
    async () => ({ expected: 'no pod of the attempt before', before, now: await job.uids() }),
  );
  await job.run();
}

const restartsTheJob = (which: string, failing: (job: TestJob) => string): ConformanceCase => ({
  name: `RestartJob: recreates all pods when ${which} fails, counted once, also over a restart of the operator`,
  concern: 'restarts',
  async play(fixture) {
    const { containerName } = fixture.framework;
    const job = await policyJob(fixture, [{ name: 'all', action: 'RestartJob' }], { runPolicy: { backoffLimit: 1 } });
    await job.run();
    const before = await job.uids();
    await fixture.report(failing(job), failed(containerName, 1, 'Error', 'lost my peers'));
    const { attempt } = await job.statusToBe('attempt 1', (status) => status.attempt === 1);
    expect(attempt).toBe(1);
    const message = (await job.condition('Restarting'))?.message ?? '';
    expect(message).toContain('is restarting all pods of the job (attempt 1)');
    expect(message).toContain('by rule all of its failure policy');
    expect(message).toContain('exit code 1 (Error): lost my peers');
    await fixture.restartOperator();
    await allRecreated(fixture, job, before);
    expect((await job.status()).restartCount).toBe(1);
    for (const pod of await job.livePods()) expect(pod.metadata?.labels?.[LABELS.attempt]).toBe('1');
    await fixture.report(failing(job), failed(containerName, 1));
    const { conditions } = await job.stateToBe('Failed');
    expect(conditions?.at(-1)?.message).toContain('has reached the specified backoff limit');
  },
});

export const failurePolicyCases: readonly ConformanceCase[] = [
  restartsTheJob('a worker', lastOf),
  restartsTheJob('a deciding pod', (job) => job.deciding[0] ?? ''),
  {
    name: 'RestartJob in place: keeps the pods and marks them, counted once, also over a restart of the operator',
    concern: 'restarts',
    sinceMinor: 36,
    async play(fixture) {
      const { containerName } = fixture.framework;
      const job = await policyJob(fixture, [{ action: 'RestartJob', inPlace: true }], {
        runPolicy: { backoffLimit: 2 },
      });
      await job.run();
      const before = await job.uids();
      for (const pod of job.made) await fixture.report(pod, restartable(containerName));
      await fixture.report(lastOf(job), restartable(containerName, 0, 1));
      const { restartCount } = await job.statusToBe('attempt 1', ({ attempt }) => attempt === 1);
      expect(restartCount).toBe(1);
      expect((await job.condition('Restarting'))?.message).toContain(`${job.made.length} of them in place`);
      const areMarked = async () => {
        const pods = await Promise.all(job.made.map((pod) => job.pod(pod)));
        return pods.every(
          ({ metadata }) =>
            metadata?.annotations?.[ANNOTATIONS.inPlace] !== undefined && metadata.labels?.[LABELS.attempt] === '1',
        );
      };
      await fixture.until(areMarked, async () => ({ expected: 'all pods are marked', now: await job.livePods() }));
      await fixture.restartOperator();
      await job.podsToBe();
      for (const pod of job.pods) {
        await fixture.report(pod, job.made.includes(pod) ? restartable(containerName, 1) : running(containerName));
      }
      const status = await job.statusToBe('it runs', ({ state }) => state === 'Running');
      expect(status).toMatchObject({ restartCount: 1, attempt: 1, firstFailure: { pod: lastOf(job), exitCode: 1 } });
      expect(status.failures).toBeUndefined();
      const after = await job.uids();
      expect(job.made.map((pod) => after[pod])).toEqual(job.made.map((pod) => before[pod]));
    },
  },
  {
    name: 'RestartRole: keeps the pods of the other roles',
    concern: 'restarts',
    async play(fixture) {
      const { workerRole, containerName } = fixture.framework;
      const job = await policyJob(fixture, [{ action: 'RestartRole', roles: [workerRole] }]);
      await job.run();
      const before = await job.uids();
      await fixture.report(lastOf(job), failed(containerName, 1));
      await job.statusToBe('attempt 1 of the role', (status) => status.replicaStatuses?.[workerRole]?.attempt === 1);
      for (const pod of job.workerPods) await job.recreated(pod, before[pod] ?? '');
      await job.run();
      const after = await job.uids();
      const others = job.pods.filter((pod) => !job.workerPods.includes(pod));
      expect(others.map((pod) => after[pod])).toEqual(others.map((pod) => before[pod]));
      expect((await job.status()).restartCount).toBe(1);
    },
  },
  {
    name: 'FailJob: ends the job at once upon an exit code, with the rule and the first failure in its message',
    concern: 'restarts',
    async play(fixture) {
      const { workerRole, containerName } = fixture.framework;
      const onExitCodes = { operator: 'In' as const, values: [2] };
      const bug: FailurePolicyRule = { name: 'bug', action: 'FailJob', roles: [workerRole], onExitCodes };
      const job = await policyJob(fixture, [bug, { action: 'RestartReplica' }], { restartPolicy: 'OnFailure' });
      await job.run();
      const pod = lastOf(job);
      const uid = (await job.pod(pod)).metadata?.uid ?? '';
      await fixture.report(pod, failed(containerName, 1));
      await job.recreated(pod, uid);
      await job.run();
      await fixture.report(pod, failed(containerName, 2, 'Error', 'no such flag'));
      const { restartCount } = await job.stateToBe('Failed');
      expect(restartCount).toBe(1);
      const condition = await job.condition('Failed');
      expect(condition?.reason).toBe('FailurePolicy');
      expect(condition?.message).toContain('by rule bug of its failure policy');
      expect(condition?.message).toContain('exit code 2 (Error): no such flag');
    },
  },
  {
    name: 'Ignore: recreates the pod without counting it',
    concern: 'restarts',
    async play(fixture) {
      const job = await policyJob(fixture, [{ action: 'Ignore', onMessage: ['NCCL*time'] }], {
        runPolicy: { backoffLimit: 0 },
      });
      await job.run();
      const pod = lastOf(job);
      const uid = (await job.pod(pod)).metadata?.uid ?? '';
      await fixture.report(pod, failed(fixture.framework.containerName, 1, 'Error', 'NCCL watchdog: time-out'));
      await job.recreated(pod, uid);
      await job.run();
      expect((await job.status()).restartCount ?? 0).toBe(0);
      expect((await job.status()).disruptionCount ?? 0).toBe(0);
      await fixture.countersToBe({ restarted: 0 });
    },
  },
  {
    name: 'a pod that the cluster preempts and deletes counts as a failure, too, and is recreated after the delay of its rule',
    concern: 'engine',
    async play(fixture) {
      const job = await policyJob(
        fixture,
        [{ action: 'RestartJob', onReasons: ['Preempted'], delaySeconds: 3600, countsTowardsBackoffLimit: true }],
        { finalizers: [FINALIZER] },
      );
      await job.run();
      const pod = lastOf(job);
      // The order of a scheduler.
      const { conditions = [] } = preempted(fixture.framework.containerName);
      await fixture.report(pod, { conditions });
      await job.deletePod(pod);
      const { restartCount, restarts } = await job.statusToBe('attempt 1', ({ attempt }) => attempt === 1);
      expect(restartCount).toBe(1);
      expect(restarts).toMatchObject([{ scope: 'Job', replaced: true, failures: 1, delaySeconds: 3600 }]);
      for (const each of job.pods) await fixture.removeFinalizer(PODS, each);
      await job.podsToBe([]);
      await fixture.settled();
      expect(await job.uids()).toEqual({});
      fixture.clock.advance(3_600_000);
      await job.podsToBe();
      for (const each of job.pods) await fixture.removeFinalizer(PODS, each);
    },
  },
  {
    name: 'onNoProgress: restarts a job without progress, also over a restart of the operator, and names the replica that is behind',
    concern: 'restarts',
    async play(fixture) {
      const { containerName, workerRole } = fixture.framework;
      const ports = [{ name: 'progress', containerPort: 9000 }];
      const job = await policyJob(fixture, [{ action: 'RestartJob', onNoProgress: true }], {
        workers: 2,
        runPolicy: { progressDeadlineSeconds: 600, backoffLimit: 1 },
        podSpec: { containers: [{ name: containerName, image: 'registry.example/train:1', ports }] },
      });
      await job.run();
      const [ahead = '', behind = ''] = job.workerPods.slice(-2);
      await fixture.reportProgress(ahead, 1, { step: 7, percent: 70, metrics: { loss: 0.5 } });
      await fixture.reportProgress(behind, 2, { step: 6 });
      const pod = await fixture.podName(behind);
      await job.statusToBe('followed', ({ progress }) => progress?.lastProgressTime !== undefined);
      fixture.clock.advance(31_000);
      const { progress } = await job.statusToBe('at step 7', (status) => status.progress?.step === 7);
      expect(progress).toMatchObject({ percent: 70, metrics: { loss: 0.5 } });
      const before = await job.uids();
      await fixture.restartOperator();
      await fixture.settled();
      expect(await job.uids()).toEqual(before);
      fixture.clock.advance(600_000);
      const { restartCount } = await job.statusToBe('attempt 1', ({ attempt }) => attempt === 1);
      expect(restartCount).toBe(1);
      const message = (await job.condition('Restarting'))?.message ?? '';
      expect(message).toContain('no progress for 600 s');
      expect(message).toContain(`${pod} (${workerRole} 1) is behind, at step 6; the furthest is at step 7`);
      await job.eventToBe('NoProgress');
      await allRecreated(fixture, job, before);
    },
  },
];
