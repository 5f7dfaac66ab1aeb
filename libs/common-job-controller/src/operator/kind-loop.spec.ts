import { ManualClock, Semaphore } from '@muster/controller';
import { cacheKey, type Cache } from '@muster/kube';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { NOW } from '../../test-support/plain-pod.ts';
import { worldOf } from '../../test-support/plain-world.ts';
import { stillKind } from '../../test-support/still-caches.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { JobManifest } from '../model/training-job.ts';
import { CountedNamespaces } from '../metrics/counted-namespaces.ts';
import { KindLoop } from './kind-loop.ts';

const OTHER = { name: 'The other', switchOff: 'switch it off', hasBegun: () => true, headStartMs: 3000 };

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

it('the memory of a job ends with the term as leader, because other processes may lead afterwards', async () => {
  const plain = plainAdapter({});
  const adapter: FrameworkAdapter = { ...plain, lifecycle: { ...plain.lifecycle, otherController: OTHER } };
  const { manifest } = worldOf({});
  const kind = stillKind(adapter, { jobs: [manifest] });
  let change = () => {};
  const subscribe: Cache<JobManifest>['subscribe'] = (handlers) => {
    change = () => handlers.updated?.(manifest, manifest);
    handlers.added?.(manifest);
    return () => undefined;
  };
  const emitted: string[] = [];
  const events = {
    record: (_job: unknown, { reason }: { reason: string }) => emitted.push(reason),
    forget: () => undefined,
  };
  const quiet = () => undefined;
  const clock = new ManualClock(NOW);
  const registry = new Registry();
  const loop = new KindLoop(
    { ...kind, caches: { ...kind.caches, jobs: { ...kind.caches.jobs, get: () => manifest, subscribe } } },
    {
      ...{
        client: {},
        registry,
        counted: new CountedNamespaces(registry, clock, []),
        clock,
        namespaces: [],
        concurrency: 1,
        events,
      },
      logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      settings: { serviceMode: 'PerJob', clusterDomain: 'cluster.local' },
      ...{ ask: () => Promise.reject(new Error('no answer')), writes: new Semaphore(1), probes: new Semaphore(1) },
    } as never,
  );
  expect(cacheKey(manifest)).toBe('team/job');
  for (const terms of [1, 2]) {
    const term = loop.term();
    term.start();
    await settled();
    change();
    await settled();
    clock.advance(1000);
    await settled();
    expect(emitted).toEqual(Array<string>(terms).fill('ManagedByOther'));
    const stopped = term.stop(1000);
    await settled();
    clock.advance(1000);
    await stopped;
  }
});
