/** Trains with XGBoost and LightGBM in pods on a real node. The manifests are in `examples/`. */
import { silentProgress } from '@muster/cluster';
import { importImages } from '@muster/images';
import { PODS, XGBOOST_CONTAINER, XGBOOST_JOBS, type XGBoostJob } from '@muster/job-api';
import { trainingFixture, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { beforeAll, expect, it } from 'vitest';

const IMAGE_TIMEOUT_MS = 900_000;

const fixture = await trainingFixture('xgboost', XGBOOST_CONTAINER);

beforeAll(async () => {
  const containerdSocket = process.env.MUSTER_E2E_CONTAINERD_SOCKET ?? '';
  await importImages(['xgboost-examples'], { containerdSocket, progress: silentProgress });
}, IMAGE_TIMEOUT_MS);

it(
  'an XGBoostJob trains one model with a master and two workers, and succeeds',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const manifest = await fixture.example<XGBoostJob>('train');
    const { name } = manifest.metadata;
    await fixture.client.create(XGBOOST_JOBS, manifest);
    const { status } = await fixture.toSucceed(XGBOOST_JOBS, name);
    const { first, last, workers, agree } = await fixture.resultOf(`${name}-master-0`);
    expect({ workers, agree }).toEqual({ workers: 3, agree: true });
    expect(last).toBeLessThan(first / 5);
    expect(status?.restartCount).toBe(0);
  },
);

it(
  'an XGBoostJob trains with LightGBM, which gets the addresses of all pods, and all end with the same trees',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const manifest = await fixture.example<XGBoostJob>('lightgbm');
    const { name } = manifest.metadata;
    await fixture.client.create(XGBOOST_JOBS, manifest);
    await fixture.toSucceed(XGBOOST_JOBS, name);
    const pods = [`${name}-master-0`, `${name}-worker-0`, `${name}-worker-1`];
    await fixture.podsToHaveEndedWell(name, pods);
    const { first, last, workers } = await fixture.resultOf(`${name}-master-0`);
    expect(workers).toBe(3);
    expect(last).toBeLessThan(first / 5);
    const logs = await Promise.all(pods.map((pod) => fixture.logOf(pod)));
    const models = logs.map((log) => /^model ([0-9a-f]{32})$/m.exec(log)?.[1]);
    expect(models).toEqual(pods.map(() => models[0]));
    expect(models[0]).toBeDefined();
  },
);

it(
  'an XGBoostJob under OnFailure that loses a worker trains again: the other pods fail, and all connect again',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    const { metadata, spec, ...manifest } = await fixture.example<XGBoostJob>('train');
    const name = 'xgboost-loses-a-worker';
    const roles = Object.entries(spec.xgbReplicaSpecs).map(([role, { template, ...replicaSpec }]) => {
      const containers = (template.spec?.containers ?? []).map((container) => ({
        ...container,
        env: [{ name: 'EPOCH_SECONDS', value: '1' }],
      }));
      return [
        role,
        { ...replicaSpec, restartPolicy: 'OnFailure', template: { spec: { ...template.spec, containers } } },
      ] as const;
    });
    const job: XGBoostJob = {
      ...manifest,
      metadata: { ...metadata, name },
      spec: { ...spec, xgbReplicaSpecs: Object.fromEntries(roles) },
    };
    await fixture.client.create(XGBOOST_JOBS, job);
    await fixture.logged(`${name}-master-0`, /^epoch 3\/30 /m);
    await fixture.client.delete(PODS, { namespace: fixture.namespace, name: `${name}-worker-1` });
    const { status } = await fixture.toSucceed(XGBOOST_JOBS, name);
    const { workers, agree } = await fixture.resultOf(`${name}-master-0`);
    expect({ workers, agree }).toEqual({ workers: 3, agree: true });
    // The containers of the master and of the other worker.
    expect(status?.restartCount).toBeGreaterThanOrEqual(2);
  },
);
