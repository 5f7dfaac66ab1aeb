/** Short notations for RayJobs and their observations. */
import type { RayCluster, RayJob, RayJobSpec } from '@muster/job-api';
import type { DashboardAnswer } from '../src/job/dashboard.ts';
import type { ObservedRayJob } from '../src/job/observed-ray-job.ts';
import { rayJobRecord, type RayJobRecord } from '../src/job/ray-job-status.ts';

/** The start of every job here. */
export const START_MS = Date.parse('2026-01-01T00:00:00Z');

export function after(seconds: number): string {
  return new Date(START_MS + seconds * 1000).toISOString().replace('.000Z', 'Z');
}

export const HEAD = { serviceName: 'mnist-abcde-head-svc', podName: 'mnist-abcde-head-0' };

export function jobSpec(spec: Partial<RayJobSpec> = {}): RayJobSpec {
  return {
    entrypoint: 'python train.py',
    submissionMode: 'K8sJobMode',
    ...(spec.clusterSelector === undefined && {
      rayClusterSpec: {
        headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', image: 'ray:2.60.0' }] } } },
        workerGroupSpecs: [],
      },
    }),
    ...spec,
  };
}

export function rayJob(spec: Partial<RayJobSpec> = {}, metadata: RayJob['metadata'] = {}): RayJob {
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: { name: 'mnist', namespace: 'team', uid: 'u-1', ...metadata },
    spec: jobSpec(spec),
  };
}

/** For a running job `mnist-abcde` on the cluster of that name. */
export function recordOf(record: Partial<RayJobRecord> = {}): RayJobRecord {
  return {
    ...rayJobRecord(undefined),
    jobDeploymentStatus: 'Running',
    jobId: 'mnist-abcde',
    rayClusterName: 'mnist-abcde',
    dashboardURL: 'mnist-abcde-head-svc.team.svc.cluster.local:8265',
    startTime: after(0),
    attempt: 1,
    ...record,
  };
}

export function readyCluster({ status, spec, metadata }: Partial<RayCluster> = {}): RayCluster {
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'mnist-abcde', namespace: 'team', ...metadata },
    spec: spec ?? jobSpec().rayClusterSpec!,
    status: { state: 'ready', head: HEAD, endpoints: { dashboard: '8265' }, ...status },
  };
}

/** An answer without age. */
export function reports(status: (DashboardAnswer & { kind: 'Job' })['status'], endMs?: number): DashboardAnswer {
  return {
    kind: 'Job',
    status,
    message: `it is ${status}`,
    startMs: START_MS + 1000,
    ...(endMs !== undefined && { endMs }),
  };
}

export const NOT_FOUND: DashboardAnswer = { kind: 'NotFound', ageMs: 0 };

export function silent(failures = 5, askedForMs = 60_000): DashboardAnswer {
  return { kind: 'Silent', problem: 'it did not respond within 2 s', failures, askedForMs };
}

/** The job a minute after its start, while it runs and its submitter follows it. */
export function observe(
  observed: Partial<Omit<ObservedRayJob, 'spec' | 'record'>> & {
    spec?: Partial<RayJobSpec>;
    record?: Partial<RayJobRecord>;
  } = {},
): ObservedRayJob {
  const { spec, record, ...others } = observed;
  return {
    name: 'mnist',
    namespace: 'team',
    uid: 'u-1',
    generation: 1,
    nowMs: START_MS + 60_000,
    cluster: readyCluster(),
    submitter: {},
    answer: undefined,
    isDriverNodeDead: false,
    session: undefined,
    submission: undefined,
    stop: undefined,
    clusterDomain: 'cluster.local',
    ...others,
    spec: jobSpec(spec),
    record: recordOf(record),
  };
}
