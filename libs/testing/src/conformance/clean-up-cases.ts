/** Which pods and Services of a finished job stay, by cleanPodPolicy and by how the job ended. */
import { expect } from 'vitest';
import type { ConformanceCase } from './conformance-case.ts';
import { failed, heldUpBySidecar, succeeded } from './pod-report.ts';
import type { Stage } from './stage.ts';
import type { StagedJob } from './staged-job.ts';

type Policy = 'None' | 'Running' | 'All' | undefined;

interface Ending {
  readonly state: 'Succeeded' | 'Failed';
  /** Brings the job to its end with one pod that has ended and one that still runs; returns these two. */
  reach(stage: Stage, job: StagedJob): Promise<{ ended: string; stillRuns: string }>;
}

const SUCCEEDED: Ending = {
  state: 'Succeeded',
  // All have ended well, but a sidecar keeps one pod running.
  async reach(stage, job) {
    const { containerName } = stage.framework;
    const ended = job.deciding.at(-1) ?? '';
    const stillRuns = job.pods.find((pod) => pod !== ended) ?? '';
    const heldUp = heldUpBySidecar(containerName, 'sidecar', 0);
    for (const pod of job.deciding) await stage.report(pod, pod === ended ? succeeded(containerName) : heldUp);
    return { ended, stillRuns };
  },
};

const FAILED: Ending = {
  state: 'Failed',
  async reach(stage, job) {
    const [ended = '', stillRuns = ''] = job.workerPods;
    await stage.report(ended, failed(stage.framework.containerName, 1));
    return { ended, stillRuns };
  },
};

interface Row {
  readonly policy: Policy;
  readonly ending: Ending;
  readonly stays: { readonly ended: boolean; readonly stillRuns: boolean; readonly services: boolean };
}

const ROWS: readonly Row[] = [
  { policy: 'None', ending: SUCCEEDED, stays: { ended: true, stillRuns: true, services: true } },
  { policy: 'None', ending: FAILED, stays: { ended: true, stillRuns: true, services: true } },
  { policy: 'Running', ending: SUCCEEDED, stays: { ended: true, stillRuns: false, services: false } },
  { policy: 'Running', ending: FAILED, stays: { ended: true, stillRuns: false, services: false } },
  { policy: 'All', ending: SUCCEEDED, stays: { ended: false, stillRuns: false, services: false } },
  { policy: 'All', ending: FAILED, stays: { ended: false, stillRuns: false, services: false } },
  { policy: undefined, ending: SUCCEEDED, stays: { ended: true, stillRuns: false, services: true } },
  { policy: undefined, ending: FAILED, stays: { ended: true, stillRuns: true, services: true } },
];

export const cleanUpCases: readonly ConformanceCase[] = ROWS.map(({ policy, ending, stays }) => ({
  name: `cleanPodPolicy ${policy ?? 'unset'} of a job that has ${ending.state}: ${words(stays)}`,
  async play(stage) {
    const containers = [stage.framework.containerName, 'sidecar'];
    const job = await stage.job({
      restartPolicy: 'Never',
      runPolicy: policy === undefined ? {} : { cleanPodPolicy: policy },
      podSpec: { containers: containers.map((name) => ({ name, image: 'registry.example/x:1' })) },
    });
    await job.run();
    const services = await job.liveServices();
    expect(services).not.toEqual([]);
    const { ended, stillRuns } = await ending.reach(stage, job);
    await job.stateToBe(ending.state);
    const gone = [...(stays.ended ? [] : [ended]), ...(stays.stillRuns ? [] : [stillRuns])];
    await job.podsToBe(job.pods.filter((pod) => !gone.includes(pod)));
    await stage.until(
      async () => (await job.liveServices()).length === (stays.services ? services.length : 0),
      `Services of ${job.name} ${stays.services ? 'stay' : 'go'}`,
    );
    await stage.restartOperator();
    await stage.settled();
    await job.podsToBe(job.pods.filter((pod) => !gone.includes(pod)));
    await stage.countersToBe({ [ending.state === 'Failed' ? 'failed' : 'successful']: 1 });
  },
}));

function words({ ended, stillRuns, services }: Row['stays']): string {
  const all = { 'ended pods': ended, 'running pods': stillRuns, Services: services };
  return Object.entries(all)
    .map(([what, stay]) => `${what} ${stay ? 'stay' : 'go'}`)
    .join(', ');
}
