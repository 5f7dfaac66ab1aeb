import type { RayJob } from '@muster/job-api';
import { expect } from 'vitest';
import { expectTraining, type RayFixture } from './ray-fixture.ts';

/** Runs the example and deletes its head while it trains: the job succeeds on another head. */
export async function expectHeadLossSurvived(stage: RayFixture, example: string): Promise<void> {
  const { metadata } = await stage.example<RayJob>(example);
  await stage.create(example);
  const lost = await stage.loseHeadWhileTraining(metadata.name);
  const { status = {} } = await stage.jobToEnd(metadata.name);
  expect(status, status.message).toMatchObject({
    jobStatus: 'SUCCEEDED',
    jobDeploymentStatus: 'Complete',
    succeeded: 1,
  });
  const { rayClusterName: cluster = '', jobId = '' } = status;
  expectTraining(await stage.printed(cluster, jobId), 2);
  const heads = await stage.podNames(cluster, { 'ray.io/node-type': 'head' });
  expect(heads).toHaveLength(1);
  expect(heads).not.toContain(lost);
}
