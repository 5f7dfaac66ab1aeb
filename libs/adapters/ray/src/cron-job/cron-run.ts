/** A run of a RayCronJob: the RayJob of one scheduled time. */
import { controllerOf, type OwnedResource } from '@muster/common-job-controller';
import { ANNOTATIONS, type KubeObject, momentOf, RAY_JOBS, type RayCronJob, type RayJob } from '@muster/job-api';
import { RAY_ANNOTATIONS, RAY_LABELS } from '../model/ray-labels.ts';
import { timeOf } from '../model/time-of.ts';

const MINUTE_MS = 60_000;

export interface CronRun {
  readonly name: string;
  readonly uid: string;
  /** Its scheduled time. Undefined for a RayJob that was not created by the schedule. */
  readonly tickMs?: number;
  readonly end?: 'Succeeded' | 'Failed';
  readonly endMs?: number;
  readonly isBeingDeleted: boolean;
}

/** As in KubeRay. It follows from the time, so that a run is created once. */
export function runName(cronJob: string, tickMs: number): string {
  return `${cronJob}-${Math.floor(tickMs / MINUTE_MS)}`;
}

export function runsOf({ metadata }: RayCronJob, ownedResources: readonly OwnedResource[]): CronRun[] {
  const { name = '', uid } = metadata ?? {};
  return ownedResources
    .filter(({ kind, object }) => kind.resource === RAY_JOBS && controllerOf(object)?.uid === uid)
    .map(({ object }) => runOf(name, object as RayJob));
}

function runOf(cronJob: string, { metadata, status }: RayJob): CronRun {
  const { name = '', uid = '', annotations, deletionTimestamp } = metadata ?? {};
  const { jobDeploymentStatus: state = '', endTime } = status ?? {};
  const tickMs = momentOf(annotations?.[RAY_ANNOTATIONS.scheduledTimestamp]) ?? tickInName(cronJob, name);
  const endMs = momentOf(endTime);
  return {
    ...{ name, uid, isBeingDeleted: deletionTimestamp !== undefined },
    ...(tickMs !== undefined && { tickMs }),
    ...(state === 'Complete' && { end: 'Succeeded' as const }),
    ...((state === 'Failed' || state === 'ValidationFailed') && { end: 'Failed' as const }),
    ...(endMs !== undefined && { endMs }),
  };
}

function tickInName(cronJob: string, name: string): number | undefined {
  const minutes = name.startsWith(`${cronJob}-`) ? name.slice(cronJob.length + 1) : '';
  return /^\d{1,9}$/.test(minutes) ? Number(minutes) * MINUTE_MS : undefined;
}

/** `jobTemplate` has no metadata, so the RayCronJob's own labels and annotations for these are passed on. */
const PASSED_ON = [
  'kueue.x-k8s.io/',
  'ray.io/',
  'muster.dev/',
  'volcano.sh/',
  'yunikorn.apache.org/',
  'kai.scheduler/',
];

const passedOn = (entries: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(entries).filter(
      ([key]) => key !== ANNOTATIONS.status && PASSED_ON.some((prefix) => key.startsWith(prefix)),
    ),
  );

/** Without owner. The template is that of the current spec. */
export function scheduledRun({ metadata, spec }: RayCronJob, tickMs: number): RayJob {
  const { name = '', namespace, labels, annotations } = metadata ?? {};
  return {
    apiVersion: 'ray.io/v1',
    kind: RAY_JOBS.kind,
    metadata: {
      name: runName(name, tickMs),
      ...(namespace !== undefined && { namespace }),
      labels: { ...passedOn(labels), ...runLabels(name) },
      annotations: { ...passedOn(annotations), [RAY_ANNOTATIONS.scheduledTimestamp]: timeOf(tickMs) },
    },
    spec: spec.jobTemplate,
  };
}

export function runLabels(cronJob: string): Record<string, string> {
  return { [RAY_LABELS.cronJob]: cronJob };
}

/** For an existing run, which is never changed. */
export function existingRun({ name }: CronRun): KubeObject {
  return { metadata: { name } };
}
