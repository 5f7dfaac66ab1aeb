/** A kind without pods: it owns objects, restarts as a whole, and keeps objects for a while after its end. */
import type { JobStatus, KubeObject, Resource, RunPolicy } from '@muster/job-api';
import { describe, expect, it, vi } from 'vitest';
import { plainAdapter } from '../../test-support/plain-adapter.ts';
import { at, JOB } from '../../test-support/plain-pod.ts';
import { SETTINGS, worldOf } from '../../test-support/plain-world.ts';
import type { FrameworkAdapter, Outcome } from '../contract/adapter.ts';
import type { AfterEnd, JobWarning } from '../contract/facets.ts';
import type { Probe } from '@muster/probes';
import type { EnsuredObject, OwnedKind } from '../model/owned-resources.ts';
import { planJob } from './plan-job.ts';
import { writesOf } from '../model/write.ts';
import type { JobManifest } from '../model/training-job.ts';

const CLUSTERS: Resource = {
  group: 'test.muster.dev',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: true,
};
const KIND: OwnedKind = { resource: CLUSTERS, endsWithRun: true, trim: (object) => object };

interface Given {
  readonly outcome: Outcome;
  readonly status?: JobStatus;
  readonly afterEnd?: AfterEnd;
  readonly existing?: string;
  readonly calls?: readonly string[];
  readonly emittedEvents?: readonly string[];
  readonly runPolicy?: Partial<RunPolicy>;
  readonly now?: number;
}

const cluster = (name: string): KubeObject => ({ metadata: { name } });
const asDesired = (name: string) => ({ resource: CLUSTERS, object: cluster(name), change: () => undefined });

const probe = (name: string): Probe => ({ name, url: 'http://test', timeoutMs: 1000, everyMs: 1000 });

function pass({ outcome, status = {}, afterEnd, existing, calls, ...world }: Given) {
  const adapter: FrameworkAdapter = {
    ...plainAdapter({ roles: [] }),
    network: undefined as never,
    outcome: () => outcome,
    ownedResources: {
      kinds: [KIND],
      desired: ({ status: { attempt = 0 } }) => [asDesired(`cluster-${attempt}`)],
      ...(afterEnd && { afterEnd: () => afterEnd }),
    },
    ...(calls && { probes: { polled: () => [], calls: () => calls.map(probe) } }),
  };
  const ownerReferences = [
    { apiVersion: 'test.muster.dev/v1', kind: 'PlainJob', name: JOB.name, uid: JOB.uid, controller: true },
  ];
  const owned =
    existing === undefined ? [] : [{ kind: KIND, object: { metadata: { name: existing, uid: 'u', ownerReferences } } }];
  const plan = planJob(adapter, { ...worldOf({ status, ...world }), services: [], ownedResources: owned }, SETTINGS);
  const named = (op: 'create' | 'delete') => writesOf(plan, op).map(({ object }) => object.metadata?.name);
  const deletesJob = writesOf(plan, 'deleteJob').length > 0;
  const called = writesOf(plan, 'call').map((operation) => operation.probe.name);
  return { created: named('create'), deleted: named('delete'), status: plan.status?.status, deletesJob, called, plan };
}

const ENDED: JobStatus = {
  state: 'Succeeded',
  completionTime: '2030-01-01T00:00:00Z',
  conditions: [{ type: 'Succeeded', status: 'True', reason: 'PlainJobSucceeded' }],
};

it.each<[string, JobStatus, Partial<RunPolicy>]>([
  ['runs', {}, {}],
  ['is suspended', {}, { suspend: true }],
  ['has ended', { conditions: [{ type: 'Succeeded', status: 'True' }] }, {}],
])('reads a job that %s once per reconcile run, with the external status', (_what, status, runPolicy) => {
  const plain = plainAdapter({ roles: [] });
  const read = vi.fn<typeof plain.read>((...given) => plain.read(...given));
  const probeResults = new Map([['progress', { failures: 0, askedForMs: 0, ageMs: 0 }]]);
  planJob({ ...plain, read }, { ...worldOf({ status, runPolicy }), probeResults }, SETTINGS);
  expect(read.mock.calls.map(([, context]) => context.probeResults)).toEqual([probeResults]);
});

describe('a job that is restarted as a whole', () => {
  it('starts the next attempt, is reported and counted, and loses its owned objects', () => {
    const { status, created, deleted, plan } = pass({
      outcome: { phase: 'Restarting', message: 'again' },
      existing: 'cluster-0',
    });
    expect(status).toMatchObject({ attempt: 1, restartCount: 1, state: 'Restarting' });
    expect([created, deleted]).toEqual([['cluster-1'], ['cluster-0']]);
    expect(plan.events.map((event) => event.note)).toContain('again');
    expect(plan.status?.counters).toContain('restarted');
    expect(plan.status?.restartCauses).toEqual(['JobRetried']);
  });

  it('starts no further attempt without another request', () => {
    const { status = {} } = pass({ outcome: { phase: 'Restarting', message: 'again' } });
    const next = pass({ outcome: { phase: 'Pending' }, status, existing: 'cluster-1' });
    expect(next.status ?? status).toMatchObject({ attempt: 1, restartCount: 1 });
  });

  it('is requeued for its deadline', () => {
    expect(pass({ outcome: { phase: 'Pending', recheckAfterMs: 1234 } }).plan.requeueAfterMs).toBe(1234);
  });
});

it('owns what its pods need, except objects that outlive the job', () => {
  const ensured = (name: string, outlivesJob?: boolean): EnsuredObject => ({
    ...{ resource: CLUSTERS, object: cluster(name), complete: (object) => object, serves: () => true },
    ...(outlivesJob !== undefined && { outlivesJob }),
  });
  const adapter: FrameworkAdapter = {
    ...plainAdapter({}),
    ownedResources: {
      kinds: [KIND],
      desired: () => [],
      ensured: () => [ensured('keys'), ensured('cache', true), ensured('token', false)],
    },
  };
  const made = writesOf(planJob(adapter, worldOf({}), SETTINGS), 'ensure').map(({ object: { metadata } }) => [
    metadata?.name,
    metadata?.namespace,
    metadata?.ownerReferences?.map(({ uid }) => uid),
  ]);
  expect(made).toEqual([
    ['keys', JOB.namespace, [JOB.uid]],
    ['cache', JOB.namespace, undefined],
    ['token', JOB.namespace, [JOB.uid]],
  ]);
});

describe('a finished job of such a kind', () => {
  it('loses the objects that the kind does not keep', () => {
    const { deleted } = pass({ outcome: { phase: 'Pending' }, status: ENDED, existing: 'cluster-0' });
    expect(deleted).toEqual(['cluster-0']);
  });

  it('keeps the objects that the kind keeps, for as long as set', () => {
    const afterEnd = { kept: [asDesired('cluster-0')], recheckAfterMs: 5000 };
    const { deleted, plan } = pass({ outcome: { phase: 'Pending' }, status: ENDED, existing: 'cluster-0', afterEnd });
    expect([deleted, plan.requeueAfterMs]).toEqual([[], 5000]);
  });

  it('is deleted when the kind requests it', () => {
    const afterEnd = { kept: [], deletesJob: true };
    expect(pass({ outcome: { phase: 'Pending' }, status: ENDED, afterEnd }).deletesJob).toBe(true);
  });

  const SIDECARS = { kept: [], deletesJob: true, hasSidecars: true };
  const endedNow = { ...ENDED, completionTime: at(0) };

  it.each<[string, AfterEnd, now: number, deletesJob: boolean, requeueAfterMs: number | undefined]>([
    ['is kept for the grace of sidecars that may still run', SIDECARS, 10, false, 20_000],
    ['is deleted after that grace', SIDECARS, 30, true, undefined],
    ['is deleted at once without sidecars', { ...SIDECARS, hasSidecars: false }, 10, true, undefined],
    ['is not requeued if it is not to be deleted', { kept: [], hasSidecars: true }, 10, false, undefined],
  ])('%s', (_what, afterEnd, now, deletesJob, requeueAfterMs) => {
    const found = pass({ outcome: { phase: 'Pending' }, status: endedNow, afterEnd, now });
    expect([found.deletesJob, found.plan.requeueAfterMs]).toEqual([deletesJob, requeueAfterMs]);
  });

  it('gets one warning about objects left behind', () => {
    const warning = { reason: 'CleanUpFailed', note: 'cluster-0 is still there' } as unknown as JobWarning;
    const given = {
      outcome: { phase: 'Pending' },
      status: ENDED,
      afterEnd: { kept: [], warnings: [warning] },
    } as const;
    const notesOf = ({ plan }: ReturnType<typeof pass>) => plan.events.map((event) => event.note);
    expect(notesOf(pass(given))).toEqual([warning.note]);
    expect(notesOf(pass({ ...given, emittedEvents: [warning.note] }))).toEqual([]);
  });

  it("gets Muster's status if it ended under another operator, unless it is deleted", () => {
    const conditions = [{ type: 'Failed', status: 'True', lastTransitionTime: at(-20) } as const];
    const { status } = pass({ outcome: { phase: 'Pending' }, status: { conditions } });
    expect(status).toMatchObject({ state: 'Failed', completionTime: at(-20) });
    const goes = pass({
      outcome: { phase: 'Pending' },
      status: { conditions },
      afterEnd: { kept: [], deletesJob: true },
    });
    expect([goes.deletesJob, goes.status]).toEqual([true, undefined]);
  });

  it('keeps a status written by Muster even if fields are missing', () => {
    const conditions = [{ type: 'Failed', status: 'True', lastTransitionTime: at(-20) } as const];
    expect(pass({ outcome: { phase: 'Pending' }, status: { state: 'Failed', conditions } }).status).toBeUndefined();
  });
});

describe('the calls of a job', () => {
  const RUNS: Outcome = { phase: 'Running', message: 'runs' };
  const DONE: Outcome = { phase: 'Succeeded', message: 'done' };

  it.each<[string, Given, called: string[]]>([
    ['are made while it runs', { outcome: RUNS, calls: ['submit'] }, ['submit']],
    ['are not made while it is suspended', { outcome: RUNS, calls: ['submit'], runPolicy: { suspend: true } }, []],
    ['are not made when it has just ended', { outcome: DONE, calls: ['submit'] }, []],
    ['are not made when it ended before', { outcome: DONE, calls: ['submit'], status: ENDED }, []],
    [
      'are the final ones after its end',
      { outcome: DONE, calls: ['submit'], status: ENDED, afterEnd: { kept: [], calls: [probe('stop')] } },
      ['stop'],
    ],
  ])('%s', (_what, given, called) => {
    expect(pass(given).called).toEqual(called);
  });
});

describe('a kind that labels pods', () => {
  const podOf = (labels: Record<string, string>) => ({
    metadata: { name: 'head', labels },
    spec: { containers: [] },
  });
  const labelledWith = (labels: Record<string, string>, runPolicy: Partial<RunPolicy> = {}) => {
    const adapter: FrameworkAdapter = {
      ...plainAdapter({ roles: [] }),
      outcome: () => ({ phase: 'Pending' }),
      podLabels: { of: () => [{ pod: podOf(labels), labels: { serve: 'true' } }] },
    };
    const plan = planJob(adapter, { ...worldOf({ runPolicy }), services: [] }, SETTINGS);
    return writesOf(plan, 'annotate').map((write) => [write.object.metadata?.name, write.labels, write.annotations]);
  };

  it('changes a label that differs, and keeps others', () => {
    expect(labelledWith({ serve: 'false', app: 'mine' })).toEqual([['head', { serve: 'true' }, {}]]);
  });

  it('writes nothing to a pod that has the labels, or while the job is suspended', () => {
    expect(labelledWith({ serve: 'true' })).toEqual([]);
    expect(labelledWith({ serve: 'false' }, { suspend: true })).toEqual([]);
  });
});

describe('after an invalid change of a running job', () => {
  const RAN: JobStatus = {
    state: 'Running',
    startTime: at(-60),
    conditions: [{ type: 'Running', status: 'True', lastTransitionTime: at(-60) }],
    observedGeneration: 1,
  };
  const changed = (appliesLastSpec: boolean) => {
    const plain = plainAdapter({ roles: [], problems: [{ path: 'spec.size', message: 'Invalid value' }] });
    const adapter: FrameworkAdapter = {
      ...plain,
      network: undefined as never,
      lifecycle: { ...plain.lifecycle, appliesLastSpec },
      outcome: () => ({ phase: 'Running', message: 'runs' }),
      ownedResources: { kinds: [KIND], desired: () => [asDesired('cluster-0')] },
    };
    const world = worldOf({ status: RAN });
    const manifest: JobManifest = { ...world.manifest, metadata: { ...world.manifest.metadata, generation: 2 } };
    const plan = planJob(adapter, { ...world, manifest, services: [], ownedResources: [] }, SETTINGS);
    return {
      created: writesOf(plan, 'create').map(({ object }) => object.metadata?.name),
      events: plan.events.map(({ reason }) => reason),
      observed: plan.status?.status.observedGeneration,
    };
  };

  it('nothing is created by default', () => {
    expect(changed(false)).toMatchObject({ created: [], events: ['InvalidChange'] });
  });

  it('a kind that applies its last spec creates its objects, and reports the change as not observed', () => {
    expect(changed(true)).toMatchObject({ created: ['cluster-0'], events: ['InvalidChange'], observed: 1 });
  });
});

it('emits events of the outcome as warnings, unless they are normal', () => {
  const warnings: JobWarning[] = [
    { reason: 'SpecWarning', note: 'one' },
    { type: 'Normal', reason: 'SpecWarning', note: 'two' },
  ];
  const { plan } = pass({ outcome: { phase: 'Running', message: 'runs', warnings } });
  expect(plan.events.flatMap(({ type, note }) => (note === 'one' || note === 'two' ? [type] : []))).toEqual([
    'Warning',
    'Normal',
  ]);
});
