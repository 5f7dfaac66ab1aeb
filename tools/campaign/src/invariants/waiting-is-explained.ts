import { hasCondition } from '@muster/job-api';
import type { History, StoredObject } from '../history/history.ts';
import { lastOf, titleOf, type JobStory } from '../history/job-story.ts';
import {
  hasFinalEnd,
  hasQueuedCluster,
  isDeleting,
  isHeldByKubernetes,
  isQueued,
  phaseOf,
  replicasByRole,
  roleOf,
  statusOf,
  wantsSuspension,
} from '../history/pod-state.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'waiting-is-explained';

export const waitingIsExplained: Invariant = {
  name: NAME,
  statement:
    'When nothing changes any more, each job has ended, is suspended and has no pods, runs with all its replicas, or says in a condition or event why not.',
  check(history, jobs) {
    if (!history.hasSettled) return [];
    return jobs.flatMap((job): Violation[] => {
      const why = waitOf(job);
      const isSuspended = wantsSuspension(lastOf(job).object);
      if (why === undefined || (!isSuspended && isExplained(history, job))) return [];
      const { conditions = [] } = statusOf(lastOf(job).object);
      const seen = conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`).join(', ');
      const message = `${why}, without a condition or event that says why (${seen || 'no conditions'})`;
      return [{ invariant: NAME, about: titleOf(job), uid: job.uid, message }];
    });
  },
};

/** What is missing; undefined if the job is in a state that needs no explanation. */
export function waitOf(job: JobStory): string | undefined {
  const { object } = lastOf(job);
  if (job.gone !== undefined || job.isNamespaceGoing || hasFinalEnd(object)) return undefined;
  if (isDeleting(object)) return isHeldByKubernetes(job) ? undefined : 'is being deleted';
  const status = statusOf(object);
  if ((status.conditions ?? []).length === 0 && Object.keys(object.status ?? {}).length === 0) return 'has no status';
  const present = job.pods.filter(({ gone }) => gone === undefined).map((pod) => ({ pod, now: lastOf(pod).object }));
  if (wantsSuspension(object)) {
    const staying = present.filter(({ now }) => !isDeleting(now)).length;
    return staying > 0 ? `is suspended and has ${staying} pods` : undefined;
  }
  for (const [role, replicas] of replicasByRole(object)) {
    const own = present.filter(({ pod }) => roleOf(pod) === role && !isDeleting(pod.versions.at(-1)?.object ?? {}));
    const running = own.filter(({ now }) => ['Running', 'Succeeded'].includes(phaseOf(now))).length;
    if (running + failedForGood(object, role) < replicas) return `has ${running} of ${replicas} pods of role ${role}`;
  }
  return waitOfOwner(object);
}

/** A Volcano Job goes on running without a pod that has no restart left. Its count says so. */
function failedForGood(job: StoredObject, role: string): number {
  const counts = Object.entries(statusOf(job).replicaStatuses ?? {});
  return counts.find(([name]) => name.toLowerCase() === role)?.[1].failed ?? 0;
}

/** For kinds whose pods are those of other jobs. */
function waitOfOwner({ kind, status = {} }: StoredObject): string | undefined {
  const { jobDeploymentStatus, jobStatus, conditions = [], pendingServiceStatus } = status as RayStatus;
  if (kind === 'RayJob')
    return jobDeploymentStatus === 'Running' && jobStatus === 'RUNNING' ? undefined : `is ${jobDeploymentStatus}`;
  // The conditions of a service that waits for a broken application name it.
  if (kind !== 'RayService' || conditions.some(({ message = '' }) => message.includes('DEPLOY_FAILED')))
    return undefined;
  if (pendingServiceStatus?.rayClusterName !== undefined)
    return `has the pending cluster ${pendingServiceStatus.rayClusterName}`;
  return conditions.some((each) => each.type === 'Ready' && each.status === 'True') ? undefined : 'is not ready';
}

interface RayStatus {
  readonly jobDeploymentStatus?: string;
  readonly jobStatus?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  readonly pendingServiceStatus?: { readonly rayClusterName?: string };
}

function isExplained({ changes }: History, job: JobStory): boolean {
  const { conditions } = statusOf(lastOf(job).object);
  if ((['ReplicaFailure', 'Waiting', 'Restarting', 'Failed'] as const).some((type) => hasCondition(conditions, type)))
    return true;
  if (isQueued(lastOf(job).object)) return true;
  // A RayService has the message of its cluster in its condition Ready; a RayJob has an event.
  const { conditions: published = [] } = (lastOf(job).object.status ?? {}) as RayStatus;
  if (hasQueuedCluster(job) && published.some(({ message = '' }) => message.includes('waits in queue'))) return true;
  // A shrunk elastic job and a start order are explained by events.
  return changes.some(({ resource, after }) => {
    if (!resource.startsWith('events') || after === undefined) return false;
    const {
      regarding,
      involvedObject,
      reason = '',
    } = after as {
      readonly regarding?: { readonly uid?: string };
      readonly involvedObject?: { readonly uid?: string };
      readonly reason?: string;
    };
    const isAbout = (regarding ?? involvedObject)?.uid === job.uid;
    return isAbout && /^(Waiting|ShrunkToCapacity|Unschedulable|Failed|PodStuck)/.test(reason);
  });
}
