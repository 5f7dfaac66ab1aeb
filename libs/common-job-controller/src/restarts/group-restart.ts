/**
 * Recreates all pods of a role or job together. The status write that counts the attempt precedes any deletion, and pods of earlier
 * attempts are ignored from then on. So no restart is lost or counted twice if the operator is killed, and failures of old pods start no
 * further restart.
 */
import type { JobStatus, Pod, ReplicaStatus, RestartGroup } from '@muster/job-api';
import { isCreatedByMuster } from '../model/replica-identity.ts';
import { placeKey } from '../model/replica-hosts.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { hasRun, type JobReplicas, type ReplicaPod } from '../model/replica-pod.ts';
import { attemptOf, attemptOfJob, attemptOfRole, attemptOn } from '../model/attempt.ts';
import { firstFailedReplica } from '../failures/first-failure.ts';
import { canRestartInPlace } from '../pods/in-place.ts';
import { delayLeftMs } from './awaiting-delay.ts';
import { countedAs, scopeOfRestart, type CountedAs } from './failure-rule.ts';
import { dueAtMs, failedAgain, ranMs, type FailuresInARow } from './restart-backoff.ts';
import type { RestartRecords } from '../model/restart-records.ts';

export interface GroupRestart {
  readonly role: ReplicaRole | undefined;
  readonly attempt: number;
  readonly failed: readonly ReplicaPod[];
  /** The pod that failed first. Undefined if none failed and the framework's rule restarts the job. */
  readonly cause?: Pod | undefined;
  readonly countedAs: CountedAs;
  readonly failures: FailuresInARow;
  /** Pods whose containers the kubelet restarts. All other pods are recreated. */
  readonly inPlace: ReadonlySet<Pod>;
}

interface Now {
  readonly nowMs: number;
  readonly records: RestartRecords;
}

export function groupRestarts(job: TrainingJob, wanted: readonly ReplicaPod[], now: Now): GroupRestart[] {
  const failedIn = (scope: 'Role' | 'Job') => wanted.filter((replica) => scopeOfRestart(replica) === scope);
  const ofJob = failedIn('Job');
  if (ofJob.length > 0) return [groupRestart(job, undefined, ofJob, { wanted, ...now })];
  const byRole = Map.groupBy(failedIn('Role'), ({ role }) => role);
  return [...byRole].map(([role, failed]) => groupRestart(job, role, failed, { wanted, ...now }));
}

export function newAttempt(job: TrainingJob, wanted: readonly ReplicaPod[], counted: CountedAs): GroupRestart {
  return {
    role: undefined,
    attempt: nextAttempt(job, undefined, wanted),
    failed: [],
    countedAs: counted,
    failures: {},
    inPlace: new Set(),
  };
}

function groupRestart(
  job: TrainingJob,
  role: ReplicaRole | undefined,
  failed: readonly ReplicaPod[],
  { wanted, nowMs, records }: Now & { readonly wanted: readonly ReplicaPod[] },
): GroupRestart {
  const cause = firstFailedReplica(failed.filter(({ isRestartedWithOther }) => isRestartedWithOther !== true));
  const awaited = role === undefined ? wanted : wanted.filter((replica) => replica.role === role);
  // If a replica is still waiting for its own delay, the whole group waits for it.
  const delaySeconds = awaited
    .map((replica) => Math.ceil((delayLeftMs(records.get(placeKey(replica)), nowMs) ?? 0) / 1000))
    .reduce((longest, each) => Math.max(longest, each), cause?.policyRule?.delaySeconds ?? 0);
  const { failures = 0 } = job.status.restarts?.find((group) => isOf(group, role)) ?? {};
  const ran = cause?.pod === undefined ? 0 : ranMs(cause.pod, cause.role.containerName, nowMs);
  const again = failedAgain(failures, ran, nowMs, delaySeconds);
  return {
    role,
    attempt: nextAttempt(job, role, awaited),
    failed,
    cause: cause?.pod,
    countedAs: cause === undefined ? 'Disruption' : countedAs(cause),
    failures: again,
    // A pod that has to wait is deleted, so that its node can be used meanwhile.
    inPlace: new Set(
      cause?.policyRule?.inPlace === true && again.lastFailureTime === undefined ? podsInPlace(wanted) : [],
    ),
  };
}

function podsInPlace(wanted: readonly ReplicaPod[]): Pod[] {
  return wanted.flatMap(({ role, pod }) =>
    role.restartsInPlace === true && pod !== undefined && canRestartInPlace(pod) ? [pod] : [],
  );
}

/** Higher than the attempt of any existing pod, even if the number was removed from the status. */
function nextAttempt(job: TrainingJob, role: ReplicaRole | undefined, own: readonly ReplicaPod[]): number {
  const ahead = own.map((replica) => (replica.pod ? attemptOn(replica.pod) - attemptOf(job, replica.role) : 0));
  const before = role === undefined ? attemptOfJob(job) : attemptOfRole(job, role);
  return before + ahead.reduce((most, each) => Math.max(most, each), 0) + 1;
}

export function isRestartedWith(groups: readonly GroupRestart[], role: ReplicaRole): boolean {
  return groups.some((group) => group.role === undefined || group.role === role);
}

/** The job and its replicas at the start of the new attempts. */
export function restartedTogether(
  job: TrainingJob,
  { wanted, surplus }: JobReplicas,
  groups: readonly GroupRestart[],
): { readonly job: TrainingJob; readonly replicas: JobReplicas } {
  if (groups.length === 0) return { job, replicas: { wanted, surplus } };
  const going: Pod[] = [];
  const replicas = wanted.map((replica): ReplicaPod => {
    const { role, index, pod } = replica;
    if (!isRestartedWith(groups, role)) return replica;
    if (pod !== undefined && groups.some(({ inPlace }) => inPlace.has(pod)))
      return { role, index, pod, state: 'pending' };
    if (pod === undefined || !isCreatedByMuster(role)) return { role, index, state: 'missing' };
    going.push(pod);
    return { role, index, state: 'missing', blockedBy: 'attempt' };
  });
  return {
    job: { ...job, status: withAttempts(job.status, groups) },
    replicas: { wanted: replicas, surplus: [...surplus, ...going] },
  };
}

function withAttempts(status: JobStatus, groups: readonly GroupRestart[]): JobStatus {
  const ofJob = groups.find(({ role }) => role === undefined);
  const ofRoles = groups.flatMap(({ role, attempt }): [string, ReplicaStatus][] =>
    role === undefined ? [] : [[role.name, { ...status.replicaStatuses?.[role.name], attempt }]],
  );
  return {
    ...status,
    ...(ofJob && { attempt: ofJob.attempt }),
    ...(ofRoles.length > 0 && { replicaStatuses: { ...status.replicaStatuses, ...Object.fromEntries(ofRoles) } }),
  };
}

/** The records to keep in the status: incomplete attempts, and failures in a row of earlier ones. */
export function groupRecords(
  { status }: TrainingJob,
  wanted: readonly ReplicaPod[],
  groups: readonly GroupRestart[],
): RestartGroup[] {
  const begun = groups.map(({ role, failures }): RestartGroup => ({
    scope: role === undefined ? 'Job' : 'Role',
    ...(role && { role: role.name }),
    replaced: true,
    ...failures,
  }));
  const before = (status.restarts ?? []).filter(
    (group) => group.scope !== undefined && !groups.some(({ role }) => isOf(group, role)),
  );
  const kept = before.map((group): RestartGroup => {
    const { replaced: _replaced, lastFailureTime: _time, delaySeconds: _delay, ...others } = group;
    return isComplete(group, wanted) ? others : group;
  });
  return [...begun, ...kept.filter(({ replaced, failures }) => replaced === true || failures !== undefined)];
}

function isComplete({ role }: RestartGroup, wanted: readonly ReplicaPod[]): boolean {
  return wanted.filter((replica) => role === undefined || replica.role.name === role).every(hasRun);
}

function isOf({ scope, role: name }: RestartGroup, role: ReplicaRole | undefined): boolean {
  return role === undefined ? scope === 'Job' : scope === 'Role' && name === role.name;
}

export function attemptDueMs({ status }: Pick<TrainingJob, 'status'>, role: ReplicaRole, nowMs: number): number {
  const groups = status.restarts?.filter((group) => isOf(group, undefined) || isOf(group, role)) ?? [];
  return groups.reduce((latest, group) => Math.max(latest, dueAtMs(group, nowMs)), nowMs);
}
