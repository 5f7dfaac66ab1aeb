/** The real schedulers of Volcano, scheduler-plugins and Kubernetes in one cluster. Building them takes minutes. */
import { clusterDown, clusterUp, nativeGangs, terminalProgress } from '@muster/cluster';
import { COSCHEDULING_POD_GROUPS, NATIVE_POD_GROUPS, VOLCANO_POD_GROUPS } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { startCoscheduling, startVolcano, type RunningProgram } from '@muster/schedulers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangCases } from '../test-support/gang-cases.ts';
import { GangFixture } from '../test-support/gang-fixture.ts';

const CLUSTER = `gangs-${process.pid}`;
const LIMIT_MS = 1_200_000;
const BUILD_LIMIT_MS = 3_600_000;
const COSCHEDULING = 'coscheduling';

let client: ClusterClient;
let schedulers: readonly RunningProgram[] = [];
let fixture: GangFixture;

const key = (name: string) => ({ namespace: 'default', name });

const GANG_SCHEDULERS = [
  {
    gangScheduler: 'volcano',
    unschedulable: /^(Unschedulable|WaitingForPodGroup): .*(NotEnoughResources|capacity)/,
    least: async (job: string) => (await client.get(VOLCANO_POD_GROUPS, key(job))).spec?.minMember,
  },
  {
    gangScheduler: COSCHEDULING,
    unschedulable: /^Unschedulable: /,
    least: async (job: string) => (await client.get(COSCHEDULING_POD_GROUPS, key(job))).spec?.minMember,
  },
  {
    gangScheduler: 'kubernetes',
    unschedulable: /^Unschedulable: /,
    least: async (job: string) =>
      (await client.get(NATIVE_POD_GROUPS, key(job))).spec?.schedulingPolicy?.gang?.minCount,
  },
];

beforeAll(async () => {
  const cluster = await clusterUp({
    name: CLUSTER,
    nodes: 1,
    ...nativeGangs(),
    progress: terminalProgress(),
  });
  client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), { userAgent: 'muster-test/0' });
  schedulers = [await startVolcano(cluster, client), await startCoscheduling(cluster, COSCHEDULING)];
  const names = GANG_SCHEDULERS.map(({ gangScheduler }) => gangScheduler);
  fixture = new GangFixture(client, ['', ...names], {
    scheduler: () => schedulers.map((each) => each.log()).join('\n'),
  });
  await fixture.start();
}, BUILD_LIMIT_MS);

afterAll(async () => {
  await fixture?.stop();
  await Promise.all(schedulers.map((each) => each.stop()));
  await client?.close();
  await clusterDown({ name: CLUSTER });
}, LIMIT_MS);

describe.each(GANG_SCHEDULERS)('under $gangScheduler', { timeout: LIMIT_MS }, (each) => {
  gangCases({ fixture: () => fixture, ...each });
});

describe('under all of them at once', { timeout: LIMIT_MS }, () => {
  it('places each job by its own scheduler, completely or not at all', async () => {
    const names = GANG_SCHEDULERS.map(({ gangScheduler }) => gangScheduler);
    await Promise.all(
      names.flatMap((gangScheduler) => [
        fixture.create({ name: `fits-${gangScheduler}`, workers: 1, gangScheduler }),
        fixture.create({ name: `large-${gangScheduler}`, workers: 8, gangScheduler }),
      ]),
    );
    const jobs = names.flatMap((name) => [`fits-${name}`, `large-${name}`]);
    await fixture.until(
      async () => {
        for (const name of names) expect((await fixture.job(`fits-${name}`)).status?.ready).toBe('2/2');
        return true;
      },
      ...jobs,
    );
    for (const { gangScheduler, unschedulable } of GANG_SCHEDULERS) {
      const name = `large-${gangScheduler}`;
      await fixture.until(async () => (await fixture.events(name)).some((event) => unschedulable.test(event)), name);
      expect(await fixture.placed(name)).toMatchObject({ placed: 0 });
    }
    for (const name of jobs) await fixture.remove(name);
  });
});
