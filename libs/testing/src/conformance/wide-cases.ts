/** Large jobs: a change takes effect at once, also while their pods are being created. */
import { expect } from 'vitest';
import type { ProxiedRequest } from '@muster/fault-injection';
import type { ConformanceCase } from './conformance-case.ts';
import type { Fixture } from './fixture.ts';
import type { TestJobShape } from './test-job.ts';
import type { TestJob } from './test-job.ts';

/** Creates are sent in batches that double: nine, each of which takes a second. */
const WORKERS = 250;
const CREATE_MS = 1000;
const HOUR_MS = 3_600_000;

/**
 * Changes a job once its first pod is created, and checks how many were created in all. Later creates wait for the change, so that it comes
 * in time also from a test that is late.
 */
const changed = (
  how: string,
  shape: TestJobShape,
  change: (job: TestJob, fixture: Fixture) => Promise<void> | void,
  effect: (job: TestJob, fixture: Fixture) => Promise<unknown>,
): ConformanceCase => ({
  name: `${how} while its pods are being created, and few more are created`,
  concern: 'engine',
  starts: false,
  async play(fixture) {
    const proxy = await fixture.startOperatorBehindProxy();
    const jobs: TestJob[] = [];
    const made = () =>
      proxy.writes.filter(({ method, path, code, name }) => {
        const isPod = method === 'POST' && path.endsWith('/pods') && code === 201;
        return isPod && jobs.some((job) => name?.startsWith(`${job.name}-`));
      }).length;
    const isLater = ({ method, path }: ProxiedRequest) => method === 'POST' && path.endsWith('/pods') && made() > 0;
    const isChanged = Promise.withResolvers<void>();
    const takeBack = proxy.inject(isLater, { type: 'delay', ms: CREATE_MS, until: isChanged.promise });
    const job = await fixture.job({ workers: WORKERS, ...shape });
    jobs.push(job);
    await fixture.until(() => made() > 0, 'the first pod is created');
    await change(job, fixture);
    isChanged.resolve();
    await effect(job, fixture);
    takeBack();
    await fixture.settled();
    expect(made()).toBeLessThan(job.workers);
  },
});

export const wideCases: readonly ConformanceCase[] = [
  changed(
    'is suspended',
    {},
    (job) => job.suspend(true),
    async (job) => {
      await job.stateToBe('Suspended');
      await job.noChildren();
    },
  ),
  changed(
    'is deleted',
    {},
    (job) => job.delete('Background'),
    (job) => job.noChildren(),
  ),
  changed(
    'shrinks',
    { isResized: true },
    (job) => job.change(2),
    (job, { framework }) => job.podsToBe(framework.podNames(job.name, 2)),
  ),
  changed(
    'reaches its deadline',
    { runPolicy: { activeDeadlineSeconds: 3600 } },
    (_job, { clock }) => clock.advance(HOUR_MS),
    (job) => job.stateToBe('Failed'),
  ),
  {
    name: 'is created, restarted and cleaned up in several reconcile runs if one may not write that much',
    concern: 'ownedResources',
    also: ['kinds with unique names'],
    starts: false,
    async play(fixture) {
      fixture.writesPerRun = 3;
      await fixture.startOperator();
      const job = await fixture.job({ workers: 8, runPolicy: { cleanPodPolicy: 'All' } });
      await job.run();
      await fixture.until(
        async () => ((await job.events()).SuccessfulCreatePod ?? 0) > 2,
        async () => ({ 'pods are created in at least three reconcile runs': await job.events() }),
      );
      await job.stop();
    },
  },
];
