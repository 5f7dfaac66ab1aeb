/** Takeover of running jobs from kubeflow's training-operator. */
import { JOB_ROLE_MASTER, LABELS, PODS, SERVICES, apiVersionOf, type ObjectMeta } from '@muster/job-api';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { failed, running, succeeded } from './pod-report.ts';
import type { Fixture } from './fixture.ts';
import type { TestJobShape } from './test-job.ts';
import type { TestJob } from './test-job.ts';

const LONG_AGO = '2025-11-03T10:00:00Z';

/** The objects of a running job of kubeflow's operator, release 1.9. */
async function startedByKubeflow(fixture: Fixture, shape: TestJobShape): Promise<TestJob> {
  const job = fixture.plan(shape);
  const { metadata } = await job.create();
  await job.patchStatus(kubeflowStatus(fixture, job));
  const ports = [{ name: 'main', port: 23456, targetPort: 23456 }];
  for (const [at, name] of job.pods.entries()) {
    const labels = kubeflowLabels(fixture, job, name);
    const own = { name, namespace: fixture.namespace, ownerReferences: kubeflowOwners(fixture, metadata) };
    const master = at === 0 ? { [LABELS.jobRole]: JOB_ROLE_MASTER } : {};
    if (fixture.framework.hasOwnNetwork !== true) {
      await fixture.client.create(SERVICES, {
        metadata: { ...own, labels: { ...labels, ...master } },
        spec: { clusterIP: 'None', selector: labels, ports },
      });
    }
    await fixture.client.create(PODS, {
      metadata: { ...own, labels: { ...labels, ...master } },
      spec: {
        schedulerName: 'absent',
        restartPolicy: 'Never',
        containers: [{ name: fixture.framework.containerName, image: 'registry.example/train:1' }],
      },
    });
  }
  await fixture.reportRunning(job.pods);
  return job;
}

function kubeflowStatus(fixture: Fixture, job: TestJob) {
  const { kind } = fixture.resource;
  const condition = (type: string, message: string) => ({
    type,
    status: 'True',
    reason: `${kind}${type}`,
    message,
    lastUpdateTime: LONG_AGO,
    lastTransitionTime: LONG_AGO,
  });
  return {
    conditions: [
      condition('Created', `${kind} ${job.name} is created.`),
      condition('Running', `${kind} ${job.name} is running.`),
    ],
    replicaStatuses: { [fixture.framework.workerRole]: { active: job.workers } },
    startTime: LONG_AGO,
    lastReconcileTime: LONG_AGO,
  };
}

/** `<job>-<role>-<index>`; a launcher has no index. */
function kubeflowLabels({ framework }: Fixture, job: TestJob, pod: string): Record<string, string> {
  const own = pod.slice(job.name.length + 1);
  const [, role = own, index] = /^(.+)-(\d+)$/.exec(own) ?? [];
  return {
    [LABELS.operatorName]: framework.operatorName,
    [LABELS.jobName]: job.name,
    [LABELS.replicaType]: role,
    ...(index !== undefined && { [LABELS.replicaIndex]: index }),
  };
}

function kubeflowOwners({ resource }: Fixture, metadata: ObjectMeta | undefined) {
  const { name = '', uid = '' } = metadata ?? {};
  return [
    { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller: true, blockOwnerDeletion: true },
  ];
}

async function versions(fixture: Fixture): Promise<Record<string, string>> {
  const services = await fixture.list(SERVICES);
  return Object.fromEntries(
    services.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? ''] as const),
  );
}

export const migrationCases: readonly ConformanceCase[] = [
  {
    name: 'a running job continues and succeeds: no restart, and no pod or Service created or changed',
    concern: 'migration',
    starts: false,
    async play(fixture) {
      const job = await startedByKubeflow(fixture, { restartPolicy: 'OnFailure' });
      const [uids, services] = [await job.uids(), await versions(fixture)];
      await fixture.startOperator();
      await job.stateToBe('Running');
      const marker = await fixture.job({ workers: 1 });
      await marker.run();
      await marker.delete('Background');
      await marker.noChildren();
      expect(await job.uids()).toEqual(uids);
      expect(await versions(fixture)).toEqual(services);
      const { startTime, conditions, restartCount } = await job.status();
      expect({ startTime, restartCount }).toEqual({ startTime: LONG_AGO, restartCount: 0 });
      // Clients use the newest True condition, so Created is older than Running.
      const aSecondEarlier = new Date(Date.parse(LONG_AGO) - 1000).toISOString().replace('.000Z', 'Z');
      expect(conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([aSecondEarlier, LONG_AGO]);
      const reasons = Object.keys(await job.events()).filter(
        (reason) => !/^Successful(Create|Update)(?!Pod|Service$)/.test(reason),
      );
      expect(reasons).toEqual([]);
      await job.succeed();
      expect(await job.uids()).toEqual(Object.fromEntries(job.lasting.map((pod) => [pod, uids[pod]])));
      expect(await job.conditions()).toEqual(['Created=True', 'Running=False', 'Succeeded=True']);
      // The created job is the marker of `settled`.
      await fixture.countersToBe({ created: 1, successful: 1 });
    },
  },
  {
    name: 'a replica that fails later is recreated under the same names, with the Services that peers use',
    concern: 'migration',
    starts: false,
    async play(fixture) {
      const job = await startedByKubeflow(fixture, { restartPolicy: 'ExitCode' });
      const services = await versions(fixture);
      await fixture.startOperator();
      await job.stateToBe('Running');
      const pod = job.workerPods.at(-1) ?? '';
      const uid = (await job.pod(pod)).metadata?.uid ?? '';
      await fixture.report(pod, failed(fixture.framework.containerName, 137));
      const next = await job.recreated(pod, uid);
      expect(next.spec?.subdomain).toBeUndefined();
      expect(await versions(fixture)).toEqual(services);
      await fixture.report(pod, running(fixture.framework.containerName));
      await job.stateToBe('Running');
      expect((await job.status()).restartCount).toBe(1);
    },
  },
  {
    name: 'a replica that succeeded before is not run again, and earlier container restarts count',
    concern: 'migration',
    starts: false,
    async play(fixture) {
      const job = await startedByKubeflow(fixture, { restartPolicy: 'OnFailure', workers: 3 });
      const { containerName } = fixture.framework;
      const done = job.deciding.at(-1) ?? '';
      const pods = job.workerPods.filter((pod) => pod !== done);
      await fixture.report(pods[0] ?? '', running(containerName, 2));
      if (job.deciding.length > 1) await fixture.report(done, succeeded(containerName));
      await fixture.startOperator();
      await job.statusToBe('2 restarts', ({ restartCount }) => restartCount === 2);
      const uids = await job.uids();
      await fixture.settled();
      expect(await job.uids()).toEqual(uids);
      // They are in the status, and in no metric: they happened before this operator started.
      await fixture.report(pods[0] ?? '', running(containerName, 3));
      await job.statusToBe('3 restarts', ({ restartCount }) => restartCount === 3);
      await fixture.countersToBe({ restarted: 1 });
    },
  },
  {
    name: 'a job whose time to live is over is deleted without a warning',
    concern: 'engine',
    starts: false,
    async play(fixture) {
      const job = fixture.plan({ runPolicy: { ttlSecondsAfterFinished: 600 } });
      await job.create();
      const { conditions, ...status } = kubeflowStatus(fixture, job);
      const ended = { ...conditions[1], type: 'Succeeded', reason: `${fixture.resource.kind}Succeeded` };
      await job.patchStatus({ ...status, conditions: [conditions[0], ended], completionTime: LONG_AGO });
      await fixture.startOperator();
      await job.toBeGone();
      await fixture.settled();
      const warnings = (await fixture.eventsAbout(job.name)).filter(({ type }) => type === 'Warning');
      expect(warnings.map(({ reason, note }) => [reason, note])).toEqual([]);
    },
  },
  {
    name: 'a failed job without completionTime does not change, and its time to live counts from its end',
    concern: 'engine',
    starts: false,
    async play(fixture) {
      const job = fixture.plan({ runPolicy: { ttlSecondsAfterFinished: 600 } });
      await job.create();
      const { kind } = fixture.resource;
      const endedAt = new Date(fixture.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
      const failedCondition = {
        type: 'Failed',
        status: 'True',
        reason: `${kind}Failed`,
        message: `${kind} ${job.name} is failed because 1 ${fixture.framework.workerRole} replica(s) failed.`,
        lastUpdateTime: endedAt,
        lastTransitionTime: endedAt,
      };
      await job.patchStatus({ conditions: [failedCondition], startTime: LONG_AGO });
      await fixture.startOperator();
      await fixture.settled();
      expect(await job.conditions()).toEqual(['Failed=True']);
      expect(await job.livePods()).toEqual([]);
      fixture.clock.advance(601_000);
      await job.toBeGone();
      await fixture.countersToBe({ failed: 0, deleted: 1 });
    },
  },
];
