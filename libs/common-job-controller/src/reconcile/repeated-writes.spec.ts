/** Counts the requests of an operator with refused writes, over a simulated minute. */
import { Controller, ManualClock, Semaphore, WorkQueue } from '@muster/controller';
import { SECRETS, type KubeObject, type Node, type Resource } from '@muster/job-api';
import { KubeError, type Cache } from '@muster/kube';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { at, JOB, NOW, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { stillKind } from '../../test-support/still-caches.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { type Answer, type Probe, ProbePoller } from '@muster/probes';
import { CountedNamespaces } from '../metrics/counted-namespaces.ts';
import { JobMetrics } from '../metrics/job-metrics.ts';
import type { JobManifest } from '../model/training-job.ts';
import type { OwnedKind } from '../model/owned-resources.ts';
import { Expectations } from './expectations.ts';
import { JobMemory } from './job-memory.ts';
import type { JobCaches } from './observe.ts';
import type { Dependencies } from './reconcile-run.ts';
import type { Write } from '../model/write.ts';
import { jobReconciler } from './reconcile-job.ts';

/** 14 attempts by the queue's back-off, 6 by that of refused writes, some with two requests. */
const MOST_REQUESTS = 30;

const STEP_MS = 100;

vi.setConfig({ testTimeout: 60_000 });

const KEY = `${JOB.namespace}/${JOB.name}`;

interface Case {
  readonly adapter?: (plain: FrameworkAdapter) => Partial<FrameworkAdapter>;
  readonly job?: Partial<JobManifest>;
  readonly pods?: readonly PlainPod[];
  readonly owned?: { readonly kind: OwnedKind; readonly objects: readonly KubeObject[] };
  readonly isNodeLost?: boolean;
  readonly grants?: (request: string) => boolean;
  readonly send?: () => Promise<Answer>;
}

interface Counted {
  readonly requests: readonly string[];
  readonly runs: number;
}

async function aMinuteOf(given: Case, refusal: KubeError): Promise<Counted> {
  const { grants = (request: string) => request === 'patchStatus' } = given;
  const plain = plainAdapter({ workers: 1 });
  const adapter: FrameworkAdapter = { ...plain, ...given.adapter?.(plain) };
  const clock = new ManualClock(NOW);
  const registry = new Registry();
  const requests: string[] = [];
  let runs = 0;
  let job: JobManifest = {
    ...{ apiVersion: 'test.muster.dev/v1', kind: 'PlainJob', spec: { runPolicy: { suspend: false } } },
    ...given.job,
    metadata: { ...JOB, generation: 1, resourceVersion: '1', ...given.job?.metadata },
  };
  const answer = (request: string) => () => {
    requests.push(request);
    return grants(request) ? Promise.resolve(job) : Promise.reject(refusal);
  };
  const patchStatus = async (_resource: unknown, _key: unknown, { status }: { status: object }) => {
    await answer('patchStatus')();
    const resourceVersion = String(Number(job.metadata?.resourceVersion) + 1);
    job = { ...job, metadata: { ...job.metadata, resourceVersion }, status: merged(job.status ?? {}, status) };
    return job;
  };
  const get = (resource: { kind: string }) => {
    requests.push('get');
    return resource.kind === 'PlainJob' ? Promise.resolve(job) : Promise.reject(refusal);
  };
  const others = ['create', 'patch', 'replace', 'delete'].map((verb) => [verb, answer(verb)] as const);
  const { caches } = stillKind(adapter, {
    jobs: [],
    pods: given.pods?.map(plainPod) ?? [],
    ...(given.owned && { owned: [given.owned] }),
  });
  const jobs = { ...caches.jobs, get: () => job } as JobCaches['jobs'];
  const queue = new WorkQueue({ name: 'jobs', registry, clock });
  const send = (probe: Probe) => {
    requests.push(`send ${probe.name}`);
    return given.send?.() ?? Promise.reject(new Error('no answer'));
  };
  const parallel = new Semaphore(8);
  const dependencies = {
    ...{ client: { ...Object.fromEntries(others), patchStatus, get }, clock, resource: adapter.resource },
    caches: { ...caches, jobs, ...(given.isNodeLost && { nodes: lostNodes }) },
    ...{ expectations: new Expectations(clock), memory: new JobMemory(clock), writes: parallel },
    poller: new ProbePoller({ send, clock, parallel, changed: () => queue.add(KEY) }),
    metrics: new JobMetrics(
      registry,
      { framework: adapter.framework, kind: adapter.resource.kind },
      new CountedNamespaces(registry, clock, []),
    ),
    ...{ events: () => undefined, isStripped: () => false, recordIn: () => job.status ?? {}, ownStatusOf: () => '' },
  } as unknown as Dependencies;
  const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local', forceDeletePodsOnLostNodes: true } as const;
  const once = jobReconciler(adapter, dependencies, settings, clock);
  const reconcile: typeof once = (key, context) => {
    runs++;
    return once(key, context);
  };
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const controller = new Controller({ name: 'job', queue, reconcile, registry, logger, clock, workers: 1 });
  controller.start();
  queue.add(KEY);
  for (let ms = 0; ms < 60_000; ms += STEP_MS) {
    await settled();
    clock.advance(STEP_MS);
  }
  const stopped = controller.stop(10_000);
  await settled();
  clock.advance(20_000);
  await stopped;
  return { requests, runs };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function merged(before: object, patch: object): object {
  const entries = Object.entries(patch).map(([key, value]: [string, unknown]) => {
    const old = (before as Record<string, unknown>)[key];
    const isDeep = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [key, isDeep ? merged((old as object | undefined) ?? {}, value) : value] as const;
  });
  return Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(entries) }).filter(([, value]) => value !== null),
  );
}

const lostNode: Node = {
  metadata: { name: 'gone' },
  status: { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: at(-3600) }] },
};
const lostNodes = { get: () => lostNode } as unknown as Cache<Node>;
const CONFIG_MAPS: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const configMaps: OwnedKind = { resource: CONFIG_MAPS, endsWithRun: true, trim: (whole) => whole };
const config = { metadata: { name: 'job-config', namespace: JOB.namespace } };
const owned = { kind: configMaps, objects: [{ ...config, metadata: { ...config.metadata, uid: 'u', ...ownerOf() } }] };
const probe: Probe = { name: 'submit', url: 'http://ray.example/', timeoutMs: 2000, everyMs: 5000 };
const ended = {
  conditions: [{ type: 'Succeeded', status: 'True' as const, lastTransitionTime: at(-60) }],
  state: 'Succeeded',
};
const finalize = (step: object) => () => ({ finalize: { name: 'test.muster.dev/f', step: () => step as never } });
const deleted = { metadata: { deletionTimestamp: at(-1), finalizers: ['test.muster.dev/f'] } };
const desired = (change: () => { patch: object } | undefined) => [{ resource: CONFIG_MAPS, object: config, change }];
const resources = (own: object) => () => ({ ownedResources: { kinds: [configMaps], desired: () => [], ...own } });

function ownerOf() {
  return { ownerReferences: plainPod().metadata?.ownerReferences ?? [] };
}

/** A case for each write. A new write needs its own case to compile. */
const CASES: Readonly<Record<Write['op'] | 'status', Case>> = {
  status: { grants: () => false },
  addFinalizer: { adapter: finalize({ isDone: true }) },
  removeFinalizer: { adapter: finalize({ isDone: true }), job: deleted },
  adopt: { pods: [{ owner: 'none' }] },
  release: { pods: [{}, { index: 1, job: 'another' }] },
  delete: { pods: [{}, { index: 1 }] },
  forceDelete: {
    pods: [{ deleted: -600, node: 'gone' }],
    job: { spec: { runPolicy: { suspend: false, lostNodeTimeoutSeconds: 60 } } },
    isNodeLost: true,
  },
  ensure: {
    adapter: resources({
      ensured: () => [{ resource: SECRETS, object: config, complete: (whole: object) => whole, serves: () => true }],
    }),
  },
  create: {},
  patch: { adapter: resources({ desired: () => desired(() => ({ patch: { data: {} } })) }), owned, pods: [{}] },
  annotate: { adapter: () => ({ podAnnotations: { 'test.muster.dev/a': { value: () => 'b' } } }), pods: [{}] },
  call: { adapter: () => ({ probes: { polled: () => [], calls: () => [probe] } }), pods: [{}] },
  deleteJob: {
    job: {
      status: ended,
      spec: { runPolicy: { suspend: false, ttlSecondsAfterFinished: 1, cleanPodPolicy: 'None' } },
    },
  },
};

const MORE: Readonly<Record<string, Case>> = {
  'the object by which a deleted job is cleaned up': {
    adapter: finalize({ isDone: false, ownedResources: desired(() => undefined) }),
    job: deleted,
    owned: { ...owned, objects: [] },
  },
  'a call before a deleted job goes': { adapter: finalize({ isDone: false, calls: [probe] }), job: deleted },
};

const refusal = (code: number, reason: string) => new KubeError(`${reason} by the test`, { code, reason });
const REFUSALS = [
  refusal(403, 'Forbidden'),
  refusal(409, 'Conflict'),
  refusal(404, 'NotFound'),
  refusal(500, 'InternalError'),
];

describe.each(REFUSALS)('a request that is refused with $reason', (answer) => {
  it.each(Object.entries({ ...CASES, ...MORE }))('is repeated with back-off: %s', async (_what, given) => {
    const { requests } = await aMinuteOf(given, answer);
    const repeated = requests.filter((request) => request !== 'patchStatus' || given === CASES.status);
    expect(repeated.length).toBeGreaterThan(0);
    expect(repeated.length).toBeLessThanOrEqual(MOST_REQUESTS);
  });
});

it('a call that got no answer and is no longer planned does not keep its job busy', async () => {
  let calls = 0;
  const probes = { polled: () => [], calls: () => (calls++ < 2 ? [probe] : []) } as never;
  const { requests, runs } = await aMinuteOf({ adapter: () => ({ probes }), pods: [{}] }, REFUSALS[0]!);
  expect(requests).toContain('send submit');
  expect(runs).toBeLessThanOrEqual(MOST_REQUESTS);
});
