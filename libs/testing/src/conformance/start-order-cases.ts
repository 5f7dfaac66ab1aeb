/** `runPolicy.startOrder`: creation of a role's pods waits for other roles. */
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { failed } from './pod-report.ts';
import type { Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

/** Workers wait until the others are ready. */
async function orderedJob(fixture: Fixture): Promise<{ readonly job: TestJob; readonly leaders: string[] }> {
  const { workerRole, leadingRole = '' } = fixture.framework;
  const job = await fixture.job({
    restartPolicy: 'Never',
    runPolicy: {
      startOrder: [{ role: workerRole, dependsOn: [leadingRole], status: 'Ready' }],
      failurePolicy: { rules: [{ action: 'RestartReplica' }] },
    },
  });
  return { job, leaders: job.pods.filter((pod) => !job.workerPods.includes(pod)) };
}

async function onlyLeaders(fixture: Fixture, job: TestJob, leaders: readonly string[]): Promise<void> {
  await job.podsToBe(leaders);
  await fixture.settled();
  expect(Object.keys(await job.uids()).sort(), 'no worker is there before the leaders are ready').toEqual(
    [...leaders].sort(),
  );
}

export const startOrderCases: readonly ConformanceCase[] = [
  {
    name: 'creates workers only after their dependencies are ready, also over a restart of the operator, and reports that',
    concern: 'startOrder',
    async play(fixture) {
      const { job, leaders } = await orderedJob(fixture);
      await onlyLeaders(fixture, job, leaders);
      expect(await job.eventToBe('WaitingForRole')).toBe(1);
      await fixture.metrics.waitingToBe({ StartOrder: 1 });
      await fixture.restartOperator();
      await onlyLeaders(fixture, job, leaders);
      await fixture.reportRunning(leaders);
      await job.run();
      await fixture.metrics.waitingToBe({});
    },
  },
  {
    name: 'keeps workers when a dependency is recreated, and delays them again when all pods are',
    concern: 'startOrder',
    async play(fixture) {
      const { job, leaders } = await orderedJob(fixture);
      await job.podsToBe(leaders);
      await fixture.reportRunning(leaders);
      await job.run();
      const before = await job.uids();
      const [leader = ''] = leaders;
      await fixture.report(leader, failed(fixture.framework.containerName, 137));
      await job.recreated(leader, before[leader] ?? '');
      await fixture.settled();
      const after = await job.uids();
      expect(job.workerPods.map((pod) => after[pod])).toEqual(job.workerPods.map((pod) => before[pod]));
      await job.run();
      await job.suspend(true);
      await job.stateToBe('Suspended');
      await job.noChildren();
      await job.suspend(false);
      await onlyLeaders(fixture, job, leaders);
      await fixture.reportRunning(leaders);
      await job.run();
    },
  },
];
