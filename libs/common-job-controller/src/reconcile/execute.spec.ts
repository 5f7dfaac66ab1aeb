import type { KubeObject } from '@muster/job-api';
import { KubeError, type WriteOptions } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { SETTINGS, worldOf } from '../../test-support/plain-world.ts';
import { execute } from './execute.ts';
import { Expectations } from './expectations.ts';
import { JobMemory } from './job-memory.ts';
import type { Dependencies } from './reconcile-run.ts';
import { planJob } from './plan-job.ts';
import { planned } from '../../test-support/planned.ts';
import { Semaphore } from '@muster/controller';

const WORLD = worldOf({ workers: 2, pods: [{ phase: 'Running' }] });
const PLAN = planJob(plainAdapter({ workers: 2 }), WORLD, SETTINGS);

async function passOf(
  onStatus: (cache: { job: typeof WORLD.manifest | undefined }) => void,
  onCreate: () => void = () => undefined,
) {
  const done: string[] = [];
  const cache: { job: typeof WORLD.manifest | undefined } = { job: WORLD.manifest };
  const clock = { now: () => WORLD.nowMs, monotonic: () => 0 } as unknown as Dependencies['clock'];
  const none = { get: () => undefined };
  const dependencies = {
    client: {
      patchStatus: () => {
        onStatus(cache);
        done.push('status');
        return Promise.resolve({ ...WORLD.manifest, status: planned(PLAN).status });
      },
      create: async (_resource: unknown, object: object) => {
        await Promise.resolve().then(onCreate);
        done.push('create');
        return object;
      },
    },
    caches: { jobs: { get: () => cache.job }, pods: none, services: none, ownedResources: [] },
    metrics: { count: () => done.push('count'), observe: () => undefined },
    events: (_job: unknown, { reason }: { reason: string }) => done.push(reason),
    resource: plainAdapter({}).resource,
    ...{ clock, expectations: new Expectations(clock), memory: new JobMemory(clock), writes: new Semaphore(1) },
    isStripped: () => false,
    recordIn: () => ({}),
  } as unknown as Dependencies;
  const { againAfterMs } = await execute(dependencies, WORLD.manifest, PLAN, new AbortController().signal);
  return { done, againAfterMs };
}

it('reads the job once per run before adoptions, whatever the number of pods', async () => {
  const world = worldOf({ workers: 3, pods: [0, 1, 2].map((index) => ({ index, owner: 'none' as const })) });
  const plan = planJob(plainAdapter({ workers: 3 }), world, SETTINGS);
  const { status: _status, ...rest } = plan;
  const writes = plan.writes.filter(({ op }) => op === 'adopt');
  const requests: string[] = [];
  const answer = (verb: string) => () => {
    requests.push(verb);
    return Promise.resolve(world.manifest);
  };
  const clock = { now: () => world.nowMs, monotonic: () => 0 } as unknown as Dependencies['clock'];
  const none = { get: () => undefined };
  const dependencies = {
    client: { get: answer('get'), patch: answer('patch') },
    caches: { jobs: { get: () => world.manifest }, pods: none, services: none, ownedResources: [] },
    ...{ events: () => undefined, resource: plainAdapter({}).resource, clock },
    ...{ expectations: new Expectations(clock), memory: new JobMemory(clock), writes: new Semaphore(8) },
  } as unknown as Dependencies;
  await execute(dependencies, world.manifest, { ...rest, events: [], writes }, new AbortController().signal);
  expect(requests.toSorted()).toEqual(['get', 'patch', 'patch', 'patch']);
});

describe('warnings of the API server about created objects', () => {
  type Create = (resource: unknown, object: KubeObject, options: WriteOptions) => Promise<KubeObject>;

  async function notesOf(runs: number, workers: number, warnings: (name: string, run: number) => readonly string[]) {
    const notes: string[] = [];
    const clock = { now: () => WORLD.nowMs, monotonic: () => 0 } as unknown as Dependencies['clock'];
    const none = { get: () => undefined };
    let run = 0;
    const create: Create = (_resource, object, { onWarning }) => {
      for (const text of warnings(object.metadata?.name ?? '', run)) onWarning?.(text);
      return Promise.resolve(object);
    };
    const dependencies = {
      client: { create, patchStatus: () => Promise.resolve(WORLD.manifest) },
      caches: { jobs: { get: () => WORLD.manifest }, pods: none, services: none, ownedResources: [] },
      metrics: { count: () => undefined, observe: () => undefined },
      events: (_job: unknown, { reason, note }: { reason: string; note: string }) => {
        if (reason === 'APIServerWarning') notes.push(note);
      },
      resource: plainAdapter({}).resource,
      ...{ clock, expectations: new Expectations(clock), memory: new JobMemory(clock), writes: new Semaphore(1) },
      isStripped: () => false,
      recordIn: () => ({}),
    } as unknown as Dependencies;
    const plan = planJob(plainAdapter({ workers }), worldOf({ workers }), SETTINGS);
    const { status: _status, ...rest } = plan;
    const writes = plan.writes.filter(({ op }) => op === 'create');
    for (; run < runs; run++)
      await execute(dependencies, WORLD.manifest, { ...rest, events: [], writes }, new AbortController().signal);
    return notes;
  }

  const TYPO = 'unknown field "spec.containers[0].imagePullPolcy"';

  it('are emitted once, for the first of many pods, and not again when pods are recreated', async () => {
    expect(await notesOf(2, 12, () => [TYPO])).toEqual([
      `Pod job-worker-0: ${TYPO}. The API server reported this when the object was written.`,
    ]);
  });

  it("are considered equal if only the pod's name differs", async () => {
    expect(await notesOf(1, 12, (name) => [`${name} is large`])).toHaveLength(1);
  });

  it('are limited for each job', async () => {
    expect(await notesOf(30, 1, (_name, run) => [`request ${'x'.repeat(run)}`])).toHaveLength(10);
  });
});

it('emits no failure for a write that is cancelled by the end of the leadership', async () => {
  const ended = new AbortController();
  const reasons: string[] = [];
  const clock = { now: () => WORLD.nowMs, monotonic: () => 0 } as unknown as Dependencies['clock'];
  const none = { get: () => undefined };
  const dependencies = {
    client: {
      create: () => {
        ended.abort(new Error('controller plainjob is stopping: the Lease was renewed too late'));
        return Promise.reject(ended.signal.reason as Error);
      },
    },
    caches: { jobs: { get: () => WORLD.manifest }, pods: none, services: none, ownedResources: [] },
    events: (_job: unknown, { reason }: { reason: string }) => reasons.push(reason),
    ...{ resource: plainAdapter({}).resource, clock },
    ...{ expectations: new Expectations(clock), memory: new JobMemory(clock), writes: new Semaphore(8) },
  } as unknown as Dependencies;
  const { status: _status, ...rest } = PLAN;
  const writes = PLAN.writes.filter(({ op }) => op === 'create');
  await expect(execute(dependencies, WORLD.manifest, { ...rest, events: [], writes }, ended.signal)).rejects.toThrow(
    'is stopping',
  );
  expect(reasons).toEqual([]);
});

describe('execute', () => {
  it('writes the status, then counts, emits events and carries out the rest', async () => {
    const { done, againAfterMs } = await passOf(() => undefined);
    expect(done).toEqual(['status', 'count', 'PlainJobRunning', 'create', 'SuccessfulCreatePod']);
    expect(againAfterMs).toBeUndefined();
  });

  it('emits the events of the written status even if the job changes in the meantime, and does no more', async () => {
    const { done, againAfterMs } = await passOf((cache) => {
      cache.job = { ...WORLD.manifest, metadata: { ...WORLD.manifest.metadata, generation: 2 } };
    });
    expect(done).toEqual(['status', 'count', 'PlainJobRunning']);
    expect(againAfterMs).toBe(100);
  });

  it('emits and writes nothing if the job is gone', async () => {
    const { done, againAfterMs } = await passOf(() => {
      throw new KubeError('it is gone', { code: 404, reason: 'NotFound' });
    });
    expect([done, againAfterMs]).toEqual([[], 100]);
  });

  it.each([
    ['is being deleted', { code: 403, reason: 'Forbidden' }, { causes: [{ reason: 'NamespaceTerminating' }] }],
    ['is gone', { code: 404, reason: 'NotFound' }, { kind: 'namespaces' }],
  ] as const)(
    'reports nothing if the namespace %s, and tries again later, because a job can outlive it',
    async (...of) => {
      const [, answer, details] = of;
      const { done, againAfterMs } = await passOf(
        () => undefined,
        () => {
          throw new KubeError('it cannot be created', {
            ...answer,
            status: { details } as NonNullable<KubeError['status']>,
          });
        },
      );
      expect([done, againAfterMs]).toEqual([['status', 'count', 'PlainJobRunning'], 30_000]);
    },
  );
});
