/** The events of a job, its pods and its other objects. */
import { EVENTS, RAY_CRON_JOBS, RAY_JOBS, type Event, type Pod } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import { kindNamed, type FoundJob } from './find-job.ts';

/** Ordered by time. */
export async function jobEvents(client: KubeClient, found: FoundJob, pods: readonly Pod[]): Promise<Event[]> {
  const { items } = await client.list(EVENTS, { namespace: found.namespace });
  return items.filter((event) => isAbout(found, pods, event)).sort((a, b) => timeOf(a).localeCompare(timeOf(b)));
}

/** The time of the last occurrence in RFC 3339, with six decimals, so that strings sort by time. */
export function timeOf({ series, deprecatedLastTimestamp, eventTime, metadata }: Event): string {
  const time = series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? '';
  return time.replace(/(?:[.](\d*))?Z$/, (_all, digits = '') => `.${String(digits).padEnd(6, '0')}Z`);
}

export function countOf({ series, deprecatedCount }: Event): number {
  return series?.count ?? deprecatedCount ?? 1;
}

/**
 * Matches the job and existing pods by UID. Matches other objects by a name that begins with the job's, if the event is not older
 * than the job.
 */
export function isAbout(found: FoundJob, pods: readonly Pod[], event: Event): boolean {
  const { name: job, manifest } = found;
  const { uid, name = '', kind = '' } = event.regarding ?? {};
  if (uid !== undefined && uid === manifest.metadata?.uid) return true;
  if (pods.some(({ metadata }) => metadata?.uid === uid)) return true;
  // A job of another kind, or another job of this name.
  const isChild = isClusterOf(manifest.status, name) || isRunOf(found, event.regarding);
  if (kindNamed(kind) !== undefined && !isChild) return false;
  if (timeOf(event) < (manifest.metadata?.creationTimestamp ?? '')) return false;
  if (kind === 'Pod') return isPodName(found, name) || isClusterOf(manifest.status, name);
  return name === job || name === `${job}-launcher` || name === `${job}-worker` || isChild;
}

/** Names of pods are `<job>-<role>`, usually with a number. */
function isPodName({ name: job, manifest }: FoundJob, pod: string): boolean {
  const specs = Object.entries(Object(manifest.spec) as object).filter(([field]) => field.endsWith('ReplicaSpecs'));
  const roles = specs.flatMap(([, roles]) => Object.keys(Object(roles) as object));
  const known = [...roles, 'launcher', 'worker'].map((role) => `${job}-${role.toLowerCase()}`);
  return known.some((prefix) => pod.startsWith(prefix) && /^(-\d+|-[a-z0-9]{5})?$/.test(pod.slice(prefix.length)));
}

/** For a RayCronJob: whether the object is one of its RayJobs. */
function isRunOf(
  { kind, name: job }: FoundJob,
  { kind: regarded, name = '' }: NonNullable<Event['regarding']> = {},
): boolean {
  if (kind.definition.resource !== RAY_CRON_JOBS || regarded !== RAY_JOBS.kind) return false;
  return name.startsWith(`${job}-`) && /^\d+$/.test(name.slice(job.length + 1));
}

interface ClusterNames {
  readonly rayClusterName?: string;
  readonly activeServiceStatus?: ClusterNames;
  readonly pendingServiceStatus?: ClusterNames;
}

/** For a RayJob or RayService: whether the name is that of a cluster of it, or of one of the cluster's pods. */
function isClusterOf(status: unknown, name: string): boolean {
  const { rayClusterName, activeServiceStatus, pendingServiceStatus } = Object(status) as ClusterNames;
  const clusters = [rayClusterName, activeServiceStatus?.rayClusterName, pendingServiceStatus?.rayClusterName];
  return clusters.some((cluster = '') => cluster !== '' && (name === cluster || name.startsWith(`${cluster}-`)));
}
