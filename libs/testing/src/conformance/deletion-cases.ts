import { PODS, SERVICES, type Pod, type Resource } from '@muster/job-api';
import { expect } from 'vitest';
import type { Concern } from './concern.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { running } from './pod-report.ts';
import { FINALIZER, type Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

interface Step {
  readonly when: string;
  /** Of its deletion in the background. */
  readonly concern: Concern;
  readonly reach: (fixture: Fixture, job: TestJob) => Promise<void>;
  /** The state of a new job of the same name that adopts the pods. */
  readonly successor: string;
}

const STEPS: readonly Step[] = [
  {
    when: 'while its pods are pending',
    concern: 'ownedResources',
    reach: async (_stage, job) => void (await job.podsToBe()),
    successor: 'Created',
  },
  { when: 'while it runs', concern: 'lifecycle', reach: (_stage, job) => job.run(), successor: 'Running' },
  {
    when: 'while a replica waits to be restarted',
    concern: 'ownedResources',
    reach: toRestarting,
    successor: 'Running',
  },
  { when: 'after its end', concern: 'ownedResources', reach: toEnd, successor: 'Succeeded' },
];

async function toRestarting(_stage: Fixture, job: TestJob): Promise<void> {
  await job.run();
  await job.failAgainAndAgain(job.workerPods[0] ?? '');
}

const CONFIG_MAPS: Resource = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

const HELD = { metadata: { finalizers: [FINALIZER] } };
const TOUCHED = { metadata: { annotations: { 'example.com/touched': 'yes' } } };

async function toEnd(_stage: Fixture, job: TestJob): Promise<void> {
  await job.run();
  await job.succeed();
}

/** Pods of workloads belong to those. */
function madeOf({ made }: TestJob, pods: readonly Pod[]): Pod[] {
  return pods.filter(({ metadata }) => made.includes(metadata?.name ?? ''));
}

const deletedWithItsPods = ({ when, reach, concern }: Step, how: 'Background' | 'Foreground'): ConformanceCase => ({
  name: `deleted ${when} (${how}): deletes all its objects and recreates none`,
  concern: how === 'Background' ? concern : 'ownedResources',
  async play(fixture) {
    const job = await fixture.job({ restartPolicy: 'ExitCode' });
    await reach(fixture, job);
    await job.delete(how);
    await job.toBeGone();
    // An operator that has not observed the deletion yet may recreate pods; these are deleted, too.
    await fixture.settled();
    await job.noChildren();
    await fixture.until(async () => (await job.liveServices()).length === 0, 'its Services are gone');
    await fixture.settled();
    expect([...(await job.livePods()), ...(await job.liveServices())]).toEqual([]);
  },
});

const orphaned = ({ when, reach, successor }: Step): ConformanceCase => ({
  name: `deleted ${when} (Orphan): leaves its pods unchanged, and the next job of its name adopts them`,
  concern: 'ownedResources',
  async play(fixture) {
    const job = await fixture.job({ restartPolicy: 'ExitCode' });
    await reach(fixture, job);
    await fixture.collectorToHaveSeenPods();
    const uids = await job.uids();
    await job.delete('Orphan');
    await job.toBeGone();
    await fixture.settled();
    expect(await job.uids()).toEqual(uids);
    for (const { metadata } of madeOf(job, await job.livePods())) expect(metadata?.ownerReferences ?? []).toEqual([]);

    const next = fixture.plan({ ...job.shape });
    const { metadata } = await next.create();
    await fixture.until(async () => {
      const children = [...madeOf(next, await next.livePods()), ...(await next.liveServices())];
      return children.every((child) => child.metadata?.ownerReferences?.[0]?.uid === metadata?.uid);
    }, `pods and Services of ${job.name} have their new owner`);
    if (Object.keys(uids).some((pod) => job.made.includes(pod))) {
      expect((await next.events()).AdoptedPod ?? (await next.eventToBe('AdoptedPod'))).toBe(1);
    }
    if (when === 'while a replica waits to be restarted') {
      const [pod = ''] = job.workerPods;
      await next.recreated(pod, uids[pod] ?? '');
      await fixture.report(pod, running(fixture.framework.containerName));
    } else {
      expect(await next.uids()).toMatchObject(uids);
    }
    await next.stateToBe(successor);
  },
});

export const deletionCases: readonly ConformanceCase[] = [
  {
    name: 'deleted before its pods are created: creates none',
    concern: 'engine',
    starts: false,
    async play(fixture) {
      fixture.expectsErrors = true;
      const proxy = await fixture.startOperatorBehindProxy();
      const allow = proxy.inject(
        { method: 'POST', path: /\/pods$/ },
        { type: 'answer', code: 403, reason: 'Forbidden' },
      );
      const job = await fixture.job();
      await job.eventToBe('FailedCreatePod');
      await job.delete('Background');
      await job.toBeGone();
      allow();
      await fixture.settled();
      await job.noChildren();
    },
  },
  ...STEPS.flatMap((step) => [deletedWithItsPods(step, 'Background'), deletedWithItsPods(step, 'Foreground')]),
  ...STEPS.map(orphaned),
  {
    name: 'deleted (Orphan), and the next job of its name is smaller: adopts the surplus pods, too, and deletes them',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ workers: 3, restartPolicy: 'ExitCode' });
      await job.run();
      await fixture.collectorToHaveSeenPods();
      const uids = await job.uids();
      await job.delete('Orphan');
      await job.toBeGone();
      const next = fixture.plan({ ...job.shape, workers: 1 });
      await next.create();
      await next.podsToBe();
      for (const pod of next.made) expect((await next.uids())[pod]).toBe(uids[pod]);
      await next.stateToBe('Running');
    },
  },
  {
    name: 'deleted (Orphan) unobserved by the operator: adopts nothing back, and logs no error',
    concern: 'engine',
    starts: false,
    async play(fixture) {
      const proxy = await fixture.startOperatorBehindProxy();
      const job = await fixture.job();
      await job.podsToBe(job.first);
      await fixture.settled();
      const { plural } = fixture.resource;
      const requestCount = (watch: boolean) =>
        proxy.requests.filter((request) => request.watch === watch && request.path.includes(`/${plural}`)).length;
      const watches = requestCount(true);
      const hear = proxy.inject({ watch: true, path: new RegExp(`/${plural}$`) }, { type: 'stall', afterEvents: 0 });
      proxy.cutWatches();
      await fixture.until(() => requestCount(true) > watches, 'the watch of jobs is retried');
      await fixture.collectorToHaveSeenPods();
      const uids = await job.uids();
      await job.delete('Orphan');
      await job.toBeGone();
      const before = requestCount(false);
      for (const { metadata } of madeOf(job, await job.livePods())) {
        await fixture.client.patch(PODS, { namespace: fixture.namespace, name: metadata?.name ?? '' }, TOUCHED);
      }
      await fixture.until(() => requestCount(false) > before, 'the operator reads the job');
      hear();
      proxy.cutWatches();
      await fixture.settled();
      expect(await job.uids()).toEqual(uids);
      for (const { metadata } of madeOf(job, await job.livePods())) expect(metadata?.ownerReferences ?? []).toEqual([]);
    },
  },
  {
    name: 'deleted and recreated at once while an old pod is terminating: waits for it, then starts',
    concern: 'ownedResources',
    also: ['kinds with unique names'],
    async play(fixture) {
      const job = await fixture.job({ finalizers: [FINALIZER] });
      await job.run();
      const uids = await job.uids();
      const mounted = (await fixture.list(CONFIG_MAPS)).filter(
        ({ metadata }) => metadata?.ownerReferences !== undefined,
      );
      for (const { metadata: { name = '' } = {} } of mounted) {
        await fixture.client.patch(CONFIG_MAPS, { namespace: fixture.namespace, name }, HELD);
      }
      await job.delete('Background');
      await job.toBeGone();
      const next = fixture.plan({ ...job.shape });
      const { metadata } = await next.create();
      await next.stateToBe('Created');
      await fixture.until(
        async () => (await job.livePods()).every((pod) => pod.metadata?.deletionTimestamp !== undefined),
        'the old pods are terminating',
      );
      const markers = fixture.plan({ workers: 1 });
      await markers.create();
      await markers.run();
      expect(await next.uids()).toEqual(uids);
      await fixture.metrics.waitingToBe({ Deletion: 1 });
      if (mounted.length > 0) await next.eventToBe('WaitingForDeletion');
      for (const pod of job.pods) await fixture.removeFinalizer(PODS, pod);
      for (const { metadata } of mounted) await fixture.removeFinalizer(CONFIG_MAPS, metadata?.name ?? '');
      const pods = await next.podsToBe();
      for (const pod of madeOf(next, pods)) expect(pod.metadata?.ownerReferences?.[0]?.uid).toBe(metadata?.uid);
      const services = await fixture.list(SERVICES);
      expect(services.every(({ metadata: { deletionTimestamp } = {} }) => deletionTimestamp === undefined)).toBe(true);
      expect((await next.events()).NameTaken).toBeUndefined();
      for (const pod of next.pods) await fixture.removeFinalizer(PODS, pod);
    },
  },
];
