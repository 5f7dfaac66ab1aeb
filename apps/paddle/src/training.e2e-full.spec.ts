/** Trains with Paddle in pods on a real node. The manifests are in `examples/`. */
import { silentProgress } from '@muster/cluster';
import { importImages } from '@muster/images';
import { PADDLE_CONTAINER, PADDLE_JOBS, type PaddleJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { beforeAll, expect, it } from 'vitest';

const IMAGE_TIMEOUT_MS = 900_000;

const fixture = await trainingFixture('paddle', PADDLE_CONTAINER);

beforeAll(async () => {
  const containerdSocket = process.env.MUSTER_E2E_CONTAINERD_SOCKET ?? '';
  await importImages(['paddle-examples'], { containerdSocket, progress: silentProgress });
}, IMAGE_TIMEOUT_MS);

it(
  'a PaddleJob trains one model with a master and two workers, and succeeds',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const manifest = await fixture.example<PaddleJob>('train');
    const { name } = manifest.metadata;
    await fixture.client.create(PADDLE_JOBS, manifest);
    const { status } = await fixture.toSucceed(PADDLE_JOBS, name);
    const { first, last, workers, agree } = await fixture.resultOf(`${name}-master-0`);
    expect({ workers, agree }).toEqual({ workers: 3, agree: true });
    expect(last).toBeLessThan(first / 5);
    expect(status?.restartCount).toBe(0);
  },
);
