/** `runPolicy.startOrder`: creation of a role's pods waits for other roles. */
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { failed } from './pod-report.ts';
import type { Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

/** Workers wait until the others are ready. */
async function orderedJob(stage: Fixture): Promise<{ readonly job: TestJob; readonly leaders: string[] }> {
  const { workerRole, leadingRole = '' } = stage.framework;
  const job = await stage.job({
    restartPolicy: 'Never',
    runPolicy: {
      startOrder: [{ role: workerRole, dependsOn: [leadingRole], status: 'Ready' }],
      failurePolicy: { rules: [{ action: 'RestartReplica' }] },
    },
  });
  return { job, leaders: job.pods.filter((pod) => !job.workerPods.includes(pod)) };
}

async function onlyLeaders(stage: Fixture, job: TestJob, leaders: readonly string[]): Promise<void> {
  await job.podsToBe(leaders);
  await stage.settled();
  expect(Object.keys(await job.uids()).sort(), 'no worker is there before the leaders are ready').toEqual(
    [...leaders].sort(),
  );
}

export const startOrderCases: readonly ConformanceCase[] = [
  {
    name: 'creates workers only after their dependencies are ready, also over a restart of the operator, and reports that',
    concern: 'startOrder',
    async play(stage) {
      const { job, leaders } = await orderedJob(stage);
      await onlyLeaders(stage, job, leaders);
      expect(await job.eventToBe('WaitingForRole')).toBe(1);
      await stage.metrics.waitingToBe({ StartOrder: 1 });
      await stage.restartOperator();
      await onlyLeaders(stage, job, leaders);
      await stage.reportRunning(leaders);
      await job.run();
      await stage.metrics.waitingToBe({});
    },
  },
  {
    name: 'keeps workers when a dependency is recreated, and delays them again when all pods are',
    concern: 'startOrder',
    async play(stage) {
      const { job, leaders } = await orderedJob(stage);
      await job.podsToBe(leaders);
      await stage.reportRunning(leaders);
      await job.run();
      const before = await job.uids();
      const [leader = ''] = leaders;
      await stage.report(leader, failed(stage.framework.containerName, 137));
      await job.recreated(leader, before[leader] ?? '');
      await stage.settled();
      const after = await job.uids();
      expect(job.workerPods.map((pod) => after[pod])).toEqual(job.workerPods.map((pod) => before[pod]));
      await job.run();
      await job.suspend(true);
      await job.stateToBe('Suspended');
      await job.noChildren();
      await job.suspend(false);
      await onlyLeaders(stage, job, leaders);
      await stage.reportRunning(leaders);
      await job.run();
    },
  },
];
