/** Launchers other than torchrun, and a rendezvous outside of the workers. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentProgress } from '@muster/cluster';
import { importImages } from '@muster/images';
import { PYTORCH_CONTAINER, PYTORCH_JOBS } from '@muster/job-api';
import { trainingResult, trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const EXAMPLES = join(import.meta.dirname, '../../../examples/pytorch-elastic');
const IMAGE_TIMEOUT_MS = 900_000;

const fixture = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER);

beforeAll(async () => {
  const containerdSocket = process.env.MUSTER_E2E_CONTAINERD_SOCKET ?? '';
  await importImages(['torch-launcher-examples'], { containerdSocket, progress: silentProgress });
}, IMAGE_TIMEOUT_MS);

it.each([
  { launcher: "Accelerate's launcher", example: 'accelerate', job: 'pytorch-accelerate', processes: 4 },
  { launcher: "DeepSpeed's launcher", example: 'deepspeed', job: 'pytorch-deepspeed', processes: 4 },
  { launcher: 'torchrun with a rendezvous at etcd', example: 'etcd-rendezvous', job: 'pytorch-etcd', processes: 2 },
])(
  '$launcher trains a group of $processes processes in two pods',
  async ({ example, job, processes }) => {
    const { kubeconfig, namespace } = fixture;
    const where = ['--kubeconfig', kubeconfig, '--namespace', namespace];
    await run('kubectl', [...where, 'apply', '-f', join(EXAMPLES, `${example}.yaml`)]);
    await fixture.toSucceed(PYTORCH_JOBS, job);
    const logs = await Promise.all([0, 1].map((index) => fixture.logOf(`${job}-worker-${index}`)));
    const { first, last, workers, agree } = trainingResult(logs.join('\n'));
    expect({ workers, agree }).toEqual({ workers: processes, agree: true });
    expect(last).toBeLessThan(first / 5);
  },
  TRAINING_TIMEOUT_MS,
);
