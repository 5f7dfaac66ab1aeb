/** Trains with Paddle in pods on a real node. The manifests are in `examples/`. */
import { silentProgress } from '@muster/cluster';
import { importImages } from '@muster/images';
import {
  HORIZONTAL_POD_AUTOSCALERS,
  PADDLE_CONTAINER,
  PADDLE_JOBS,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  type PaddleJob,
  type PersistentVolumeClaim,
} from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { beforeAll, expect, it } from 'vitest';

const IMAGE_TIMEOUT_MS = 900_000;

const fixture = await trainingFixture('paddle', PADDLE_CONTAINER);
const { client } = fixture;

beforeAll(async () => {
  const containerdSocket = process.env.MUSTER_E2E_CONTAINERD_SOCKET ?? '';
  await importImages(['paddle-examples'], { containerdSocket, progress: silentProgress });
}, IMAGE_TIMEOUT_MS);

const workersOf = (name: string, count: number) =>
  Array.from({ length: count }, (_worker, index) => `${name}-worker-${index}`);

it(
  'a PaddleJob trains one model with three workers, and succeeds when all have',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const manifest = await fixture.example<PaddleJob>('train');
    const { name } = manifest.metadata;
    await client.create(PADDLE_JOBS, manifest);
    const { status } = await fixture.toSucceed(PADDLE_JOBS, name);
    const { first, last, workers, agree } = await fixture.resultOf(`${name}-worker-0`);
    expect({ workers, agree }).toEqual({ workers: 3, agree: true });
    expect(last).toBeLessThan(first / 5);
    expect(status?.restartCount).toBe(0);
    await fixture.podsToHaveEndedWell(name, workersOf(name, 3));
  },
);

it(
  'a PaddleJob that loses a worker trains again: the other workers fail, and all connect again',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const { metadata, spec, ...manifest } = await fixture.example<PaddleJob>('train');
    const name = 'paddle-loses-a-worker';
    const env = [
      { name: 'OMP_NUM_THREADS', value: '1' },
      { name: 'EPOCH_SECONDS', value: '1' },
    ];
    const { template, ...worker } = spec.paddleReplicaSpecs.Worker!;
    const containers = (template.spec?.containers ?? []).map((container) => ({ ...container, env }));
    const job: PaddleJob = {
      ...manifest,
      metadata: { ...metadata, name },
      spec: {
        ...spec,
        paddleReplicaSpecs: { Worker: { ...worker, template: { spec: { ...template.spec, containers } } } },
      },
    };
    await client.create(PADDLE_JOBS, job);
    await fixture.logged(`${name}-worker-0`, /^epoch 3\/20 /m);
    await client.delete(PODS, { namespace: fixture.namespace, name: `${name}-worker-1` });
    const { status } = await fixture.toSucceed(PADDLE_JOBS, name);
    const { workers, agree } = await fixture.resultOf(`${name}-worker-0`);
    expect({ workers, agree }).toEqual({ workers: 3, agree: true });
    // The containers of the other two workers.
    expect(status?.restartCount).toBeGreaterThanOrEqual(2);
  },
);

it(
  'an elastic PaddleJob is scaled from two workers to three and back, and resumes from its checkpoint each time',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const [claim, manifest] = await fixture.examples('elastic');
    const { name = '' } = manifest?.metadata ?? {};
    const { namespace } = fixture;
    const first = `${name}-worker-0`;
    await client.create(PERSISTENT_VOLUME_CLAIMS, claim as PersistentVolumeClaim);
    await client.create(PADDLE_JOBS, manifest as PaddleJob);
    await fixture.logged(first, /^epoch 2\/40 .* workers 2$/m);

    for (const [attempt, replicas] of [
      [1, 3],
      [2, 2],
    ]) {
      await client.patch(PADDLE_JOBS, { namespace, name }, { spec: { replicas } }, { subresource: 'scale' });
      await fixture.jobToBe(
        PADDLE_JOBS,
        name,
        ({ status }) => status?.attempt === attempt && status?.state === 'Running',
      );
      await fixture.logged(first, new RegExp(`^resumed from epoch \\d+$[^]*^epoch .* workers ${replicas}$`, 'm'));
      const { status } = await client.get(PADDLE_JOBS, { namespace, name });
      expect(status).toMatchObject({
        restartCount: 0,
        ready: `${replicas}/${replicas}`,
        elastic: { granted: replicas },
      });
    }

    await client.patch(PADDLE_JOBS, { namespace, name }, { spec: { elasticPolicy: { metrics: [] } } });
    await fixture.objectToBe(
      HORIZONTAL_POD_AUTOSCALERS,
      name,
      ({ spec }) => spec?.maxReplicas === 3,
      () => Promise.resolve({}),
    );
    await fixture.toSucceed(PADDLE_JOBS, name);
    const { workers, agree } = await fixture.resultOf(first);
    expect({ workers, agree }).toEqual({ workers: 2, agree: true });
  },
);
