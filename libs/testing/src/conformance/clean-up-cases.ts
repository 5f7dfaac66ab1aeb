import { expect } from 'vitest';
import type { Concern } from './concern.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { failed, heldUpBySidecar, succeeded } from './pod-report.ts';
import type { Fixture } from './fixture.ts';
import type { TestJob } from './test-job.ts';

type Policy = 'None' | 'Running' | 'All' | undefined;

/** The state of a pod when its job has ended. */
type Fate = 'ended' | 'held up by a sidecar' | 'running' | 'endless';

interface Ending {
  readonly state: 'Succeeded' | 'Failed';
  /** Ends the job. Returns the state of pods that do not simply continue to run. */
  reach(fixture: Fixture, job: TestJob): Promise<Map<string, Fate>>;
}

/** Longer than the sidecars' grace period. */
const PAST_GRACE_MS = 31_000;

const SUCCEEDED: Ending = {
  state: 'Succeeded',
  async reach(fixture, job) {
    const { containerName } = fixture.framework;
    const last = job.deciding.at(-1);
    const heldUp = new Set([...job.deciding, ...job.workerPods.slice(0, 1)].filter((pod) => pod !== last));
    // The last pod decides: otherwise running pods might be restarted or stopped for other reasons.
    for (const pod of heldUp) await fixture.report(pod, heldUpBySidecar(containerName, 'sidecar', 0));
    await fixture.report(last ?? '', succeeded(containerName));
    return new Map([
      ...[...heldUp].map((pod) => [pod, 'held up by a sidecar'] as const),
      [last ?? '', 'ended'] as const,
    ]);
  },
};

const FAILED: Ending = {
  state: 'Failed',
  async reach(fixture, job) {
    const [ended = ''] = job.workerPods;
    await fixture.report(ended, failed(fixture.framework.containerName, 1));
    return new Map([[ended, 'ended']]);
  },
};

interface Row {
  readonly policy: Policy;
  readonly concern: Concern;
  readonly stay: readonly Fate[];
  readonly services: boolean;
}

const ROWS: readonly Row[] = [
  { policy: 'None', concern: 'outcome', stay: ['ended', 'held up by a sidecar', 'running', 'endless'], services: true },
  { policy: 'Running', concern: 'ownedResources', stay: ['ended'], services: false },
  { policy: 'All', concern: 'ownedResources', stay: [], services: false },
  { policy: undefined, concern: 'outcome', stay: ['ended', 'running'], services: true },
];

export const cleanUpCases: readonly ConformanceCase[] = [
  ...ROWS.flatMap((row) => [SUCCEEDED, FAILED].map((ending) => cleanUp(row, ending))),
  {
    name: 'ended by its main containers: sidecars have 30 seconds to finish, also in pods of Jobs',
    concern: 'outcome',
    async play(fixture) {
      const { containerName } = fixture.framework;
      const job = await fixture.job({
        restartPolicy: 'Never',
        runPolicy: { cleanPodPolicy: 'All' },
        podSpec: { containers: [containerName, 'sidecar'].map((name) => ({ name, image: 'registry.example/x:1' })) },
      });
      await job.run();
      const uids = await job.uids();
      for (const pod of job.deciding) await fixture.report(pod, heldUpBySidecar(containerName, 'sidecar', 0));
      await job.stateToBe('Succeeded');
      await job.podsToBe([...job.deciding]);
      await fixture.settled();
      await job.podsToBe([...job.deciding]);
      const kept = await job.uids();
      for (const pod of job.deciding) expect(kept[pod]).toBe(uids[pod]);
      fixture.clock.advance(PAST_GRACE_MS);
      await job.podsToBe([]);
      await fixture.countersToBe({ successful: 1 });
    },
  },
];

function cleanUp({ policy, concern, stay, services }: Row, ending: Ending): ConformanceCase {
  return {
    name: `cleanPodPolicy ${policy ?? 'unset'} of a job that has ${ending.state}: ${kept(stay, services)}`,
    concern,
    async play(fixture) {
      const containers = [fixture.framework.containerName, 'sidecar'];
      const job = await fixture.job({
        restartPolicy: 'Never',
        runPolicy: policy === undefined ? {} : { cleanPodPolicy: policy },
        podSpec: { containers: containers.map((name) => ({ name, image: 'registry.example/x:1' })) },
      });
      await job.run();
      const hasServices = fixture.framework.hasOwnNetwork !== true;
      const before = await job.liveServices();
      if (hasServices) expect(before).not.toEqual([]);
      const fates = await ending.reach(fixture, job);
      await job.stateToBe(ending.state);
      const fateOf = (pod: string) => fates.get(pod) ?? (job.endless.includes(pod) ? 'endless' : 'running');
      // Pods of a Kubernetes Job are kept by that Job; a StatefulSet is scaled down.
      const stays = (pod: string) => (job.made.includes(pod) ? stay.includes(fateOf(pod)) : !job.endless.includes(pod));
      const staying = job.pods.filter(stays);
      const isInGrace = (pod: string) =>
        stays(pod) || (job.made.includes(pod) && fateOf(pod) === 'held up by a sidecar');
      await job.podsToBe(job.pods.filter(isInGrace));
      await fixture.settled();
      await job.podsToBe(job.pods.filter(isInGrace));
      fixture.clock.advance(PAST_GRACE_MS);
      await job.podsToBe(staying);
      await fixture.until(
        async () => !hasServices || (await job.liveServices()).length === (services ? before.length : 0),
        `Services of ${job.name} ${services ? 'stay' : 'go'}`,
      );
      await fixture.restartOperator();
      await fixture.settled();
      await job.podsToBe(staying);
      await fixture.countersToBe({ [ending.state === 'Failed' ? 'failed' : 'successful']: 1 });
    },
  };
}

function kept(stay: readonly Fate[], services: boolean): string {
  const pods = stay.length === 0 ? 'no pods' : stay.length === 4 ? 'all pods' : `pods that are ${stay.join(' or ')}`;
  return `keeps ${pods} and ${services ? 'all' : 'no'} Services`;
}
