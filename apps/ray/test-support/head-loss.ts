import type { RayJob } from '@muster/job-api';
import { expect } from 'vitest';
import { expectTraining, type RayFixture } from './ray-fixture.ts';

/** Runs the example and deletes its head while it trains: the job succeeds on another head. */
export async function expectHeadLossSurvived(fixture: RayFixture, example: string): Promise<void> {
  const { metadata } = await fixture.example<RayJob>(example);
  await fixture.create(example);
  const lost = await fixture.loseHeadWhileTraining(metadata.name);
  const { status = {} } = await fixture.jobToEnd(metadata.name);
  expect(status, status.message).toMatchObject({
    jobStatus: 'SUCCEEDED',
    jobDeploymentStatus: 'Complete',
    succeeded: 1,
  });
  const { rayClusterName: cluster = '', jobId = '' } = status;
  expectTraining(await fixture.printed(cluster, jobId), 2);
  const heads = await fixture.podNames(cluster, { 'ray.io/node-type': 'head' });
  expect(heads).toHaveLength(1);
  expect(heads).not.toContain(lost);
}
