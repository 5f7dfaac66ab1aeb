import { LABELS, MANAGED_BY_MULTIKUEUE, PODS } from '@muster/job-api';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { failed, succeeded } from './pod-report.ts';

const HOUR_MS = 3_600_000;

export const suspensionCases: readonly ConformanceCase[] = [
  {
    name: 'created suspended: has no pods; starts like a new job when resumed',
    concern: 'lifecycle',
    async play(stage) {
      const job = await stage.job({ runPolicy: { suspend: true } });
      const born = await job.stateToBe('Suspended');
      expect(born.startTime).toBeDefined();
      stage.clock.advance(60_000);
      expect(await job.conditions()).toEqual(['Created=True', 'Suspended=True']);
      await stage.metrics.waitingToBe({ Suspended: 1 });
      await stage.settled();
      await job.noChildren();
      expect(await job.livePods()).toEqual([]);
      await job.suspend(false);
      await job.run();
      await stage.metrics.waitingToBe({});
      const { startTime = '' } = await job.status();
      expect(Date.parse(startTime) - Date.parse(born.startTime ?? '')).toBeGreaterThanOrEqual(60_000);
      expect(await job.conditions()).toEqual(['Created=True', 'Suspended=False', 'Running=True']);
      expect((await job.condition('Suspended'))?.reason).toBe(`${stage.resource.kind}Resumed`);
      const { kind } = stage.resource;
      for (const what of ['Suspended', 'Resumed', 'Running']) {
        expect(await job.eventToBe(`${kind}${what}`), what).toBe(1);
      }
    },
  },
  {
    name: 'suspended while running: deletes pods and Services; restarts without counting a retry when resumed',
    concern: 'lifecycle',
    async play(stage) {
      const job = await stage.job({
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
      stage.clock.advance(60_000);
      await job.suspend(false);
      await job.run();
      const after = await job.status();
      expect(Date.parse(after.startTime ?? '') - Date.parse(startTime)).toBeGreaterThanOrEqual(60_000);
      expect(await job.conditions()).toEqual(['Created=True', 'Suspended=False', 'Running=True']);
      expect(Object.values(await job.uids()).filter((uid) => Object.values(before).includes(uid))).toEqual([]);
      expect(after.restartCount ?? 0).toBe(0);
      await stage.countersToBe({ restarted: 0 });
      await stage.countersToBe({ created: 1 });
    },
  },
  {
    name: 'suspended: neither deadline nor time to live end it, and the deadline counts from when it is resumed',
    concern: 'engine',
    async play(stage) {
      const job = await stage.job({ runPolicy: { activeDeadlineSeconds: 3600, ttlSecondsAfterFinished: 0 } });
      await job.run();
      await job.suspend(true);
      await job.stateToBe('Suspended');
      stage.clock.advance(10 * HOUR_MS);
      await stage.settled();
      expect((await job.status()).state).toBe('Suspended');
      await job.suspend(false);
      await job.run();
      stage.clock.advance(HOUR_MS / 2);
      await stage.settled();
      expect((await job.status()).state).toBe('Running');
      stage.clock.advance(HOUR_MS);
      await job.toBeGone();
      await stage.countersToBe({ failed: 1, deleted: 1 });
      // The marker jobs have no deadline and continue to run.
      await job.noChildren();
    },
  },
  ...(['Succeeded', 'Failed'] as const).map((end): ConformanceCase => ({
    name: `suspended after its pods ended without an operator, and so has ${end}: does not run again`,
    concern: 'ownedResources',
    also: ['kinds that own jobs'],
    async play(stage) {
      const job = await stage.job({ restartPolicy: 'Never', runPolicy: { backoffLimit: 0 } });
      await job.run();
      const uids = await job.uids();
      await stage.stopOperators();
      const { containerName } = stage.framework;
      const [worker = ''] = job.workerPods;
      if (end === 'Failed') await stage.report(worker, failed(containerName, 1, 'Error', 'no such file'));
      else await Promise.all(job.deciding.map((pod) => stage.report(pod, succeeded(containerName))));
      await job.suspend(true);
      await stage.startOperator();
      const { completionTime } = await job.stateToBe(end);
      expect(completionTime).toBeDefined();
      if (end === 'Failed') expect((await job.condition('Failed'))?.message).toContain('no such file');
      await job.suspend(false);
      await stage.settled();
      expect((await job.status()).state).toBe(end);
      for (const [pod, uid] of Object.entries(await job.uids())) expect(uids[pod]).toBe(uid);
      await stage.countersToBe(end === 'Failed' ? { failed: 1 } : { successful: 1 });
    },
  })),
  {
    name: 'suspended after its end: does not change',
    concern: 'ownedResources',
    async play(stage) {
      const job = await stage.job();
      await job.run();
      await job.succeed();
      await job.suspend(true);
      await stage.settled();
      expect((await job.status()).state).toBe('Succeeded');
      await job.podsToBe(job.lasting);
    },
  },
  {
    name: 'managed by another controller: ignored, with its status and with pods that have its labels',
    concern: 'lifecycle',
    async play(stage) {
      const job = stage.plan({ runPolicy: { managedBy: MANAGED_BY_MULTIKUEUE } });
      await job.create();
      const conditions = [{ type: 'Running', status: 'True', reason: 'Elsewhere', message: 'in another cluster' }];
      const { metadata } = await job.patchStatus({ conditions });
      const { jobLabel = LABELS.jobName } = stage.framework;
      await stage.client.create(PODS, {
        metadata: {
          name: job.pods[0] ?? '',
          namespace: stage.namespace,
          labels: { [jobLabel]: job.name, [LABELS.operatorName]: stage.framework.operatorName },
        },
        spec: { schedulerName: 'absent', containers: [{ name: 'c', image: 'registry.example/x:1' }] },
      });
      await stage.settled();
      await stage.restartOperator();
      await stage.settled();
      const after = await job.get();
      expect(after.metadata?.resourceVersion).toBe(metadata?.resourceVersion);
      const pods = await job.livePods();
      expect(pods.map((pod) => pod.metadata?.ownerReferences)).toEqual([undefined]);
      expect(await job.events()).toEqual({});
      await stage.countersToBe({ created: 2 });
    },
  },
];
