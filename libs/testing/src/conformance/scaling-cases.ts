import { ANNOTATIONS, HORIZONTAL_POD_AUTOSCALERS, PODS, type KubeObject } from '@muster/job-api';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { FINALIZER, type Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

function podsWith(stage: Fixture, job: TestJob, ...indexes: number[]): string[] {
  const all = stage.framework.podNames(job.name, 10);
  const workers = all.slice(-10);
  return [...all.slice(0, -10), ...workers.filter((_pod, index) => indexes.includes(index))];
}

interface Scale extends KubeObject {
  spec: { replicas: number };
  status: { replicas: number; selector?: string };
}

function scaleOf({ client, resource }: Fixture, { namespace, name }: TestJob): Promise<Scale> {
  const { group, version, plural } = resource;
  return client.raw<Scale>(`/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}/scale`);
}

function scaleTo({ client, resource }: Fixture, { namespace, name }: TestJob, replicas: number): Promise<unknown> {
  return client.patch(resource, { namespace, name }, { spec: { replicas } }, { subresource: 'scale' });
}

/** Waits until the scale counts that many workers, and its selector matches exactly these pods. */
async function scaleToBe(stage: Fixture, job: TestJob, active: number, workers: readonly string[]): Promise<void> {
  let seen: object = {};
  await stage.until(
    async () => {
      const { spec, status } = await scaleOf(stage, job);
      // An empty selector would match all pods.
      const labelSelector = status.selector ?? 'none=at-all';
      const { items } = await stage.client.list(PODS, { namespace: job.namespace, labelSelector });
      const found = items.map(({ metadata }) => metadata?.name ?? '').sort();
      seen = { spec, status, found };
      return status.replicas === active && JSON.stringify(found) === JSON.stringify([...workers].sort());
    },
    () => ({ expected: { active, workers }, seen }),
  );
}

export const scalingCases: readonly ConformanceCase[] = [
  {
    name: 'grows and shrinks at its highest indexes without changing the others',
    concern: 'roles',
    async play(stage) {
      const job = await stage.job({ workers: 2, isResized: true });
      await job.run();
      const before = await job.uids();
      await job.change(4);
      await job.podsToBe(podsWith(stage, job, 0, 1, 2, 3));
      await job.change(1);
      await job.podsToBe(podsWith(stage, job, 0));
      await job.change(2);
      await job.podsToBe(podsWith(stage, job, 0, 1));
      const [first = ''] = job.workerPods;
      expect((await job.uids())[first]).toBe(before[first]);
      await stage.countersToBe({ restarted: 0 });
    },
  },
  {
    name: 'grows again while a pod is terminating: its index is used again only after it is gone',
    concern: 'engine',
    async play(stage) {
      const job = await stage.job({ workers: 3, finalizers: [FINALIZER], isResized: true });
      await job.run();
      const last = job.workerPods.at(-1) ?? '';
      const uid = (await job.pod(last)).metadata?.uid ?? '';
      await job.change(2);
      const isGoing = async () => (await job.pod(last)).metadata?.deletionTimestamp !== undefined;
      await stage.until(isGoing, `${last} is terminating`);
      await job.change(3);
      await stage.settled();
      expect((await job.pod(last)).metadata?.uid).toBe(uid);
      expect(Object.keys(await job.uids())).toEqual([...job.pods].sort());
      await stage.removeFinalizer(PODS, last);
      await job.recreated(last, uid);
      await job.podsToBe();
      expect((await job.events()).FailedCreatePod).toBeUndefined();
      for (const pod of job.pods) await stage.removeFinalizer(PODS, pod);
    },
  },
  {
    name: 'shrinks by the pods that its annotation names, records the gaps, and fills the lowest when it grows',
    concern: 'roles',
    async play(stage) {
      const job = await stage.job({ workers: 5, isResized: true });
      await job.run();
      const named = [job.workerPods[1], job.workerPods[3]].join(',');
      const before = await job.uids();
      await job.change(3, { annotations: { [ANNOTATIONS.scaleDownPods]: named } });
      await job.podsToBe(podsWith(stage, job, 0, 2, 4));
      await stage.restartOperator();
      await stage.settled();
      await job.podsToBe(podsWith(stage, job, 0, 2, 4));
      await job.change(4, { annotations: { [ANNOTATIONS.scaleDownPods]: '' } });
      await job.podsToBe(podsWith(stage, job, 0, 1, 2, 4));
      const kept = [job.workerPods[0], job.workerPods[2], job.workerPods[4]];
      const after = await job.uids();
      for (const pod of kept) expect(after[pod ?? '']).toBe(before[pod ?? '']);
    },
  },
  {
    name: 'is scaled through its scale subresource, which counts the running workers and selects them',
    concern: 'roles',
    async play(stage) {
      const job = await stage.job({ workers: 2, isResized: true });
      await job.podsToBe(job.first);
      await scaleToBe(stage, job, 0, job.workerPods);
      await job.run();
      await scaleToBe(stage, job, 2, job.workerPods);
      expect((await scaleOf(stage, job)).spec.replicas).toBe(2);
      await scaleTo(stage, job, 3);
      await job.podsToBe(podsWith(stage, job, 0, 1, 2));
      const workers = podsWith(stage, job, 0, 1, 2).slice(-3);
      await scaleToBe(stage, job, 2, workers);
      await stage.reportRunning(workers.slice(-1), job.namespace);
      await scaleToBe(stage, job, 3, workers);
      await scaleTo(stage, job, 1);
      await job.podsToBe(podsWith(stage, job, 0));
      await scaleToBe(stage, job, 1, workers.slice(0, 1));
      await job.suspend(true);
      await scaleToBe(stage, job, 0, []);
    },
  },
  {
    name: 'is scaled through its scale subresource by a HorizontalPodAutoscaler',
    concern: 'engine',
    async play(stage) {
      const job = await stage.job({ workers: 2, isResized: true });
      await job.podsToBe();
      const { group, version, kind } = stage.resource;
      const scaleTargetRef = { apiVersion: `${group}/${version}`, kind, name: job.name };
      await stage.client.create(HORIZONTAL_POD_AUTOSCALERS, {
        metadata: { name: job.name, namespace: job.namespace },
        spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 4 },
      });
      await job.podsToBe(podsWith(stage, job, 0, 1, 2));
    },
  },
];
