import { ANNOTATIONS } from '@muster/job-api';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { failed, heldUpBySidecar, running } from './pod-report.ts';
import type { Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

const REACHED = 'has failed because it has reached the specified backoff limit';

/** Fails the pod, waits for its successor, and reports that as running. */
async function failAndRunAgain(fixture: Fixture, job: TestJob, pod: string, exitCode: number): Promise<void> {
  const { containerName } = fixture.framework;
  const uid = (await job.pod(pod)).metadata?.uid ?? '';
  await fixture.report(pod, failed(containerName, exitCode));
  await job.recreated(pod, uid);
  await fixture.report(pod, running(containerName));
}

const withSidecar = (fixture: Fixture) => ({
  containers: [fixture.framework.containerName, 'sidecar'].map((name) => ({ name, image: 'registry.example/x:1' })),
});

export const restartCases: readonly ConformanceCase[] = [
  {
    name: 'a replica that runs again has no record in the status: its pod has the count of failures, for any operator',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ workers: 3 });
      await job.run();
      const [first = '', second = ''] = job.workerPods;
      await failAndRunAgain(fixture, job, first, 137);
      await job.statusToBe(
        'no record of restarts',
        ({ state, restarts }) => state === 'Running' && restarts?.length === 0,
      );
      expect((await job.pod(first)).metadata?.annotations?.[ANNOTATIONS.failures]).toBe('1');
      expect((await job.pod(second)).metadata?.annotations ?? {}).not.toHaveProperty(ANNOTATIONS.failures);
      await fixture.restartOperator();
      await fixture.report(first, failed(fixture.framework.containerName, 137));
      const { restarts } = await job.statusToBe('2 restarts', ({ restartCount }) => restartCount === 2);
      expect(restarts).toMatchObject([{ replaced: true, failures: 2 }]);
      await fixture.countersToBe({ restarted: 2 });
    },
  },
  {
    name: 'container restarts by the kubelet are counted once each, also over a restart of the operator',
    concern: 'restarts',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'OnFailure' });
      await job.run();
      const [first = '', second = ''] = job.workerPods;
      const { containerName } = fixture.framework;
      await fixture.report(first, running(containerName, 2));
      await fixture.report(second, running(containerName, 1));
      await job.statusToBe('3 restarts', ({ restartCount }) => restartCount === 3);
      await fixture.restartOperator();
      await fixture.report(first, running(containerName, 3));
      await job.statusToBe('4 restarts', ({ restartCount }) => restartCount === 4);
      await fixture.settled();
      expect((await job.status()).restartCount).toBe(4);
      await fixture.countersToBe({ restarted: 4 });
      await fixture.metrics.restartCausesToBe({ ProgramFailed: 4 });
      expect((await job.conditions()).at(-1)).toBe('Running=True');
    },
  },
  {
    name: 'backoffLimit ends the job at the container restart beyond it',
    concern: 'lifecycle',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'OnFailure', runPolicy: { backoffLimit: 2 } });
      await job.run();
      const [pod = ''] = job.workerPods;
      await fixture.report(pod, running(fixture.framework.containerName, 2));
      await job.statusToBe('2 restarts', ({ restartCount }) => restartCount === 2);
      await fixture.settled();
      expect((await job.status()).state).toBe('Running');
      await fixture.report(pod, running(fixture.framework.containerName, 3));
      const { completionTime, conditions } = await job.stateToBe('Failed');
      expect(completionTime).toBeDefined();
      expect(conditions?.at(-1)?.message).toContain(`Job ${job.name} ${REACHED}`);
      await job.podsToBe([]);
    },
  },
  {
    name: 'backoffLimit counts recreated pods over deletions of pods and restarts of operators, and names the first cause',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'ExitCode', runPolicy: { backoffLimit: 2 } });
      await job.run();
      const [first = '', second = ''] = job.workerPods;
      await failAndRunAgain(fixture, job, first, 137);
      await fixture.restartOperator();
      await failAndRunAgain(fixture, job, second, 143);
      await job.statusToBe('2 restarts', ({ restartCount }) => restartCount === 2);
      const uid = (await job.pod(second)).metadata?.uid;
      fixture.clock.advance(700_000);
      await fixture.report(second, failed(fixture.framework.containerName, 139, 'Error', 'segmentation fault'));
      await job.stateToBe('Failed');
      const message = (await job.condition('Failed'))?.message ?? '';
      expect(message).toContain(`Job ${job.name} ${REACHED}`);
      expect(message).toContain(`pod ${second}, container ${fixture.framework.containerName}: exit code 139`);
      expect(message).toContain('segmentation fault');
      // The failed pod keeps its log; the running one is deleted.
      await job.podsToBe([second]);
      expect((await job.pod(second)).metadata?.uid).toBe(uid);
      expect((await job.status()).restartCount).toBe(2);
      await fixture.countersToBe({ restarted: 2 });
      await fixture.countersToBe({ failed: 1 });
    },
  },
  {
    name: 'ExitCode: retries after exit code 130, and ends the job with completionTime after 1',
    concern: 'restarts',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'ExitCode' });
      await job.run();
      const [first = '', second = ''] = job.workerPods;
      await failAndRunAgain(fixture, job, first, 130);
      await job.stateToBe('Running');
      await fixture.report(second, failed(fixture.framework.containerName, 1, 'Error', 'no such file'));
      const { completionTime, conditions } = await job.stateToBe('Failed');
      expect(completionTime).toBeDefined();
      const ends = conditions?.filter(({ type, status }) => status === 'True' && /Succeeded|Failed/.test(type));
      expect(ends).toHaveLength(1);
      expect(conditions?.some(({ type, status }) => type === 'Restarting' && status === 'True')).toBe(false);
      expect(conditions?.at(-1)?.message).toContain('exit code 1 (Error): no such file');
    },
  },
  {
    name: 'Never: the first failure ends the job, and the failed pod is kept with its log',
    concern: 'outcome',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'Never' });
      await job.run();
      const [pod = ''] = job.workerPods;
      const uids = await job.uids();
      await fixture.report(pod, failed(fixture.framework.containerName, 137));
      await job.stateToBe('Failed');
      await fixture.settled();
      expect((await job.uids())[pod]).toBe(uids[pod]);
      expect((await job.status()).restartCount ?? 0).toBe(0);
    },
  },
  {
    name: 'a sidecar that still runs after the main container succeeded does not keep the job running',
    concern: 'outcome',
    async play(fixture) {
      const job = await fixture.job({ podSpec: withSidecar(fixture) });
      await job.run();
      const done = heldUpBySidecar(fixture.framework.containerName, 'sidecar', 0);
      await Promise.all(job.deciding.map((pod) => fixture.report(pod, done)));
      await job.stateToBe('Succeeded');
      await fixture.countersToBe({ successful: 1 });
    },
  },
  {
    name: 'a sidecar that still runs after the main container failed for good does not keep the job running',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'ExitCode', podSpec: withSidecar(fixture) });
      await job.run();
      await fixture.report(job.workerPods[0] ?? '', heldUpBySidecar(fixture.framework.containerName, 'sidecar', 3));
      await job.stateToBe('Failed');
      expect((await job.condition('Failed'))?.message).toContain('exit code 3');
    },
  },
  {
    name: 'a replica that fails again waits for its back-off, reports its end, and is recreated then',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'ExitCode' });
      await job.run();
      const [pod = ''] = job.workerPods;
      await failAndRunAgain(fixture, job, pod, 137);
      await job.stateToBe('Running');
      const uid = (await job.pod(pod)).metadata?.uid ?? '';
      await fixture.report(pod, failed(fixture.framework.containerName, 137));
      const { restarts } = await job.statusToBe('2 restarts', ({ restartCount }) => restartCount === 2);
      const message = (await job.condition('Restarting'))?.message ?? '';
      expect(message).toMatch(
        new RegExp(
          `${await fixture.podName(pod)} failed 2 times in a row and is restarted at \\d{4}-\\d\\d-\\d\\dT[\\d:]+Z`,
        ),
      );
      const dueMs = Date.parse(/restarted at (\S+Z)/.exec(message)?.[1] ?? '');
      const { lastFailureTime = '' } = restarts?.find(({ failures }) => failures === 2) ?? {};
      expect(dueMs - Date.parse(lastFailureTime)).toBe(10_000);
      await fixture.restartOperator();
      await fixture.settled();
      const uids = await job.uids();
      // On a very slow machine the back-off has already ended.
      if (fixture.clock.now() < dueMs) expect(uids[pod]).toBe(uid);
      fixture.clock.advance(11_000);
      await job.recreated(pod, uid);
      await job.run();
      expect((await job.status()).restartCount).toBe(2);
    },
  },
  {
    name: 'a replica that fails after running for ten minutes is recreated at once: its failures are not in a row',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'ExitCode' });
      await job.run();
      const [pod = ''] = job.workerPods;
      await failAndRunAgain(fixture, job, pod, 137);
      await job.stateToBe('Running');
      fixture.clock.advance(601_000);
      await failAndRunAgain(fixture, job, pod, 137);
      await job.stateToBe('Running');
      expect((await job.status()).restartCount).toBe(2);
    },
  },
];
