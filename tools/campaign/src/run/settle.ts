/** Waits after the last fault until nothing changes any more, or for a limited time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '@muster/cluster';
import { isFinished, PODS, SERVICES } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import type { FaultPlace } from '../faults/fault-place.ts';
import type { StoredObject } from '../history/history.ts';
import { jobStories, lastOf, livesOf } from '../history/job-story.ts';
import { hasQueuedCluster, isDeleting, isQueued, statusOf } from '../history/pod-state.ts';
import { FOREIGN_LABEL, RELEASED } from '../invariants/others-untouched.ts';
import { waitOf } from '../invariants/waiting-is-explained.ts';
import type { LoadedJob } from '../load/random-load.ts';
import type { EtcdWatch } from './etcd-watch.ts';

/** Longer than a status may be late, than an operator needs to take over a Lease, and than it notices a silent watch. */
const QUIET_MS = 12_000;
const LIMIT_MS = 240_000;
const POLL_MS = 1_000;

/** Resources that change without end. */
const CLOCKS = new Set(['leases', 'events', 'nodes', 'peerserverleases', 'masterleases', 'events.k8s.io']);

/**
 * Whether nothing changes any more: then what still waits, waits without end. False if something still changes after the limit, as on a busy
 * machine: such a state proves nothing.
 */
export async function settle(
  { etcd, client }: Pick<FaultPlace, 'etcd' | 'client'>,
  progress: Progress,
  withinMs = LIMIT_MS,
): Promise<boolean> {
  const limitMs = performance.now() + withinMs;
  let waiting: string[] = [];
  let isQuiet = false;
  do {
    await sleep(POLL_MS);
    const last = etcd.changes.findLast(({ resource }) => !CLOCKS.has(resource));
    isQuiet = last === undefined || performance.now() - last.atMs > QUIET_MS;
    waiting = waitingJobs(etcd);
    isQuiet &&= !(await awaitsKubelets({ etcd, client }));
    if (isQuiet && waiting.length === 0) return true;
  } while (performance.now() < limitMs);
  const what = isQuiet ? 'nothing changes any more' : 'something still changes';
  progress.note(`after ${withinMs / 1000} s ${what}, and these wait: ${waiting.slice(0, 5).join(', ') || 'none'}`);
  return isQuiet;
}

/**
 * Whether pods are being deleted, which kubelets finish. An API server that is interrupted while it removes a pod leaves one without a grace
 * period. A kubelet deletes it again, but the simulated one does not, so this function does.
 */
async function awaitsKubelets({ etcd, client }: Pick<FaultPlace, 'etcd' | 'client'>): Promise<boolean> {
  const deleted = [...livesOf(etcd.changes).values()].filter(
    (life) => life.resource === 'pods' && life.gone === undefined && isDeleting(lastOf(life).object),
  );
  const stuck = deleted.filter((life) => gracePeriodOf(lastOf(life).object) === 0);
  for (const { namespace, name, uid } of stuck)
    await client.delete(PODS, { namespace, name }, { uid, gracePeriodSeconds: 0 }).catch(orGone);
  return deleted.length > 0;
}

function gracePeriodOf({ metadata }: StoredObject): number | undefined {
  return (metadata as { readonly deletionGracePeriodSeconds?: number } | undefined)?.deletionGracePeriodSeconds;
}

/** Jobs that are expected to change. A reason in their status does not end the wait: its cause may be over. */
function waitingJobs(etcd: EtcdWatch): string[] {
  return jobStories(etcd).flatMap((job) => {
    const why = waitOf(job);
    const { object } = lastOf(job);
    const status = statusOf(object);
    const isFinal = isFinished(status) || status.conditions?.some(({ reason }) => reason === 'NameTaken') === true;
    const isExpected = isFinal || isQueued(object) || hasQueuedCluster(job) || isDelayed(object);
    return why === undefined || isExpected ? [] : [`${job.kind} ${job.name} ${why}${explanationOf(object)}`];
  });
}

/** What the job itself says. */
function explanationOf(job: StoredObject): string {
  const { conditions = [] } = statusOf(job);
  const { type, message } = conditions.find((each) => each.type === 'Waiting') ?? conditions.at(-1) ?? {};
  return type === undefined ? '' : ` (${type}: ${message})`;
}

/** A job that fails again and again is restarted later and later. Once that time has passed, the job is expected to change. */
function isDelayed(job: StoredObject): boolean {
  const { conditions = [] } = statusOf(job);
  return conditions.some(({ type, status, message = '' }) => {
    const at = type === 'Restarting' && status === 'True' ? / is restarted at (\S+)/.exec(message)?.[1] : undefined;
    return at !== undefined && Date.parse(at) > Date.now();
  });
}

/** Deletes all jobs that are left, and the objects of others. */
export async function deleteJobs({ client, namespaces }: FaultPlace, load: readonly LoadedJob[]): Promise<void> {
  await Promise.all(
    load.map(async ({ kind, name, namespace }, index) => {
      const key = { name, namespace: namespaces[namespace] ?? '' };
      const propagationPolicy = index % 3 === 0 ? 'Foreground' : 'Background';
      await client.delete(kind.resource, key, { propagationPolicy }).catch(orGone);
    }),
  );
  const { items } = await client.list(SERVICES, { labelSelector: FOREIGN_LABEL });
  for (const { metadata } of items) {
    const key = { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' };
    await client.patch(SERVICES, key, { metadata: { labels: { [FOREIGN_LABEL]: RELEASED } } }).catch(orGone);
    await client.delete(SERVICES, key).catch(orGone);
  }
}

function orGone(error: unknown): void {
  if (!isKubeError(error, 'NotFound')) throw error;
}
