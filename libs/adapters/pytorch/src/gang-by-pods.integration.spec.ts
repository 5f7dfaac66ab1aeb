/** Gang schedulers that read the gang from pod labels and annotations. No scheduler runs, so no pod is placed. */
import type { Pod } from '@muster/job-api';
import { testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GangFixture, type GangJob } from '../test-support/gang-fixture.ts';

const cluster = await testCluster();
const LIMIT_MS = 240_000;
const GROUPS = 'yunikorn.apache.org/task-groups';
const POLICY = { queue: 'root.research', scheduleTimeoutSeconds: 60, priorityClass: 'high' };

let fixture: GangFixture;

beforeAll(async () => {
  const namespace = await cluster.namespace();
  fixture = new GangFixture(cluster.client, ['', 'yunikorn', 'kai-scheduler'], { namespace });
  await fixture.start();
}, LIMIT_MS);

afterAll(async () => {
  await fixture?.stop();
}, LIMIT_MS);

function podsOf(name: string, count: number): Promise<Pod[]> {
  return fixture.until(async () => {
    const pods = await fixture.pods(name);
    expect(pods).toHaveLength(count);
    return pods.sort((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
  }, name);
}

const versionsOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => [metadata?.uid, metadata?.resourceVersion]);

const GANG_SCHEDULERS = [
  {
    gangScheduler: 'yunikorn',
    unmet: /ignores priorityClass,/,
    marksOf: (uid: string) => ({
      labels: { 'yunikorn.apache.org/app-id': uid, 'yunikorn.apache.org/queue': 'root.research' },
      annotations: {
        'yunikorn.apache.org/task-group-name': 'worker',
        'yunikorn.apache.org/schedulingPolicyParameters': 'placeholderTimeoutInSeconds=60',
        [GROUPS]: '[{"name":"worker","minMember":2,"minResource":{"nvidia.com/gpu":"1"}}]',
      },
    }),
  },
  {
    gangScheduler: 'kai-scheduler',
    unmet: /ignores scheduleTimeoutSeconds,/,
    marksOf: () => ({ labels: { 'kai.scheduler/queue': 'root.research', priorityClassName: 'high' } }),
  },
];

describe.each(GANG_SCHEDULERS)(
  'a job under $gangScheduler',
  { timeout: LIMIT_MS },
  ({ gangScheduler, unmet, marksOf }) => {
    const job = (rest: Partial<GangJob>): GangJob => ({
      name: `by-${gangScheduler}`,
      workers: 4,
      gangScheduler,
      runPolicy: { schedulingPolicy: POLICY },
      ...rest,
    });

    it('has pods that name their gang, and scaling does not change them', async () => {
      const elastic = job({ elasticMin: 2 });
      const { name } = elastic;
      await fixture.create(elastic);
      const first = await podsOf(name, 4);
      const marks = marksOf((await fixture.job(name)).metadata?.uid ?? '');
      for (const { metadata, spec } of first) {
        expect(metadata).toMatchObject(marks);
        expect(spec?.schedulerName).toBe(gangScheduler);
      }

      const replicas = (count: number) => ({ spec: { pytorchReplicaSpecs: { Worker: { replicas: count } } } });
      await fixture.change(name, replicas(3));
      const three = await podsOf(name, 3);
      expect(versionsOf(three)).toEqual(versionsOf(first.slice(0, 3)));
      await fixture.change(name, replicas(4));
      const four = await podsOf(name, 4);
      expect(versionsOf(four.slice(0, 3))).toEqual(versionsOf(three));
      expect(four[3]?.metadata).toMatchObject(marks);
      await fixture.remove(name);
    });

    it('reports once which fields of its policy are not applied', async () => {
      const whole = job({ name: `policy-${gangScheduler}`, workers: 1 });
      await fixture.create(whole);
      const [master] = await podsOf(whole.name, 2);
      await fixture.until(
        async () => (await fixture.events(whole.name)).some((event) => unmet.test(event)),
        whole.name,
      );
      // The job is reconciled again, and emits nothing.
      await fixture.change(whole.name, { metadata: { annotations: { note: 'another' } } });
      await fixture.until(
        async () => (await fixture.job(whole.name)).metadata?.annotations?.['note'] === 'another',
        whole.name,
      );
      const events = (await fixture.events(whole.name)).filter((event) => event.startsWith('SchedulingPolicyNotMet'));
      expect(events).toHaveLength(1);
      expect(master?.metadata?.name).toBe(`${whole.name}-master-0`);
      await fixture.remove(whole.name);
    });
  },
);
