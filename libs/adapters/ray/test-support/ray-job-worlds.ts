/** RayJobs in any state, and their plans. */
import { newWorld, planJob, writesOf, type OwnedResource, type World } from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import {
  BATCH_JOBS,
  RAY_CLUSTERS,
  type Job,
  type JobStatus,
  type KubeObject,
  type RayCluster,
  type RayJob,
  type RayJobSpec,
  type Resource,
} from '@muster/job-api';
import { vi } from 'vitest';
import { rayJobAdapter } from '../src/job/ray-job-adapter.ts';
import { rayJobStatus, type RayJobRecord } from '../src/job/ray-job-status.ts';
import { rayJob, readyCluster, recordOf, START_MS } from './ray-jobs.ts';

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local', gang: undefined } as const;
const FINALIZER = 'ray.io/rayjob-finalizer';

export interface RayJobWorld {
  readonly spec?: Partial<RayJobSpec>;
  readonly record?: Partial<RayJobRecord>;
  /** The engine's record. */
  readonly engine?: JobStatus;
  /** Seconds since the start of the job. */
  readonly now?: number;
  /** Default: a ready one of the job's own, or that of `clusterSelector`. */
  readonly cluster?: RayCluster | undefined;
  /** Default: a running one. */
  readonly submitter?: Job['status'] | 'none';
  /** Answers of the dashboard, by the name of the request. */
  readonly probeResults?: Readonly<Record<string, { readonly status: number; readonly body?: unknown } | 'no answer'>>;
  /** Time since the first request of each. */
  readonly askedForSeconds?: number;
  /** How long the operator has observed the adapter's aging states. */
  readonly seenMs?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isDeleted?: boolean;
  readonly emitted?: readonly string[];
}

/** One reconcile run for a RayJob, named `mnist` in the namespace `team`. */
export function planRayJob(world: RayJobWorld): Omit<Planned, 'probes'> & {
  readonly calls: readonly string[];
  /** The names of the queries. */
  readonly probes: readonly string[];
  readonly shown: RayJob['status'];
  /** Number of observations during planning. */
  readonly observations: number;
} {
  const built = worldOf(world);
  const adapter = rayJobAdapter();
  const lookUps = vi.spyOn(built.probeResults, 'get');
  const plan = planJob(adapter, built, SETTINGS);
  const observations = lookUps.mock.calls.filter(([name]) => name.startsWith('submission ')).length;
  const probes = adapter.probes?.polled(built.manifest, built).map(({ name }) => name) ?? [];
  const whole = planned(plan);
  const calls = writesOf(plan, 'call').map(({ probe }) => `${probe.method ?? 'GET'} ${pathOf(probe.url)}`);
  return { ...whole, calls, probes, observations, shown: whole.stored ?? built.manifest.status };
}

function pathOf(url: unknown): string {
  return (Object(url) as { path?: string }).path ?? String(url);
}

function worldOf(world: RayJobWorld): World<RayJob> {
  const {
    spec = {},
    record = {},
    engine,
    now = 60,
    probeResults = {},
    askedForSeconds = 0,
    seenMs = 0,
    annotations = {},
    isDeleted = false,
    emitted = [],
  } = world;
  const nowMs = START_MS + now * 1000;
  const selects = spec.clusterSelector !== undefined;
  const status = { ...rayJobStatus(recordOf(record)), ...(engine && { muster: engine }) };
  const job = rayJob(spec, {
    generation: 1,
    resourceVersion: '1',
    annotations,
    finalizers: selects ? [FINALIZER] : [],
    ...(isDeleted && { deletionTimestamp: new Date(nowMs).toISOString() }),
  });
  const cluster = 'cluster' in world ? world.cluster : readyCluster();
  const object = cluster && { ...cluster, metadata: { ...cluster.metadata, ...(!selects && ownedBy(job)) } };
  const submitter = world.submitter === 'none' ? undefined : submitterOf(job, world.submitter);
  const ownedResources = [
    ...(object !== undefined && !selects ? [owned(RAY_CLUSTERS, object)] : []),
    ...(submitter === undefined ? [] : [owned(BATCH_JOBS, submitter)]),
  ];
  const references =
    object !== undefined && selects
      ? [{ resource: RAY_CLUSTERS, name: object.metadata.name ?? '', isRequired: true, path: 'spec', object }]
      : [];
  const manifest = { ...job, status };
  const states = rayJobAdapter().agingStates?.(manifest, [], { ownedResources, references }) ?? [];
  return {
    ...newWorld(manifest, nowMs),
    emittedEvents: new Set(emitted),
    stateAges: new Map(states.map((state) => [state, seenMs])),
    ownedResources,
    references,
    probeResults: new Map(
      Object.entries(probeResults).map(([name, answer]) => [
        name,
        answer === 'no answer'
          ? { problem: 'it did not respond within 5 s', failures: 5, askedForMs: askedForSeconds * 1000 }
          : { answer: { body: {}, ...answer }, failures: 0, ageMs: 0, askedForMs: askedForSeconds * 1000 },
      ]),
    ),
  };
}

function submitterOf(job: RayJob, status: Job['status'] = { active: 1 }): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'mnist', namespace: 'team', ...ownedBy(job) },
    status,
  };
}

function ownedBy({ metadata }: RayJob) {
  const { name = '', uid = '' } = metadata ?? {};
  return { ownerReferences: [{ apiVersion: 'ray.io/v1', kind: 'RayJob', name, uid, controller: true }] };
}

function owned(resource: Resource, object: KubeObject): OwnedResource {
  return { kind: { resource, endsWithRun: true, trim: (whole) => whole }, object };
}
