/** Trains with torch and gloo in pods on a real node. The manifests are in `examples/`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PODS, PYTORCH_CONTAINER, PYTORCH_JOBS, type PyTorchJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

const fixture = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER);
const { client } = fixture;

async function kubectl(...args: string[]): Promise<void> {
  await run('kubectl', ['--kubeconfig', fixture.kubeconfig, '--namespace', fixture.namespace, ...args]);
}

describe('a PyTorchJob on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it('trains one model with a master and two workers, and succeeds', async () => {
    const manifest = await fixture.example<PyTorchJob>('static');
    const { name } = manifest.metadata;
    await client.create(PYTORCH_JOBS, manifest);
    const { status } = await fixture.toSucceed(PYTORCH_JOBS, name);
    const { first, last, workers, agree } = await fixture.resultOf(`${name}-master-0`);
    expect({ workers, agree }).toEqual({ workers: 3, agree: true });
    expect(last).toBeLessThan(first / 5);
    expect(status?.restartCount).toBe(0);
    await fixture.podsToHaveEndedWell(name, [`${name}-master-0`, `${name}-worker-0`, `${name}-worker-1`]);
  });

  it('that is elastic grows while it trains, recreates a deleted worker, and resumes from its checkpoint', async () => {
    const manifest = await fixture.example<PyTorchJob>('elastic');
    const container = manifest.spec.pytorchReplicaSpecs['Worker']?.template.spec?.containers[0];
    // Training lasts until the third worker has joined, however slowly it starts.
    container?.env?.push({ name: 'FINISH_WORKERS', value: '3' });
    const { name } = manifest.metadata;
    const { namespace } = fixture;
    const reporter = `${name}-worker-0`;
    const lost = `${name}-worker-1`;
    await client.create(PYTORCH_JOBS, manifest);
    await fixture.logged(reporter, /^epoch \d+\/\d+ loss \S+ workers 2$/m);
    await kubectl('scale', `pytorchjob/${name}`, '--replicas=3');
    await fixture.logged(reporter, /^epoch \d+\/\d+ loss \S+ workers 3$/m);
    const before = await client.get(PODS, { namespace, name: lost });
    await kubectl('delete', 'pod', lost, '--wait=false');
    await fixture.toSucceed(PYTORCH_JOBS, name);
    await fixture.podsToHaveEndedWell(name, [reporter, lost, `${name}-worker-2`]);
    const after = await client.get(PODS, { namespace, name: lost });
    expect(after.metadata?.uid).not.toBe(before.metadata?.uid);
    expect(await fixture.logOf(reporter)).toMatch(/^resumed from epoch \d+$/m);
    const { first, last, workers, agree } = await fixture.resultOf(reporter);
    expect({ workers, agree }).toEqual({ workers: 3, agree: true });
    expect(last).toBeLessThan(first / 5);
  });
});
