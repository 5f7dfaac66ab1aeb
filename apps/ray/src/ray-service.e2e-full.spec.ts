/** Applications of a real Ray Serve on a real node: configs, upgrades, and losses, under a steady load. */
import { RAY_CLUSTERS, type RayService } from '@muster/job-api';
import { eventually, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { rayFixture } from '../test-support/ray-fixture.ts';
import { activeCluster, conditionOf, pendingCluster, ServeFixture } from '../test-support/serve-fixture.ts';
import { steadyLoad, type HttpReply } from '../test-support/steady-load.ts';

const fixture = await rayFixture();

const FRUIT = ['mango', 2];

function isAnswer({ code, text }: HttpReply): boolean {
  return code === 200 && ['6.0', '8.0', '6', '8'].includes(text);
}

describe('a RayService on a real node', { timeout: TRAINING_TIMEOUT_MS }, () => {
  let service: ServeFixture;
  let spec: RayService['spec'];

  beforeAll(async () => {
    const example = await fixture.example<RayService>('rayservice');
    spec = example.spec;
    service = new ServeFixture(fixture, example.metadata.name);
    await fixture.create('rayservice');
    await service.toBeReady();
  }, TRAINING_TIMEOUT_MS);

  it('answers requests to both applications through its serve Service', async () => {
    await service.toAnswer('/fruit', FRUIT, { code: 200, text: '6' });
    await service.toAnswer('/calculator', ['MUL', 3], { code: 200, text: '6 pizzas, please' });
    const { status } = await service.get();
    expect(status?.activeServiceStatus?.applicationStatuses).toMatchObject({
      fruit: { status: 'RUNNING', serveDeploymentStatuses: { Mango: { status: 'HEALTHY' } } },
      calculator: { status: 'RUNNING' },
    });
  });

  it('applies a changed config in place', async () => {
    const cluster = activeCluster(await service.get());
    const heads = await fixture.podNames(cluster, { 'ray.io/node-type': 'head' });
    await service.change({ serveConfigV2: spec.serveConfigV2?.replace('price: 3', 'price: 4') });
    await service.toAnswer('/fruit', FRUIT, { code: 200, text: '8' });
    expect(activeCluster(await service.get())).toBe(cluster);
    expect(await fixture.podNames(cluster, { 'ray.io/node-type': 'head' })).toEqual(heads);
  });

  it('loses no request in an upgrade, also while the new cluster has a bad config', async () => {
    const before = activeCluster(await service.get());
    const load = steadyLoad(await service.url('/fruit'), FRUIT, isAnswer);

    // A changed variable of the head requires another cluster.
    const changed = withVariable(spec, 'UPGRADE', '1');
    const badConfig = spec.serveConfigV2?.replace('fruit_stand:app', 'missing_module:app') ?? '';
    await service.change({ rayClusterConfig: changed.rayClusterConfig, serveConfigV2: badConfig });
    const waiting = await service.toBe((seen) =>
      (conditionOf(seen, 'UpgradeInProgress')?.message ?? '').includes('missing_module'),
    );
    const { message } = conditionOf(waiting, 'UpgradeInProgress') ?? {};
    expect(message).toMatch(/application fruit is DEPLOY_FAILED: .*No module named 'missing_module'/);
    expect(message).not.toContain('\n');
    expect(activeCluster(waiting)).toBe(before);
    expect(conditionOf(waiting, 'Ready')?.status).toBe('True');
    const next = pendingCluster(waiting);

    await service.change({ serveConfigV2: spec.serveConfigV2 });
    await service.toBe((seen) => activeCluster(seen) === next && pendingCluster(seen) === '');
    await toBeDeleted(before);
    const { answered, lost } = await load.stop();
    expect(lost).toEqual([]);
    expect(answered).toBeGreaterThan(100);
    await service.toAnswer('/fruit', FRUIT, { code: 200, text: '6' });
  });

  it('submits the applications again to a head that is recreated without fault tolerance', async () => {
    const cluster = activeCluster(await service.get());
    const [head = ''] = await fixture.podNames(cluster, { 'ray.io/node-type': 'head' });
    const submissions = ({ status }: RayService) => status?.activeServiceStatus?.submitted?.number ?? 0;
    const before = submissions(await service.get());
    await fixture.lose(head);
    await service.toBe((seen) => submissions(seen) > before);
    await service.toBeReady();
    await service.toAnswer('/fruit', FRUIT, { code: 200, text: '6' });
    expect(activeCluster(await service.get())).toBe(cluster);
  });
});

/** With another variable in the head. */
function withVariable(spec: RayService['spec'], name: string, value: string): RayService['spec'] {
  const { rayClusterConfig } = spec;
  const { headGroupSpec } = rayClusterConfig;
  const { template } = headGroupSpec;
  const [ray, ...others] = template.spec!.containers;
  const containers = [{ ...ray!, env: [...(ray!.env ?? []), { name, value }] }, ...others];
  const head = { ...headGroupSpec, template: { ...template, spec: { ...template.spec, containers } } };
  return { ...spec, rayClusterConfig: { ...rayClusterConfig, headGroupSpec: head } };
}

async function toBeDeleted(cluster: string): Promise<void> {
  let seen: string[] = [];
  await eventually(
    async () => {
      const { items } = await fixture.client.list(RAY_CLUSTERS, { namespace: fixture.namespace });
      seen = items.map(({ metadata }) => metadata?.name ?? '');
      return !seen.includes(cluster);
    },
    { withinMs: TRAINING_TIMEOUT_MS / 4, describe: () => ({ deleted: cluster, seen }) },
  );
}
