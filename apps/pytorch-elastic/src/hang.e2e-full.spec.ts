/** A real hang: one rank of a gloo job never enters its collective, so the others wait forever. */
import { EVENTS, PYTORCH_CONTAINER, PYTORCH_JOBS, type PyTorchJob } from '@muster/job-api';
import { eventually, trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';

const fixture = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER);
const { client } = fixture;

async function example(name: string, env: Readonly<Record<string, string>>): Promise<PyTorchJob> {
  const manifest = await fixture.example<PyTorchJob>('progress');
  const container = manifest.spec.pytorchReplicaSpecs['Worker']?.template.spec?.containers[0];
  for (const variable of container?.env ?? []) variable.value = env[variable.name] ?? variable.value ?? '';
  return { ...manifest, metadata: { ...manifest.metadata, name } };
}

describe('a PyTorchJob that reports its progress', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('has the progress in its status, and succeeds', async () => {
    await client.create(PYTORCH_JOBS, await example('goes-on', { STEPS: '60' }));
    const { status } = await fixture.jobToBe(PYTORCH_JOBS, 'goes-on', (job) => (job.status?.progress?.step ?? 0) > 0);
    expect(status?.progress).toMatchObject({ metrics: { loss: expect.any(Number) as number } });
    expect(status?.progress?.percent).toBeGreaterThan(0);
    expect(status?.progress?.estimatedRemainingSeconds).toBeGreaterThan(0);
    await fixture.toSucceed(PYTORCH_JOBS, 'goes-on');
  });

  it('is detected when it hangs, with the rank for which the others wait', async () => {
    const job = await example('hangs', { SLEEP_AT: '1:20' });
    await client.create(PYTORCH_JOBS, job);
    const { status } = await fixture.jobToBe(
      PYTORCH_JOBS,
      'hangs',
      (seen) => seen.status?.progress?.message !== undefined,
    );
    expect(await fixture.logOf('hangs-worker-1')).toContain('sleeps');
    expect(status?.progress?.behind).toEqual({ role: 'Worker', index: 1, pod: 'hangs-worker-1' });
    expect(status?.progress?.message).toMatch(
      /^no progress for 60 s, since \S+: hangs-worker-1 \(Worker 1\) is behind, at step 19; the furthest is at step 20$/,
    );
    expect(status).toMatchObject({ state: 'Running', restartCount: 0 });
    const { namespace } = fixture;
    const reasons = async () => (await client.list(EVENTS, { namespace })).items.map(({ reason }) => reason);
    await eventually(async () => (await reasons()).includes('NoProgress'), { withinMs: 60_000, describe: reasons });
    await client.delete(PYTORCH_JOBS, { namespace, name: 'hangs' });
  });
});
