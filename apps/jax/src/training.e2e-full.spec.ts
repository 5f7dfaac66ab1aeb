/** Trains with JAX in pods on a real node. The manifests are in `examples/`. */
import { silentProgress } from '@muster/cluster';
import { importImages } from '@muster/images';
import { JAX_CONTAINER, JAX_JOBS, type JAXJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { beforeAll, expect, it } from 'vitest';

const IMAGE_TIMEOUT_MS = 900_000;

const fixture = await trainingFixture('jax', JAX_CONTAINER);

beforeAll(async () => {
  const containerdSocket = process.env.MUSTER_E2E_CONTAINERD_SOCKET ?? '';
  await importImages(['jax-examples'], { containerdSocket, progress: silentProgress });
}, IMAGE_TIMEOUT_MS);

it('a JAXJob trains one model with three workers, and succeeds', { timeout: TRAINING_TIMEOUT_MS }, async () => {
  const manifest = await fixture.example<JAXJob>('train');
  const { name } = manifest.metadata;
  await fixture.client.create(JAX_JOBS, manifest);
  const { status } = await fixture.toSucceed(JAX_JOBS, name);
  const { first, last, workers, agree } = await fixture.resultOf(`${name}-worker-0`);
  expect({ workers, agree }).toEqual({ workers: 3, agree: true });
  expect(last).toBeLessThan(first / 5);
  expect(status?.restartCount).toBe(0);
});
