import { ANNOTATIONS, HORIZONTAL_POD_AUTOSCALERS, PODS, type KubeObject } from '@muster/job-api';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { FINALIZER, type Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

function podsWith(fixture: Fixture, job: TestJob, ...indexes: number[]): string[] {
  const all = fixture.framework.podNames(job.name, 10);
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
async function scaleToBe(fixture: Fixture, job: TestJob, active: number, workers: readonly string[]): Promise<void> {
  let seen: object = {};
  await fixture.until(
    async () => {
      const { spec, status } = await scaleOf(fixture, job);
      // An empty selector would match all pods.
      const labelSelector = status.selector ?? 'none=at-all';
      const { items } = await fixture.client.list(PODS, { namespace: job.namespace, labelSelector });
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
    async play(fixture) {
      const job = await fixture.job({ workers: 2, isResized: true });
      await job.run();
      const before = await job.uids();
      await job.change(4);
      await job.podsToBe(podsWith(fixture, job, 0, 1, 2, 3));
      await job.change(1);
      await job.podsToBe(podsWith(fixture, job, 0));
      await job.change(2);
      await job.podsToBe(podsWith(fixture, job, 0, 1));
      const [first = ''] = job.workerPods;
      expect((await job.uids())[first]).toBe(before[first]);
      await fixture.countersToBe({ restarted: 0 });
    },
  },
  {
    name: 'grows again while a pod is terminating: its index is used again only after it is gone',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ workers: 3, finalizers: [FINALIZER], isResized: true });
      await job.run();
      const last = job.workerPods.at(-1) ?? '';
      const uid = (await job.pod(last)).metadata?.uid ?? '';
      await job.change(2);
      const isGoing = async () => (await job.pod(last)).metadata?.deletionTimestamp !== undefined;
      await fixture.until(isGoing, `${last} is terminating`);
      await job.change(3);
      await fixture.settled();
      expect((await job.pod(last)).metadata?.uid).toBe(uid);
      expect(Object.keys(await job.uids())).toEqual([...job.pods].sort());
      await fixture.removeFinalizer(PODS, last);
      await job.recreated(last, uid);
      await job.podsToBe();
      expect((await job.events()).FailedCreatePod).toBeUndefined();
      for (const pod of job.pods) await fixture.removeFinalizer(PODS, pod);
    },
  },
  {
    name: 'shrinks by the pods that its annotation names, records the gaps, and fills the lowest when it grows',
    concern: 'roles',
    async play(fixture) {
      const job = await fixture.job({ workers: 5, isResized: true });
      await job.run();
      const named = [job.workerPods[1], job.workerPods[3]].join(',');
      const before = await job.uids();
      await job.change(3, { annotations: { [ANNOTATIONS.scaleDownPods]: named } });
      await job.podsToBe(podsWith(fixture, job, 0, 2, 4));
      await fixture.restartOperator();
      await fixture.settled();
      await job.podsToBe(podsWith(fixture, job, 0, 2, 4));
      await job.change(4, { annotations: { [ANNOTATIONS.scaleDownPods]: '' } });
      await job.podsToBe(podsWith(fixture, job, 0, 1, 2, 4));
      const kept = [job.workerPods[0], job.workerPods[2], job.workerPods[4]];
      const after = await job.uids();
      for (const pod of kept) expect(after[pod ?? '']).toBe(before[pod ?? '']);
    },
  },
  {
    name: 'is scaled through its scale subresource, which counts the running workers and selects them',
    concern: 'roles',
    async play(fixture) {
      const job = await fixture.job({ workers: 2, isResized: true });
      await job.podsToBe(job.first);
      await scaleToBe(fixture, job, 0, job.workerPods);
      await job.run();
      await scaleToBe(fixture, job, 2, job.workerPods);
      expect((await scaleOf(fixture, job)).spec.replicas).toBe(2);
      await scaleTo(fixture, job, 3);
      await job.podsToBe(podsWith(fixture, job, 0, 1, 2));
      const workers = podsWith(fixture, job, 0, 1, 2).slice(-3);
      await scaleToBe(fixture, job, 2, workers);
      await fixture.reportRunning(workers.slice(-1), job.namespace);
      await scaleToBe(fixture, job, 3, workers);
      await scaleTo(fixture, job, 1);
      await job.podsToBe(podsWith(fixture, job, 0));
      await scaleToBe(fixture, job, 1, workers.slice(0, 1));
      await job.suspend(true);
      await scaleToBe(fixture, job, 0, []);
    },
  },
  {
    name: 'is scaled through its scale subresource by a HorizontalPodAutoscaler',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ workers: 2, isResized: true });
      await job.podsToBe();
      const { group, version, kind } = fixture.resource;
      const scaleTargetRef = { apiVersion: `${group}/${version}`, kind, name: job.name };
      await fixture.client.create(HORIZONTAL_POD_AUTOSCALERS, {
        metadata: { name: job.name, namespace: job.namespace },
        spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 4 },
      });
      await job.podsToBe(podsWith(fixture, job, 0, 1, 2));
    },
  },
];
