import { expect } from 'vitest';
import type { Concern } from './concern.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { failed, running, succeeded } from './pod-report.ts';
import type { Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

function deadlineMessage({ framework }: Fixture, { name }: TestJob): string {
  return framework.deadline?.message ?? `Job ${name} has failed because it was active longer than specified deadline`;
}
const HOUR_MS = 3_600_000;

/** Triggers a reconcile run. Changes the job, because a pod may be deleted already. */
async function touch(job: TestJob): Promise<void> {
  await job.patch({ metadata: { annotations: { 'example.com/touched': 'yes' } } });
}

const deadline = (concern: Concern, how: string, before: (fixture: Fixture) => Promise<void>): ConformanceCase => ({
  name: `activeDeadlineSeconds ends a job in time, ${how}`,
  concern,
  async play(fixture) {
    const job = await fixture.job({ runPolicy: { activeDeadlineSeconds: 3600 } });
    await job.run();
    fixture.clock.advance(HOUR_MS / 2);
    await before(fixture);
    await fixture.settled();
    expect((await job.status()).state).toBe('Running');
    fixture.clock.advance(HOUR_MS / 2);
    const { completionTime } = await job.stateToBe('Failed');
    expect(completionTime).toBeDefined();
    expect((await job.condition('Failed'))?.message).toContain(deadlineMessage(fixture, job));
    await job.podsToBe(fixture.framework.deadline?.podsLeft(job.name) ?? []);
    await fixture.settled();
    await fixture.countersToBe({ failed: 1 });
  },
});

const timeToLive = (
  concern: Concern,
  seconds: number,
  how: string,
  between: (fixture: Fixture) => Promise<void>,
): ConformanceCase => ({
  name: `ttlSecondsAfterFinished ${seconds} deletes a finished job with all its objects, ${how}`,
  concern,
  async play(fixture) {
    const job = await fixture.job({ runPolicy: { ttlSecondsAfterFinished: seconds } });
    await job.run();
    if (seconds === 0) {
      await Promise.all(job.deciding.map((pod) => fixture.report(pod, succeeded(fixture.framework.containerName))));
    } else {
      await job.succeed();
      fixture.clock.advance(seconds * 500);
      await fixture.settled();
      await job.podsToBe(job.lasting);
      await between(fixture);
      fixture.clock.advance(seconds * 500 + 1000);
    }
    await job.toBeGone();
    await job.noChildren();
    await fixture.countersToBe({ successful: 1, deleted: 1 });
  },
});

const nothing = () => Promise.resolve();

export const limitCases: readonly ConformanceCase[] = [
  deadline('lifecycle', 'by a timer, without another event', nothing),
  deadline('engine', 'also when the operator is restarted before', (fixture) => fixture.restartOperator()),
  {
    name: 'activeDeadlineSeconds ends a job as soon as an operator runs, if it passed while none did',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ runPolicy: { activeDeadlineSeconds: 3600 } });
      await job.run();
      await fixture.stopOperators();
      fixture.clock.advance(HOUR_MS + 1000);
      await fixture.startOperator();
      await job.stateToBe('Failed');
      await fixture.countersToBe({ failed: 1 });
    },
  },
  {
    name: 'a deadline ends running pods: a pod that has failed before is kept with its log, and its cause is named',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'ExitCode', runPolicy: { activeDeadlineSeconds: 3600 } });
      await job.run();
      const [pod = ''] = job.workerPods;
      await job.failAgainAndAgain(pod);
      fixture.clock.advance(HOUR_MS);
      await job.stateToBe('Failed');
      const message = (await job.condition('Failed'))?.message ?? '';
      expect(message).toContain(deadlineMessage(fixture, job));
      expect(message).toContain(`First: pod ${pod}`);
      await job.podsToBe([pod]);
    },
  },
  {
    name: 'startDeadlineSeconds ends a job whose replicas do not all run in time, with its pods',
    concern: 'lifecycle',
    async play(fixture) {
      const job = await fixture.job({ runPolicy: { startDeadlineSeconds: 3600 } });
      await job.podsToBe(job.first);
      await fixture.reportRunning(job.workerPods.slice(1));
      fixture.clock.advance(HOUR_MS / 2);
      await fixture.settled();
      expect((await job.status()).state).not.toBe('Failed');
      fixture.clock.advance(HOUR_MS / 2);
      const { completionTime } = await job.stateToBe('Failed');
      expect(completionTime).toBeDefined();
      const { reason, message } = (await job.condition('Failed')) ?? {};
      expect(reason).toBe('StartDeadlineExceeded');
      expect(message).toContain(
        `ran within 3600 s (spec.runPolicy.startDeadlineSeconds): 1 of ${job.pods.length} run.`,
      );
      await job.podsToBe([]);
      await fixture.settled();
      await fixture.countersToBe({ failed: 1 });
    },
  },
  {
    name: 'startDeadlineSeconds does not end a job whose replicas have all run, also when one is lost and the operator is restarted',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ runPolicy: { startDeadlineSeconds: 3600 } });
      await job.run();
      const [pod = ''] = job.workerPods;
      const { metadata: { uid = '' } = {} } = await job.pod(pod);
      await job.deletePod(pod);
      await job.recreated(pod, uid);
      await fixture.restartOperator();
      fixture.clock.advance(2 * HOUR_MS);
      await touch(job);
      await fixture.settled();
      expect((await job.status()).state).not.toBe('Failed');
      await job.run();
    },
  },
  timeToLive('lifecycle', 600, 'by a timer', nothing),
  timeToLive('engine', 600, 'also when the operator is restarted before', (fixture) => fixture.restartOperator()),
  timeToLive('engine', 0, 'at once', nothing),
  {
    name: 'a time to live that is extended in time keeps the job',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ runPolicy: { ttlSecondsAfterFinished: 600 } });
      await job.run();
      await job.succeed();
      await job.change(job.workers, { runPolicy: { ttlSecondsAfterFinished: 6000 } });
      await fixture.settled();
      fixture.clock.advance(1_000_000);
      await fixture.settled();
      expect((await job.status()).state).toBe('Succeeded');
      fixture.clock.advance(6_000_000);
      await job.toBeGone();
    },
  },
  {
    name: 'a clock that is set forward past the deadline ends the job in the next reconcile run',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ runPolicy: { activeDeadlineSeconds: 3600 } });
      await job.run();
      fixture.clock.shiftWall(2 * HOUR_MS);
      await touch(job);
      await job.stateToBe('Failed');
      expect((await job.condition('Failed'))?.message).toContain(deadlineMessage(fixture, job));
    },
  },
  {
    name: 'a clock that is set back does not end a job early, delay a restart, or make a count or time negative',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'ExitCode', runPolicy: { activeDeadlineSeconds: 36_000 } });
      await job.run();
      const [pod = ''] = job.workerPods;
      const { containerName } = fixture.framework;
      const first = (await job.pod(pod)).metadata?.uid ?? '';
      await fixture.report(pod, failed(containerName, 137));
      const { metadata: { uid: second = '' } = {} } = await job.recreated(pod, first);
      await fixture.report(pod, running(containerName));
      await job.stateToBe('Running');
      await fixture.report(pod, failed(containerName, 137));
      await job.statusToBe('2 restarts', ({ restartCount }) => restartCount === 2);
      fixture.clock.shiftWall(-HOUR_MS);
      await touch(job);
      await job.recreated(pod, second);
      await job.run();
      const { restartCount, replicaStatuses = {} } = await job.status();
      expect(restartCount).toBe(2);
      expect(Object.values(replicaStatuses).every(({ active = 0 }) => active >= 0)).toBe(true);
      if (!job.isEndless) await job.succeed();
    },
  },
];
