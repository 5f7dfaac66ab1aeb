/** Events and counters: each transition is emitted and counted once, also over restarts of the operator. */
import { expect } from 'vitest';
import type { ProxiedRequest } from '@muster/fault-injection';
import type { ConformanceCase } from './conformance-case.ts';
import { failed, running } from './pod-report.ts';

export const accountingCases: readonly ConformanceCase[] = [
  {
    name: 'a job without failures: each transition emitted and counted once, although the operator is restarted after each',
    concern: 'events',
    async play(fixture) {
      const { kind } = fixture.resource;
      const job = await fixture.job();
      await job.podsToBe();
      await fixture.restartOperator();
      await job.run();
      await fixture.restartOperator();
      if (!job.isEndless) {
        await job.succeed();
        await fixture.restartOperator();
        await job.eventToBe(`${kind}Succeeded`);
      }
      const successful = job.isEndless ? 0 : 1;
      await fixture.countersToBe({ created: 1, successful, failed: 0, restarted: 0, deleted: 0 });
      const { eventsOfALife = { SuccessfulCreatePod: 1 } } = fixture.framework;
      // These events depend on timing: ConfigMaps follow the running pods one by one or together; Roles are created
      // before further pods or with them.
      const { SuccessfulUpdateConfigMap: _varies, SuccessfulCreateRole: _rights, ...emitted } = await job.events();
      expect(emitted).toEqual({
        ...eventsOfALife,
        ...(job.endless.some((pod) => job.made.includes(pod)) && { SuccessfulDeletePod: 1 }),
        [`${kind}Running`]: 1,
        ...(!job.isEndless && { [`${kind}Succeeded`]: 1 }),
      });
    },
  },
  {
    name: 'a job that fails after restarts: each transition emitted and counted once, each restart with its cause',
    concern: 'engine',
    async play(fixture) {
      const { kind } = fixture.resource;
      const { containerName } = fixture.framework;
      const job = await fixture.job({ restartPolicy: 'ExitCode' });
      await job.run();
      const [pod = ''] = job.workerPods;
      for (const code of [137, 143]) {
        const uid = (await job.pod(pod)).metadata?.uid ?? '';
        await fixture.report(pod, failed(containerName, code));
        fixture.clock.advance(600_000);
        await job.recreated(pod, uid);
        await fixture.report(pod, running(containerName));
        await job.stateToBe('Running');
        await fixture.restartOperator();
      }
      await fixture.report(pod, failed(containerName, 2));
      await job.stateToBe('Failed');
      await fixture.restartOperator();
      await job.eventToBe(`${kind}Failed`);
      await fixture.countersToBe({ created: 1, successful: 0, failed: 1, restarted: 2, deleted: 0 });
      expect(await job.events()).toMatchObject({
        [`${kind}Running`]: 3,
        [`${kind}Restarting`]: 2,
        [`${kind}Failed`]: 1,
      });
      const notes = (await fixture.eventsAbout(job.name)).map(({ note = '' }) => note);
      for (const code of [137, 143, 2]) expect(notes.some((note) => note.includes(`exit code ${code} `))).toBe(true);
    },
  },
  {
    name: 'an unschedulable pod and one whose image cannot be pulled: emitted once, with the message of scheduler or kubelet',
    concern: 'ownedResources',
    async play(fixture) {
      const job = await fixture.job();
      const [unplaced = '', ...others] = job.first;
      await job.podsToBe(job.first);
      await fixture.report(unplaced, {
        phase: 'Pending',
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' },
        ],
      });
      const state = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } };
      const container = {
        name: fixture.framework.containerName,
        image: '',
        imageID: '',
        ready: false,
        restartCount: 0,
      };
      await fixture.report(others.at(-1) ?? '', { phase: 'Pending', containerStatuses: [{ ...container, state }] });
      await job.eventToBe('Unschedulable');
      await job.eventToBe('ImagePullBackOff');
      const notes = (await fixture.eventsAbout(job.name)).map(({ note = '' }) => note).join('\n');
      expect(notes).toContain('cannot be placed on a node: 0/3 nodes are available');
      expect(notes).toContain(`container ${container.name}: Back-off pulling image`);
      await job.run();
      // A stopping operator writes its pending events.
      await fixture.restartOperator();
      expect(await job.events()).toMatchObject({ Unschedulable: 1, ImagePullBackOff: 1 });
    },
  },
  {
    name: 'a job has condition Restarting until every replica runs again, with the cause in its message',
    concern: 'outcome',
    async play(fixture) {
      const { containerName } = fixture.framework;
      const job = await fixture.job({ restartPolicy: 'ExitCode', workers: 3 });
      await job.run();
      const [first = '', second = ''] = job.workerPods;
      const uids = await job.uids();
      await fixture.report(first, failed(containerName, 137));
      await fixture.report(second, failed(containerName, 143));
      await job.recreated(first, uids[first] ?? '');
      await job.recreated(second, uids[second] ?? '');
      await fixture.report(first, running(containerName));
      await fixture.settled();
      expect((await job.status()).state).toBe('Restarting');
      expect((await job.conditions()).filter((condition) => condition.endsWith('=True'))).toEqual([
        'Created=True',
        'Restarting=True',
      ]);
      await fixture.report(second, running(containerName));
      await job.stateToBe('Running');
      expect(await job.conditions()).toEqual(['Created=True', 'Running=True']);
    },
  },
  {
    name: 'a status is written when it changes, and not again when nothing does',
    concern: 'outcome',
    async play(fixture) {
      const job = await fixture.job();
      await job.run();
      await fixture.settled();
      // Periodic probes have been answered by then.
      fixture.clock.advance(60_000);
      await fixture.settled();
      const { resourceVersion } = (await job.get()).metadata ?? {};
      fixture.clock.advance(36_000_000);
      await fixture.settled();
      await fixture.restartOperator();
      await fixture.settled();
      expect((await job.get()).metadata?.resourceVersion).toBe(resourceVersion);
    },
  },
  {
    name: 'pods that change one after another share a status write: counts are written at most once a second, later less often',
    concern: 'engine',
    starts: false,
    async play(fixture) {
      const proxy = await fixture.startOperatorBehindProxy();
      const job = await fixture.job({ workers: 30 });
      await job.run();
      const written = () => proxy.writes.filter(({ path }) => path.endsWith(`/${job.name}/status`)).length;
      const [before, sinceMs] = [written(), fixture.clock.monotonic()];
      for (const pod of job.workerPods) {
        await fixture.report(pod, { conditions: [{ type: 'Ready', status: 'False' }] });
      }
      const left = `${job.pods.length - job.workers}/${job.pods.length}`;
      await job.statusToBe(`${left} ready`, ({ ready }) => ready === left);
      // Includes pending writes of the start.
      const most = 3 + (fixture.clock.monotonic() - sinceMs) / 1000;
      expect(written() - before).toBeLessThanOrEqual(most);
    },
  },
  {
    name: 'a job is run from the caches alone: no object is read before it is written, and none is replaced',
    concern: 'ownedResources',
    starts: false,
    async play(fixture) {
      const proxy = await fixture.startOperatorBehindProxy();
      const job = await fixture.job({ restartPolicy: 'ExitCode', runPolicy: { cleanPodPolicy: 'All' } });
      await job.run();
      if (!job.ownsNoPods) {
        const [pod = ''] = job.workerPods;
        const uid = (await job.pod(pod)).metadata?.uid ?? '';
        await fixture.report(pod, failed(fixture.framework.containerName, 137));
        await job.recreated(pod, uid);
        await job.run();
      }
      await job.stop();
      const { namespace } = fixture;
      // Except Secrets, which are not cached.
      const ofJob = proxy.requests.filter(
        ({ path }) => path.includes(namespace) && path.includes(job.name) && !path.includes('/secrets/'),
      );
      const methods = ofJob.map(({ method }) => method);
      expect(methods.filter((method) => method === 'GET' || method === 'PUT')).toEqual([]);
      // Recreated pods, all pods at the end, and two Services at most.
      expect(methods.filter((method) => method === 'DELETE').length).toBeGreaterThan(job.made.length);
    },
  },
  {
    name: 'the pods of a job are created several at a time: a create that hangs does not delay the others',
    concern: 'engine',
    starts: false,
    async play(fixture) {
      fixture.expectsErrors = true;
      const proxy = await fixture.startOperatorBehindProxy();
      let creates = 0;
      // The first pod is created alone, to find out whether the API server accepts it.
      const isSecond = ({ method, path }: ProxiedRequest) =>
        method === 'POST' && path === `/api/v1/namespaces/${fixture.namespace}/pods` && ++creates === 2;
      proxy.inject(isSecond, { type: 'stall' });
      const job = await fixture.job({ workers: 4 });
      await fixture.until(
        async () =>
          (await job.livePods()).filter(({ metadata }) => job.made.includes(metadata?.name ?? '')).length ===
          job.made.length - 1,
        async () => ({ pods: Object.keys(await job.uids()), creates }),
      );
      expect(creates).toBe(job.made.length);
      await proxy.goDown();
      await proxy.comeUp();
      await job.run();
    },
  },
  {
    name: 'an operator lists and watches only the pods and Services of its jobs',
    concern: 'ownedResources',
    starts: false,
    async play(fixture) {
      const proxy = await fixture.startOperatorBehindProxy();
      const job = await fixture.job();
      await job.run();
      const isRead = ({ method, path }: ProxiedRequest) => method === 'GET' && /\/(pods|services)$/.test(path);
      const reads = await fixture.until(() => {
        const seen = proxy.requests.filter(isRead);
        return seen.filter(({ watch }) => watch).length > 1 && seen;
      }, 'pods and Services are watched');
      const selectors = new Set(reads.map(({ query }) => query.get('labelSelector')));
      expect([...selectors]).toEqual([fixture.labelSelector]);
    },
  },
  {
    name: 'the metric series of a namespace are removed only some time after its last job was deleted',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job();
      await job.run();
      const seriesOf = async () =>
        (await fixture.metrics.texts()).join().split(`job_namespace="${fixture.namespace}"`).length - 1;
      await fixture.countersToBe({ created: 1 });
      await job.delete('Background');
      await job.toBeGone();
      expect(await seriesOf()).toBeGreaterThan(0);
      await fixture.until(
        async () => {
          fixture.clock.advance(40 * 60_000);
          return (await seriesOf()) === 0;
        },
        async () => ({ 'series of the namespace': await seriesOf() }),
      );
    },
  },
  {
    name: 'an operator of several namespaces reconciles jobs in each of them, and ignores all others',
    concern: 'ownedResources',
    starts: false,
    async play(fixture) {
      const [second, other] = [await fixture.cluster.namespace(), await fixture.cluster.namespace()];
      await fixture.startOperator(undefined, [fixture.namespace, second]);
      const inOther = fixture.plan({ namespace: other });
      await inOther.create();
      const inSecond = await fixture.job({ namespace: second });
      await inSecond.run();
      await fixture.settled();
      expect((await inOther.get()).status).toBeUndefined();
      expect(await inOther.livePods()).toEqual([]);
      await inSecond.delete('Background');
      await inSecond.noChildren();
    },
  },
];
