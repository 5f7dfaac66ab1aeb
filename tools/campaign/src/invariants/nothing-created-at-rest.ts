import type { History } from '../history/history.ts';
import { firstOf, type JobStory, type Life, titleOf, type Version } from '../history/job-story.ts';
import { hasFinalEnd, isDeleting, isSuspended, wantsSuspension } from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'nothing-created-at-rest';

/** A change reaches an operator through a watch, which may be silent. An operator opens a silent watch again after 150 s, and lists. */
export const NOTICED_MS = 180_000;

export const nothingCreatedAtRest: Invariant = {
  name: NAME,
  statement:
    'Nothing is created for a job whose status says that it has ended, and no pod for one whose status says that it is suspended. Three minutes after a user has suspended or deleted a job the same holds, whatever its status.',
  check(history, jobs) {
    const sent = sentTimes(history);
    // Users create Commands.
    const isMade = ({ resource }: Life) => !resource.startsWith('commands.');
    return jobs.flatMap((job) => job.owned.filter(isMade).flatMap((child) => violationOf(job, child, sent)));
  },
};

function violationOf(job: JobStory, child: Life, sent: ReadonlyMap<string, number>): Violation[] {
  const created = firstOf(child);
  const atMs = sent.get(child.uid) ?? created.atMs;
  // Decided with what was known when the request was sent, so its time counts and not that of its effect.
  const known = job.versions.filter((version) => version.revision < created.revision && version.atMs < atMs);
  const why = restOf(job, known, atMs, makesPods(child));
  if (why === undefined) return [];
  const message = `${child.resource} ${child.name} (${child.uid}) was created at revision ${created.revision}, but the job ${why}`;
  return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message, revision: created.revision }];
}

/** Whether pods exist because of the object. A suspended MPIJob has a Service, a ConfigMap and a suspended Job, for queues. */
const WITH_PODS: ReadonlySet<string> = new Set(['jobs', 'rayclusters.ray.io', 'rayjobs.ray.io']);

function makesPods({ resource, versions }: Life): boolean {
  const { suspend, replicas } = (firstOf({ versions }).object.spec ?? {}) as { suspend?: boolean; replicas?: number };
  if (WITH_PODS.has(resource)) return suspend !== true;
  return resource === 'statefulsets' ? replicas !== 0 : resource === 'pods';
}

function restOf(job: JobStory, known: readonly Version[], atMs: number, isAboutPods: boolean): string | undefined {
  const last = known.at(-1);
  if (last === undefined) return undefined;
  if (hasFinalEnd(last.object)) return `has ended (revision ${last.revision})`;
  if (isAboutPods && isSuspended(last.object)) return `is suspended (revision ${last.revision})`;
  const since = (holds: (version: Version) => boolean) => {
    const changed = known.findLastIndex((version) => !holds(version));
    return known[changed + 1]?.atMs ?? Infinity;
  };
  if (since(({ object }) => isDeleting(object)) + NOTICED_MS < atMs) return 'is being deleted';
  if (isAboutPods && since(({ object }) => wantsSuspension(object)) + NOTICED_MS < atMs)
    return 'was suspended by its user';
  if ((job.gone?.atMs ?? Infinity) + NOTICED_MS < atMs) return 'is gone';
  return undefined;
}

/** When the request for each created object was sent, by UID. */
function sentTimes({ writes }: History): Map<string, number> {
  const created = writes.filter(({ method, uid }) => method === 'POST' && uid !== undefined);
  return new Map(created.map(({ uid = '', sentMs }) => [uid, sentMs]));
}
