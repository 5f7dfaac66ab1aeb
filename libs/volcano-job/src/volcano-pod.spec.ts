import { newWorld, planJob } from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import { expect, it } from 'vitest';
import { PLAIN_PLUGIN, volcanoJob } from '../test-support/volcano-jobs.ts';
import { volcanoJobAdapter } from './volcano-job-adapter.ts';

it("applies the framework's changes to pods of its tasks only, and the network to all pods", () => {
  const job = volcanoJob({ plugins: { tensorflow: ['--note=node-1'] } }, { worker: {}, tensorboard: {} });
  const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
  const { create } = planned(planJob(volcanoJobAdapter(PLAIN_PLUGIN), newWorld(job, 0), settings));
  expect(create.pods.map(({ spec }) => [spec?.hostname, spec?.nodeName])).toEqual([
    ['pi-worker-0', 'node-1'],
    ['pi-tensorboard-0', undefined],
  ]);
});
