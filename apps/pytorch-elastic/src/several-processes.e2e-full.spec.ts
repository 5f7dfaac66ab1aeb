/** Several training processes per pod, started by torchrun: in two pods, and in a standalone pod. */
import { PYTORCH_CONTAINER, PYTORCH_JOBS, type PyTorchJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { expect, it } from 'vitest';

const fixture = await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER);

it.each([
  { example: 'several-processes', workers: 4, pods: 2 },
  { example: 'standalone', workers: 2, pods: 1 },
])(
  'trains a group of $workers processes in $pods pods: $example',
  async ({ example, workers }) => {
    const manifest = await fixture.example<PyTorchJob>(example);
    const { name } = manifest.metadata;
    await fixture.client.create(PYTORCH_JOBS, manifest);
    await fixture.toSucceed(PYTORCH_JOBS, name);
    const { first, last, workers: gathered, agree } = await fixture.resultOf(`${name}-worker-0`);
    expect({ gathered, agree }).toEqual({ gathered: workers, agree: true });
    expect(last).toBeLessThan(first / 5);
  },
  TRAINING_TIMEOUT_MS,
);
