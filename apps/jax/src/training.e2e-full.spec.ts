/** Trains with JAX in pods on a real node. The manifests are in `examples/`. */
import { silentProgress } from '@muster/cluster';
import { importImages } from '@muster/images';
import { JAX_CONTAINER, JAX_JOBS, PODS, type JAXJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { beforeAll, expect, it } from 'vitest';

const IMAGE_TIMEOUT_MS = 900_000;

const fixture = await trainingFixture('jax', JAX_CONTAINER);

beforeAll(async () => {
  const containerdSocket = process.env.MUSTER_E2E_CONTAINERD_SOCKET ?? '';
  await importImages(['jax-examples'], { containerdSocket, progress: silentProgress });
}, IMAGE_TIMEOUT_MS);

interface Changes {
  readonly restartPolicy: 'Never' | 'OnFailure';
  readonly failurePolicy?: JAXJob['spec']['runPolicy']['failurePolicy'];
}

/** The example's job with some epochs of a second, so that there is time to lose a pod. */
async function slowJob(name: string, { restartPolicy, failurePolicy }: Changes): Promise<JAXJob> {
  const { metadata, spec, ...manifest } = await fixture.example<JAXJob>('train');
  const { template, ...worker } = spec.jaxReplicaSpecs.Worker!;
  const containers = (template.spec?.containers ?? []).map((container) => ({
    ...container,
    env: [
      { name: 'EPOCHS', value: '8' },
      { name: 'EPOCH_SECONDS', value: '1' },
    ],
  }));
  const Worker = { ...worker, restartPolicy, template: { spec: { ...template.spec, containers } } };
  return {
    ...manifest,
    metadata: { ...metadata, name },
    spec: { runPolicy: { suspend: false, ...(failurePolicy && { failurePolicy }) }, jaxReplicaSpecs: { Worker } },
  };
}

/** Deletes the pod at once when the job has trained for some epochs. */
async function lose(job: string, index: number): Promise<void> {
  await fixture.logged(`${job}-worker-0`, /^epoch 3\/8 /m);
  await fixture.client.delete(PODS, { namespace: fixture.namespace, name: `${job}-worker-${index}` });
}

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

it.each([
  { what: 'a worker', index: 1 },
  { what: 'worker 0, which has the coordinator', index: 0 },
])(
  'a JAXJob under OnFailure that loses $what trains again: the other processes end, and all connect again',
  { timeout: TRAINING_TIMEOUT_MS },
  async ({ index }) => {
    const name = `jax-loses-${index}`;
    await fixture.client.create(JAX_JOBS, await slowJob(name, { restartPolicy: 'OnFailure' }));
    await lose(name, index);
    const { status } = await fixture.toSucceed(JAX_JOBS, name);
    const { workers, agree } = await fixture.resultOf(`${name}-worker-0`);
    expect({ workers, agree }).toEqual({ workers: 3, agree: true });
    // The containers of the other two.
    expect(status?.restartCount).toBeGreaterThanOrEqual(2);
  },
);

it(
  'a JAXJob with the action RestartJob that loses a worker continues with new pods, as its second attempt',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const name = 'jax-restarts-together';
    const failurePolicy = { rules: [{ action: 'RestartJob' as const }] };
    await fixture.client.create(JAX_JOBS, await slowJob(name, { restartPolicy: 'Never', failurePolicy }));
    await lose(name, 1);
    const { status } = await fixture.toSucceed(JAX_JOBS, name);
    const { workers, agree } = await fixture.resultOf(`${name}-worker-0`);
    expect({ workers, agree }).toEqual({ workers: 3, agree: true });
    expect(status?.attempt).toBe(1);
  },
);

it(
  'a JAXJob under Never fails when a worker is lost, and names that worker as the first failure',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const name = 'jax-fails';
    await fixture.client.create(JAX_JOBS, await slowJob(name, { restartPolicy: 'Never' }));
    await lose(name, 2);
    const { status } = await fixture.toEnd(JAX_JOBS, name, 'Failed');
    expect(status?.firstFailure).toMatchObject({ role: 'Worker', index: 2 });
  },
);
