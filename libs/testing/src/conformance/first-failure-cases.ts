/** `status.firstFailure`: the original failure, whatever is reported first and whatever happens to its pod. */
import { type JobFailure } from '@muster/job-api';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { allRecreated } from './failure-policy-cases.ts';
import { failed, unschedulable, waiting } from './pod-report.ts';

const PEER_GONE = 'RuntimeError: Connection closed by peer';

export const firstFailureCases: readonly ConformanceCase[] = [
  {
    name: 'is the pod that failed by itself, although its peers are reported first; it is kept when a policy recreates all pods',
    concern: 'restarts',
    async play(fixture) {
      const { containerName, workerRole } = fixture.framework;
      const rules = [{ action: 'RestartJob' as const }];
      const job = await fixture.job({ restartPolicy: 'Never', runPolicy: { failurePolicy: { rules } } });
      await job.run();
      const before = await job.uids();
      const cause = job.workerPods.at(-1) ?? '';
      const fell = job.pods.find((pod) => pod !== cause) ?? '';
      await fixture.stopOperators();
      await fixture.report(fell, failed(containerName, 134, 'Error', PEER_GONE));
      await fixture.report(cause, failed(containerName, 139, 'Error', 'loading the model\nhere'));
      await fixture.startOperator();
      await job.statusToBe('the cause on record', ({ firstFailure }) => firstFailure?.pod === cause);
      await job.statusToBe('attempt 1', ({ attempt }) => attempt === 1);
      await fixture.restartOperator();
      await allRecreated(fixture, job, before);
      const { firstFailure, failures } = await job.status();
      const expected: Partial<JobFailure> = {
        ...{ role: workerRole, pod: cause, container: containerName, attempt: 0 },
        ...{ class: 'Program', exitCode: 139, signal: 'SIGSEGV', message: 'loading the model\nhere' },
      };
      expect(firstFailure).toMatchObject(expected);
      expect(failures).toBeUndefined();

      await fixture.report(cause, failed(containerName, 137, 'OOMKilled'));
      const later = await job.statusToBe('another failure', (status) => status.firstFailure?.class === 'OutOfMemory');
      expect(later.firstFailure).toMatchObject({ pod: cause, attempt: 1, reason: 'OOMKilled' });
      expect(later.failures).toEqual([firstFailure]);
    },
  },
  {
    name: 'is a pod that the kubelet cannot start, until it can, but not a pod that waits for a node',
    concern: 'engine',
    async play(fixture) {
      const { containerName, workerRole } = fixture.framework;
      const job = await fixture.job();
      await job.podsToBe();
      const pod = job.workerPods.at(-1) ?? '';
      await fixture.report(pod, unschedulable('0/3 nodes are available'));
      const waits = await job.statusToBe('Waiting', ({ conditions = [] }) =>
        conditions.some(
          ({ type, status, reason }) => type === 'Waiting' && status === 'True' && reason === 'Unschedulable',
        ),
      );
      expect(waits.firstFailure).toBeUndefined();
      await fixture.report(
        pod,
        waiting(containerName, 'ImagePullBackOff', 'Back-off pulling image "nowhere.example/a:1"'),
      );
      const { firstFailure } = await job.statusToBe('the pod on record', (status) => status.firstFailure !== undefined);
      expect(firstFailure).toMatchObject({
        ...{ role: workerRole, pod, class: 'Image', reason: 'ImagePullBackOff', container: containerName },
        message: 'Back-off pulling image "nowhere.example/a:1"',
      });
      await job.run();
      await job.statusToBe('nothing on record', (status) => status.firstFailure === undefined);
    },
  },
];
