/** The history of one job as text, a line for each change: the facts behind a violation. */
import type { Pod } from '@muster/job-api';
import type { Change, History, StoredObject } from '../history/history.ts';
import { jobStories } from '../history/job-story.ts';
import { isDeleting, phaseOf, statusOf, wantsSuspension } from '../history/pod-state.ts';

/** One line for each change of the job, its objects and its pods, with the replica that sent the write if that is known. */
export function timelineOf({ changes, writes }: Pick<History, 'changes' | 'writes'>, uid: string): string[] {
  const job = jobStories({ changes }).find((each) => each.uid === uid);
  if (job === undefined) return [];
  const uids = new Set([uid, ...job.pods.map((pod) => pod.uid), ...job.owned.map((each) => each.uid)]);
  const senders = new Map(
    writes.map(({ revision, replica, operatorVersion }) => [revision, `${replica}, ${operatorVersion}`]),
  );
  const [{ atMs: startMs } = { atMs: 0 }] = job.versions;
  return changes
    .filter(({ before, after }) => uids.has((after ?? before)?.metadata?.uid ?? ''))
    .map((change) => {
      const seconds = ((change.atMs - startMs) / 1000).toFixed(2).padStart(7);
      const sender = senders.get(change.revision);
      return `${seconds} s  ${change.revision}  ${change.resource} ${change.name}: ${what(change)}${sender === undefined ? '' : `  [${sender}]`}`;
    });
}

function what({ resource, before, after }: Change): string {
  if (after === undefined) return 'removed';
  const did = before === undefined ? 'created' : 'changed';
  const deleting = isDeleting(after) ? ', deleting' : '';
  return `${did}${deleting}, ${resource === 'pods' ? phaseWithExit(after) : stateOf(after)}`;
}

function phaseWithExit(pod: StoredObject): string {
  const { containerStatuses = [], reason, conditions = [] } = (pod as unknown as Pod).status ?? {};
  const [exitCode] = containerStatuses.flatMap(({ state }) => state?.terminated?.exitCode ?? []);
  const disrupted = conditions.some(({ type }) => type === 'DisruptionTarget') ? ', disrupted' : '';
  return `${phaseOf(pod)}${exitCode === undefined ? '' : ` (exit code ${exitCode})`}${reason === undefined ? '' : ` ${reason}`}${disrupted}`;
}

function stateOf(object: StoredObject): string {
  const { conditions = [], restartCount, replicaStatuses } = statusOf(object);
  const holding = conditions.filter(({ status }) => status === 'True').map(({ type, reason }) => `${type} (${reason})`);
  const counts = Object.entries(replicaStatuses ?? {}).map(
    ([role, { active = 0, succeeded = 0, failed = 0 }]) => `${role} ${active}/${succeeded}/${failed}`,
  );
  return [
    wantsSuspension(object) ? 'spec: suspended' : '',
    holding.join(', '),
    counts.join(', '),
    restartCount === undefined ? '' : `restarts ${restartCount}`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}
