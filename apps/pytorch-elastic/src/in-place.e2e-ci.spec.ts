/** A rank is killed in training that ranks cannot rejoin: all restart from their checkpoint, in place or in new pods. */
import { execFile } from 'node:child_process';
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LABELS, PODS, PYTORCH_CONTAINER, PYTORCH_JOBS, type PyTorchJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);

const fixture = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER);
const { client } = fixture;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-checkpoints-'));
  await chmod(folder, 0o777);
});
afterAll(() => rm(folder, { recursive: true }));

/** Epochs take long enough to kill a rank. New pods read the checkpoint from the node; a restart in place keeps it in the pod. */
async function training(name: string, inPlace: boolean): Promise<PyTorchJob> {
  const manifest = await fixture.example<PyTorchJob>('in-place');
  const { runPolicy, pytorchReplicaSpecs } = manifest.spec;
  for (const role of Object.values(pytorchReplicaSpecs)) {
    // The roles share one template by a YAML anchor.
    role.template = structuredClone(role.template);
    const { spec } = role.template;
    spec?.containers[0]?.env?.push({ name: 'EPOCH_SECONDS', value: '2' });
    const volumes = [{ name: 'checkpoints', hostPath: { path: folder, type: 'Directory' } }];
    if (spec !== undefined && !inPlace) spec.volumes = volumes;
  }
  const failurePolicy = inPlace ? runPolicy?.failurePolicy : { rules: [{ action: 'RestartJob' as const }] };
  return {
    ...manifest,
    metadata: { ...manifest.metadata, name },
    spec: { ...manifest.spec, runPolicy: { ...runPolicy, ...(failurePolicy && { failurePolicy }) } },
  };
}

async function uidsOf(job: string): Promise<string[]> {
  const { namespace } = fixture;
  const { items } = await client.list(PODS, { namespace, labelSelector: `${LABELS.jobName}=${job}` });
  return items.map(({ metadata }) => metadata?.uid ?? '').sort();
}

describe('a PyTorchJob with a killed rank', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it.each([
    ['in place', true],
    ['in new pods', false],
  ])('resumes training of all ranks from their checkpoint, %s', async (how, inPlace) => {
    const name = inPlace ? 'in-place' : 'recreated';
    const [leader, killed] = [`${name}-master-0`, `${name}-worker-1`];
    await client.create(PYTORCH_JOBS, await training(name, inPlace));
    await fixture.logged(leader, /^epoch 2\/10 /m);
    const before = await uidsOf(name);
    const namespace = ['--kubeconfig', fixture.kubeconfig, '--namespace', fixture.namespace];
    await run('kubectl', [...namespace, 'exec', killed, '-c', PYTORCH_CONTAINER, '--', 'sh', '-c', 'kill -TERM 1']);
    const killedAtMs = Date.now();
    await fixture.jobToBe(PYTORCH_JOBS, name, ({ status }) => status?.attempt === 1 && status.state === 'Running');
    await fixture.logged(leader, /^resumed from epoch \d+$/m);
    const seconds = ((Date.now() - killedAtMs) / 1000).toFixed(1);
    process.stdout.write(`${how}: all ranks trained again ${seconds} s after the fault\n`);
    const after = await uidsOf(name);
    const { status } = await fixture.toSucceed(PYTORCH_JOBS, name);
    expect(status).toMatchObject({ attempt: 1, restartCount: 1 });
    expect(after.filter((uid) => before.includes(uid))).toEqual(inPlace ? before : []);
    expect(await fixture.resultOf(leader)).toMatchObject({ workers: 3, agree: true });
    await fixture.podsToHaveEndedWell(name, [leader, `${name}-worker-0`, killed]);
  });
});
