/** What is written for a RayJob, and sent to its dashboard, at different points of its life. */
import { describe, expect, it } from 'vitest';
import { planRayJob, type RayJobWorld } from '../../test-support/ray-job-worlds.ts';

const RUNNING = { status: 200, body: { status: 'RUNNING', message: '' } };
const BACKOFF_EXCEEDED = {
  conditions: [
    {
      type: 'Failed',
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'it has failed',
      lastTransitionTime: '2026-01-01T00:00:50Z',
    },
  ],
};

describe('a RayJob whose submitter fails while Ray runs the job', () => {
  const world: RayJobWorld = {
    spec: { shutdownAfterJobFinishes: true },
    record: { jobStatus: 'RUNNING' },
    submitter: BACKOFF_EXCEEDED,
    facts: { 'job mnist-abcde': RUNNING },
    now: 600,
  };

  it('runs on', () => {
    const { shown, ownedResources, calls } = planRayJob(world);
    expect(shown).toMatchObject({ jobDeploymentStatus: 'Running', jobStatus: 'RUNNING' });
    expect(ownedResources.remove).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('ends as Ray says', () => {
    const { shown } = planRayJob({
      ...world,
      facts: { 'job mnist-abcde': { status: 200, body: { status: 'SUCCEEDED', message: 'done' } } },
    });
    expect(shown).toMatchObject({ jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED', succeeded: 1, failed: 0 });
  });
});
