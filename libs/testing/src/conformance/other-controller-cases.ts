/** Concurrent changes by others, and a network that loses requests and answers. */
import type { Fault, ProxiedRequest, ProxiedWrite, RequestMatch } from '@muster/fault-injection';
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { evicted, failed, running } from './pod-report.ts';
import type { Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

/** From start to end, with a restart and a disruption, for kinds with their own pods. */
async function live(fixture: Fixture, job: TestJob, meet: () => void = () => undefined): Promise<void> {
  const { containerName } = fixture.framework;
  await job.run();
  for (const [pod, status] of losses(fixture, job)) {
    const uid = (await job.pod(pod)).metadata?.uid ?? '';
    meet();
    await fixture.report(pod, status);
    await job.recreated(pod, uid);
    meet();
    await fixture.report(pod, running(containerName));
    await job.stateToBe('Running');
  }
  meet();
  if (!job.isEndless) await job.succeed();
}

function losses({ framework }: Fixture, { workerPods: [first = '', second = ''], ownsNoPods }: TestJob) {
  if (ownsNoPods) return [];
  return [[first, failed(framework.containerName, 137)] as const, [second, evicted()] as const];
}

async function expectLife(fixture: Fixture, job: TestJob): Promise<void> {
  const { kind } = fixture.resource;
  const hasEnded = !job.isEndless;
  const restarted = losses(fixture, job).length;
  await fixture.settled();
  const { restartCount = 0, disruptionCount = 0, state } = await job.status();
  expect({ restarted: restartCount + disruptionCount, disruptionCount, state }).toEqual({
    restarted,
    disruptionCount: job.ownsNoPods ? 0 : 1,
    state: hasEnded ? 'Succeeded' : 'Running',
  });
  await job.podsToBe(hasEnded ? job.lasting : job.pods);
  // The marker of `settled` is the second created job.
  await fixture.countersToBe({ created: 2, successful: hasEnded ? 1 : 0, failed: 0, restarted });
  // A stopping operator writes its pending events.
  await fixture.restartOperator();
  expect(await job.events()).toMatchObject({
    [`${kind}Running`]: 1 + restarted,
    ...(restarted > 0 && { [`${kind}Restarting`]: restarted }),
    ...(hasEnded && { [`${kind}Succeeded`]: 1 }),
  });
}

const STATUS_WRITES: RequestMatch = { method: 'PATCH', path: /\/job-0\/status$/ };
const POD_CREATES: RequestMatch = { method: 'POST', path: /\/pods$/ };

const faulty = (what: string, match: RequestMatch, fault: Fault, times: number): ConformanceCase => ({
  name: `${what}: the same end, and every transition emitted and counted once`,
  concern: 'engine',
  starts: false,
  async play(fixture) {
    fixture.expectsErrors = true;
    const proxy = await fixture.startOperatorBehindProxy();
    const job = fixture.plan({ restartPolicy: 'ExitCode' });
    const meet = () => proxy.inject(match, fault, times);
    meet();
    await job.create();
    await job.podsToBe();
    meet();
    await live(fixture, job, meet);
    await expectLife(fixture, job);
  },
});

/** Events about created pods, for a job of two workers without owned resources. */
const LIFE: Readonly<Record<string, number>> = { SuccessfulCreatePod: 1 };

const wipedEnd = (state: 'Succeeded' | 'Failed', counts: Parameters<Fixture['countersToBe']>[0]): ConformanceCase => ({
  name: `the condition ${state} that another client has removed is restored without running or counting anything again`,
  concern: 'ownedResources',
  async play(fixture) {
    const job = await fixture.job({ restartPolicy: 'Never', runPolicy: { cleanPodPolicy: 'All' } });
    await job.run();
    if (state === 'Succeeded') await job.succeed();
    else await fixture.report(job.workerPods[0] ?? '', failed(fixture.framework.containerName, 1));
    const { completionTime } = await job.stateToBe(state);
    await job.cleanedUp();
    const left = await job.uids();
    await job.patchStatus({ conditions: null });
    await fixture.until(
      async () => (await job.conditions()).includes(`${state}=True`),
      async () => ({ status: await job.status() }),
    );
    await fixture.settled();
    expect(await job.uids()).toEqual(left);
    expect((await job.status()).completionTime).toBe(completionTime);
    await fixture.countersToBe(counts);
    // A stopping operator writes its pending events.
    await fixture.restartOperator();
    const { eventsOfALife = LIFE } = fixture.framework;
    expect((await job.events()).SuccessfulCreatePod).toBe(eventsOfALife.SuccessfulCreatePod);
  },
});

export const otherControllerCases: readonly ConformanceCase[] = [
  {
    name: 'two operators at once, without leader election: the same end, without creating or counting anything twice',
    concern: 'ownedResources',
    also: ['kinds with unique names', 'kinds that own jobs'],
    async play(fixture) {
      await fixture.startOperator();
      const job = await fixture.job({ restartPolicy: 'ExitCode' });
      await live(fixture, job);
      await expectLife(fixture, job);
      if (job.ownsNoPods) return;
      const names = await job.createdPods();
      // With unique names the second operator cannot create the same pod: it creates one more.
      if (fixture.framework.hasUniqueNames === true) expect(names).toHaveLength(new Set(names).size);
      else expect(names.sort()).toEqual([...job.made, ...job.workerPods].sort());
    },
  },
  {
    name: 'an operator that observes the end of a job before that of its pods: keeps the pods and their logs',
    concern: 'engine',
    async play(fixture) {
      const proxy = await fixture.startOperatorBehindProxy();
      const job = await fixture.job();
      await job.run();
      await fixture.settled();
      const isOfPods = ({ watch, path }: ProxiedRequest) => watch && path.endsWith('/pods');
      const watches = proxy.requests.filter(isOfPods).length;
      const hear = proxy.inject(isOfPods, { type: 'stall', afterEvents: 0 });
      proxy.cutWatches();
      await fixture.until(() => proxy.requests.filter(isOfPods).length > watches, 'its watches of pods fail');
      await job.succeed();
      const spared = ({ method, path, code }: ProxiedWrite) =>
        method === 'DELETE' && code === 409 && job.deciding.some((pod) => path.endsWith(`/pods/${pod}`));
      const areOfMuster = job.deciding.some((pod) => job.made.includes(pod));
      if (areOfMuster)
        await fixture.until(
          () => proxy.writes.some(spared),
          () => ({ writes: proxy.writes }),
        );
      hear();
      proxy.cutWatches();
      await fixture.settled();
      await job.podsToBe(job.lasting);
    },
  },
  faulty('conflicts with other writers', STATUS_WRITES, { type: 'answer', code: 409, reason: 'Conflict' }, 2),
  faulty('answers to status writes that are lost', STATUS_WRITES, { type: 'loseAnswer' }, 1),
  faulty('answers to pod creates that are lost', POD_CREATES, { type: 'loseAnswer' }, 1),
  {
    name: 'watches that are cut all the time: the same end, and every transition emitted and counted once',
    concern: 'ownedResources',
    starts: false,
    async play(fixture) {
      const proxy = await fixture.startOperatorBehindProxy();
      const all: RequestMatch = { watch: true };
      const heal = proxy.inject(all, { type: 'cut', afterEvents: 2 });
      proxy.cutWatches();
      const job = await fixture.job({ restartPolicy: 'ExitCode' });
      await live(fixture, job);
      heal();
      await expectLife(fixture, job);
    },
  },
  {
    name: 'conditions that another client has removed are restored without counting anything again',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job({ restartPolicy: 'ExitCode' });
      await job.run();
      await job.patchStatus({ conditions: null });
      await fixture.until(
        async () => (await job.conditions()).join() === 'Created=True,Running=True',
        async () => ({ status: await job.status() }),
      );
      await fixture.settled();
      await fixture.countersToBe({ created: 2 });
      await job.podsToBe();
    },
  },
  {
    name: 'wrong counts that another client has written are corrected',
    concern: 'engine',
    async play(fixture) {
      const job = await fixture.job();
      await job.run();
      const { replicaStatuses, ready } = await job.status();
      const { workerRole } = fixture.framework;
      await job.patchStatus({
        ready: '7/9',
        replicaStatuses: { [workerRole]: { active: 99, failed: 3, succeeded: 5 } },
      });
      const repaired = await job.statusToBe('its own counts', (status) => status.ready === ready);
      expect(repaired.replicaStatuses).toEqual(replicaStatuses);
      await fixture.countersToBe({ failed: 0 });
    },
  },
  wipedEnd('Succeeded', { created: 2, successful: 1, failed: 0 }),
  wipedEnd('Failed', { created: 2, successful: 0, failed: 1 }),
];
