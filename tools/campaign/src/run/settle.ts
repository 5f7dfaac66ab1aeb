/** Waits after the last fault until nothing changes any more, or for a limited time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '@muster/cluster';
import { SERVICES } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import type { FaultPlace } from '../faults/fault-place.ts';
import { jobStories, lastOf } from '../history/job-story.ts';
import { replicaOf, statusOf } from '../history/pod-state.ts';
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
export async function settle(etcd: EtcdWatch, progress: Progress, withinMs = LIMIT_MS): Promise<boolean> {
  const limitMs = performance.now() + withinMs;
  let waiting: string[] = [];
  let isQuiet = false;
  do {
    await sleep(POLL_MS);
    const last = etcd.changes.findLast(({ resource }) => !CLOCKS.has(resource));
    isQuiet = last === undefined || performance.now() - last.atMs > QUIET_MS;
    waiting = waitingJobs(etcd);
    if (isQuiet && waiting.length === 0) return true;
  } while (performance.now() < limitMs);
  const what = isQuiet ? 'nothing changes any more' : 'something still changes';
  progress.note(`after ${withinMs / 1000} s ${what}, and these wait: ${waiting.slice(0, 5).join(', ') || 'none'}`);
  return isQuiet;
}

/** Jobs that are expected to change. A reason in their status does not end the wait: its cause may be over. */
function waitingJobs(etcd: EtcdWatch): string[] {
  return jobStories(etcd).flatMap((job) => {
    const why = waitOf(job);
    const isFinal = statusOf(lastOf(job).object).conditions?.some(({ reason }) => reason === 'NameTaken') === true;
    const isOther = job.pods.some((pod) => replicaOf(pod) === undefined);
    return why === undefined || isFinal || isOther ? [] : [`${job.name} ${why}`];
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
