import { LABELS, MANAGED_BY_MULTIKUEUE, PODS } from '@muster/job-api';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { failed, succeeded } from './pod-report.ts';

const HOUR_MS = 3_600_000;

export const suspensionCases: readonly ConformanceCase[] = [
  {
    name: 'created suspended: has no pods; starts like a new job when resumed',
    concern: 'lifecycle',
    async play(fixture) {
      const job = await fixture.job({ runPolicy: { suspend: true } });
      const born = await job.stateToBe('Suspended');
      expect(born.startTime).toBeDefined();
      fixture.clock.advance(60_000);
      expect(await job.conditions()).toEqual(['Created=True', 'Suspended=True']);
      await fixture.metrics.waitingToBe({ Suspended: 1 });
      await fixture.settled();
      await job.noChildren();
      expect(await job.livePods()).toEqual([]);
      await job.suspend(false);
      await job.run();
      await fixture.metrics.waitingToBe({});
      const { startTime = '' } = await job.status();
      expect(Date.parse(startTime) - Date.parse(born.startTime ?? '')).toBeGreaterThanOrEqual(60_000);
      expect(await job.conditions()).toEqual(['Created=True', 'Suspended=False', 'Running=True']);
      expect((await job.condition('Suspended'))?.reason).toBe(`${fixture.resource.kind}Resumed`);
      const { kind } = fixture.resource;
      for (const what of ['Suspended', 'Resumed', 'Running']) {
        expect(await job.eventToBe(`${kind}${what}`), what).toBe(1);
      }
    },
  },
  {
    name: 'suspended while running: deletes pods and Services; restarts without counting a retry when resumed',
    concern: 'lifecycle',
    async play(fixture) {
      const job = await fixture.job({
        restartPolicy: 'ExitCode',
        runPolicy: { backoffLimit: 0, cleanPodPolicy: 'None' },
      });
      await job.run();
      const { startTime = '' } = await job.status();
      const before = await job.uids();
      await job.suspend(true);
      const suspended = await job.stateToBe('Suspended');
      expect(await job.conditions()).toEqual(['Created=True', 'Running=False', 'Suspended=True']);
      expect(Object.values(suspended.replicaStatuses ?? {}).every(({ active }) => active === undefined)).toBe(true);
      await job.noChildren();
      fixture.clock.advance(60_000);
      await job.suspend(false);
      await job.run();
      const after = await job.status();
      expect(Date.parse(after.startTime ?? '') - Date.parse(startTime)).toBeGreaterThanOrEqual(60_000);
      expect(await job.conditions()).toEqual(['Created=True', 'Suspended=False', 'Running=True']);
      expect(Object.values(await job.uids()).filter((uid) => Object.values(before).includes(uid))).toEqual([]);
      expect(after.restartCount ?? 0).toBe(0);
      await fixture.countersToBe({ restarted: 0 });
      await fixture.countersToBe({ created: 1 });
    },
  },
  {
    name: 'suspended: neither deadline nor time to live end it, and the deadline counts from when it is resumed',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ runPolicy: { activeDeadlineSeconds: 3600, ttlSecondsAfterFinished: 0 } });
      await job.run();
      await job.suspend(true);
      await job.stateToBe('Suspended');
      fixture.clock.advance(10 * HOUR_MS);
      await fixture.settled();
      expect((await job.status()).state).toBe('Suspended');
      await job.suspend(false);
      await job.run();
      fixture.clock.advance(HOUR_MS / 2);
      await fixture.settled();
      expect((await job.status()).state).toBe('Running');
      fixture.clock.advance(HOUR_MS);
      await job.toBeGone();
      await fixture.countersToBe({ failed: 1, deleted: 1 });
      // The marker jobs have no deadline and continue to run.
      await job.noChildren();
    },
  },
  ...(['Succeeded', 'Failed'] as const).map((end): ConformanceCase => ({
    name: `suspended after its pods ended without an operator, and so has ${end}: does not run again`,
    concern: 'ownedResources',
    also: ['kinds that own jobs'],
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'Never', runPolicy: { backoffLimit: 0 } });
      await job.run();
      const uids = await job.uids();
      await fixture.stopOperators();
      const { containerName } = fixture.framework;
      const [worker = ''] = job.workerPods;
      if (end === 'Failed') await fixture.report(worker, failed(containerName, 1, 'Error', 'no such file'));
      else await Promise.all(job.deciding.map((pod) => fixture.report(pod, succeeded(containerName))));
      await job.suspend(true);
      await fixture.startOperator();
      const { completionTime } = await job.stateToBe(end);
      expect(completionTime).toBeDefined();
      if (end === 'Failed') expect((await job.condition('Failed'))?.message).toContain('no such file');
      await job.suspend(false);
      await fixture.settled();
      expect((await job.status()).state).toBe(end);
      for (const [pod, uid] of Object.entries(await job.uids())) expect(uids[pod]).toBe(uid);
      await fixture.countersToBe(end === 'Failed' ? { failed: 1 } : { successful: 1 });
    },
  })),
  {
    name: 'suspended after its end: does not change',
    concern: 'ownedResources',
    async play(fixture) {
      const job = await fixture.job();
      await job.run();
      await job.succeed();
      await job.suspend(true);
      await fixture.settled();
      expect((await job.status()).state).toBe('Succeeded');
      await job.podsToBe(job.lasting);
    },
  },
  {
    name: 'managed by another controller: ignored, with its status and with pods that have its labels',
    concern: 'lifecycle',
    async play(fixture) {
      const job = fixture.plan({ runPolicy: { managedBy: MANAGED_BY_MULTIKUEUE } });
      await job.create();
      const conditions = [{ type: 'Running', status: 'True', reason: 'Elsewhere', message: 'in another cluster' }];
      const { metadata } = await job.patchStatus({ conditions });
      const { jobLabel = LABELS.jobName } = fixture.framework;
      await fixture.client.create(PODS, {
        metadata: {
          name: job.pods[0] ?? '',
          namespace: fixture.namespace,
          labels: { [jobLabel]: job.name, [LABELS.operatorName]: fixture.framework.operatorName },
        },
        spec: { schedulerName: 'absent', containers: [{ name: 'c', image: 'registry.example/x:1' }] },
      });
      await fixture.settled();
      await fixture.restartOperator();
      await fixture.settled();
      const after = await job.get();
      expect(after.metadata?.resourceVersion).toBe(metadata?.resourceVersion);
      const pods = await job.livePods();
      expect(pods.map((pod) => pod.metadata?.ownerReferences)).toEqual([undefined]);
      expect(await job.events()).toEqual({});
      await fixture.countersToBe({ created: 2 });
    },
  },
];
