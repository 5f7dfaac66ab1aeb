/** A RayService under a steady load while it loses a worker, and its head with fault tolerance. */
import { PODS, RAY_SERVICES, SECRETS, SERVICES, type KubeObject, type RayJob } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { rayFixture } from '../test-support/ray-fixture.ts';
import { activeCluster, ServeFixture } from '../test-support/serve-fixture.ts';
import { steadyLoad } from '../test-support/steady-load.ts';

const fixture = await rayFixture();

const LIMIT_MS = TRAINING_TIMEOUT_MS / 4;
const NAME = 'ray-serve-redis';
const HEAD = { 'ray.io/node-type': 'head' };
const WORKERS = { 'ray.io/node-type': 'worker' };
const MANGO = ['mango', 2];

/** A replica of the two deployments that answer on each worker. The head has no CPUs for Ray, so it has none. */
const CONFIG = `
applications:
  - name: fruit
    import_path: fruit_stand:app
    route_prefix: /fruit
    deployments:
      - { name: Mango, num_replicas: 2, max_replicas_per_node: 1, ray_actor_options: { num_cpus: 0.1 } }
      - { name: Orange, num_replicas: 1, ray_actor_options: { num_cpus: 0.1 } }
      - { name: FruitStand, num_replicas: 2, max_replicas_per_node: 1, ray_actor_options: { num_cpus: 0.1 } }
`;

describe('a RayService with fault tolerance on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  const service = new ServeFixture(fixture, NAME);

  beforeAll(async () => {
    const { namespace } = fixture;
    // Redis and its password, without the RayJob that uses them.
    for (const object of (await fixture.training.examples('redis')).slice(0, -1)) await create(object);
    const job = await fixture.example<RayJob>('redis');
    const [small] = job.spec.rayClusterSpec!.workerGroupSpecs!;
    await fixture.client.create(RAY_SERVICES, {
      apiVersion: 'ray.io/v1',
      kind: 'RayService',
      metadata: { name: NAME, namespace },
      spec: {
        serveConfigV2: CONFIG,
        // A request at a head that is lost is lost with it.
        excludeHeadPodFromServeSvc: true,
        rayClusterConfig: { ...job.spec.rayClusterSpec!, workerGroupSpecs: [small!] },
      },
    });
    await service.toBe(({ status }) => (status?.numServeEndpoints ?? 0) >= 2);
    await service.toAnswer('/fruit', MANGO, { code: 200, text: '6' });
  }, TRAINING_TIMEOUT_MS);

  it('loses no request while its head is recreated', async () => {
    const cluster = activeCluster(await service.get());
    const [head = ''] = await fixture.podNames(cluster, HEAD);
    const before = (await fixture.pods(cluster, HEAD))[0]?.metadata.uid;
    const load = steadyLoad(await service.url('/fruit'), MANGO, ({ code, text }) => code === 200 && text === '6');
    await fixture.lose(head);
    await headToBeReplaced(cluster, before);
    const soFar = load.answered;
    await eventually(() => load.answered > soFar + 25 || load.lost.length > 0, { withinMs: LIMIT_MS });
    const { answered, lost } = await load.stop();
    expect(lost).toEqual([]);
    expect(answered).toBeGreaterThan(50);
    // With fault tolerance Ray Serve keeps its config: there is no other submission.
    expect((await service.get()).status?.activeServiceStatus?.submitted?.number).toBe(1);
  });

  it('serves again when a lost worker is recreated, and loses few requests', async () => {
    const cluster = activeCluster(await service.get());
    const [worker = ''] = await fixture.podNames(cluster, WORKERS);
    const load = steadyLoad(await service.url('/fruit'), MANGO, ({ code, text }) => code === 200 && text === '6');
    await fixture.lose(worker);
    await service.toBe(({ status }) => (status?.numServeEndpoints ?? 0) === 1);
    await service.toBe(({ status }) => (status?.numServeEndpoints ?? 0) === 2);
    const { answered, lost } = await load.stop();
    // Only requests that were sent to the worker before its endpoint was removed.
    expect(lost.length, lost.join('\n')).toBeLessThan(answered / 10);
    await service.toAnswer('/fruit', MANGO, { code: 200, text: '6' });
    expect(activeCluster(await service.get())).toBe(cluster);
  });
});

/** Waits until another head is ready. */
async function headToBeReplaced(cluster: string, before: string | undefined): Promise<void> {
  let seen: unknown;
  await eventually(
    async () => {
      const [head] = await fixture.pods(cluster, HEAD);
      seen = head?.status;
      const isReady = head?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
      return head !== undefined && head.metadata.uid !== before && isReady;
    },
    { withinMs: LIMIT_MS, describe: () => ({ head: seen }) },
  );
}

async function create(object: KubeObject): Promise<void> {
  const resource = [SECRETS, SERVICES, PODS].find(({ kind }) => kind === object.kind);
  if (resource === undefined) throw new Error(`examples/ray/redis.yaml has a ${object.kind}`);
  await fixture.client.create(resource, object);
}
