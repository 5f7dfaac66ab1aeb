/**
 * The state of a job, computed from the job and its pods for every kind and operator. Muster's status has the state; for jobs of
 * other operators it follows from the conditions.
 */
import {
  isReady,
  isUnnumbered,
  readJob,
  recorded,
  sizedAsGranted,
  statusOf,
  type FrameworkAdapter,
  type JobManifest,
  type TrainingJob,
} from '@muster/common-job-controller';
import {
  admitted,
  JOB_ROLE_MASTER,
  LABELS,
  START_DEADLINE_EXCEEDED,
  problemsOf,
  type JobCondition,
  type JobFailure,
  type JobStatus,
  type Pod,
  type TimeAccounts,
} from '@muster/job-api';
import type { Kind } from '../kinds.ts';
import { podRuleOf, type PodRule } from './pod-rule.ts';

/** One pod of the job. */
export interface ReplicaView {
  /** `worker-1`; the pod's name if it has no index. */
  readonly name: string;
  /** In the manifest's spelling. */
  readonly role: string;
  readonly pod: Pod;
  /** The main container, whose end counts. */
  readonly container: string;
}

export interface RoleView {
  readonly name: string;
  /** Undefined if the manifest does not set it. */
  readonly wanted: number | undefined;
  /** Existing pods; undefined if pods were not read. */
  readonly there: number | undefined;
  readonly ready: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Why a restarted replica cannot rejoin the others; undefined if it can. */
  readonly cannotRejoin?: string | undefined;
}

export const JOB_STATES = ['Created', 'Running', 'Restarting', 'Suspended', 'Succeeded', 'Failed'] as const;

export type JobState = (typeof JOB_STATES)[number];

export interface JobView {
  readonly kind: Kind;
  readonly manifest: JobManifest;
  /** Undefined: no operator has reconciled it. */
  readonly state: JobState | undefined;
  readonly conditions: readonly JobCondition[];
  /** `2/3`, or undefined if unknown. */
  readonly ready: string | undefined;
  readonly restarts: number | undefined;
  readonly completionTime: string | undefined;
  /** The first failure of the last failed attempt; undefined if none, or if the operator does not report it. */
  readonly firstFailure: JobFailure | undefined;
  /** Undefined if the operator does not record it. */
  readonly timeAccounts?: TimeAccounts | undefined;
  readonly roles: readonly RoleView[];
  /** Ordered by rank: by role and index. */
  readonly replicas: readonly ReplicaView[];
  /** The name of the replica whose log shows the job's progress, whether it exists or not. */
  readonly deciding: string | undefined;
}

const SETTINGS = { clusterDomain: 'cluster.local' };

export function isFinished({ state }: Pick<JobView, 'state'>): boolean {
  return state === 'Succeeded' || state === 'Failed';
}

/** Such a job loses its running pods under every cleanPodPolicy. The messages are those of kubeflow/training-operator. */
export function hasReachedLimit({ conditions }: Pick<JobView, 'conditions'>): boolean {
  const failed = conditions.find(({ type, status }) => type === 'Failed' && status === 'True');
  const { reason, message = '' } = failed ?? {};
  return (
    reason === START_DEADLINE_EXCEEDED ||
    /reached the specified backoff limit|active longer than specified deadline/.test(message)
  );
}

/** @param pods of the job; undefined if they were not read */
export function jobView(kind: Kind, manifest: JobManifest, pods?: readonly Pod[]): JobView {
  const adapter = kind.adapter(SETTINGS);
  const job = readable(kind, adapter, manifest);
  const record = statusOf(adapter, recorded(adapter, manifest));
  const rule = kind.pods ?? podRuleOf(adapter);
  const replicas = replicasOf(rule, job, pods ?? []);
  const roles = rolesOf(job, record, replicas, pods !== undefined);
  const { conditions: shown = [] } = Object(manifest.status) as { conditions?: JobCondition[] };
  // Those of a RayCluster are KubeRay's: whether it has failed, and why, is in Muster's record.
  const others = (record.conditions ?? []).filter(({ type }) => shown.every((each) => each.type !== type));
  return {
    kind,
    manifest,
    state: stateOf(record),
    conditions: [...shown, ...others],
    // The status of a kind without roles does not count pods.
    ready: job?.roles.length === 0 ? readyOf(roles) : (record.ready ?? readyOf(roles)),
    restarts: record.restartCount ?? (pods && containerRestarts(pods)),
    completionTime: record.completionTime,
    firstFailure: record.firstFailure,
    timeAccounts: record.timeAccounts,
    roles,
    replicas,
    deciding: rule.deciding?.(manifest) ?? decidingReplica(adapter, job, replicas),
  };
}

/** Undefined for a job with an invalid spec. */
function readable(kind: Kind, adapter: FrameworkAdapter, manifest: JobManifest): TrainingJob | undefined {
  const { status: _status, ...declared } = manifest;
  if (problemsOf(kind.definition, declared).length > 0) return undefined;
  // A status of another operator does not make the spec invalid.
  const stored = admitted(kind.definition, declared);
  return adapter.problems(stored).length > 0
    ? undefined
    : sizedAsGranted(adapter, readJob(adapter, { ...manifest, spec: stored.spec ?? {} }));
}

const STATES: readonly JobState[] = ['Succeeded', 'Failed', 'Suspended', 'Restarting', 'Running', 'Created'];

/** Other operators keep Running true beside Succeeded, so the states are ordered by precedence. */
function stateOf({ state, conditions = [] }: JobStatus): JobState | undefined {
  const holds = (type: string) => conditions.some((each) => each.type === type && each.status === 'True');
  return STATES.find((each) => each === state) ?? STATES.find(holds);
}

function replicasOf(rule: PodRule, job: TrainingJob | undefined, pods: readonly Pod[]): ReplicaView[] {
  const roles = job?.roles ?? [];
  const found = pods.flatMap((pod) => {
    const replica = rule.replicaOf(pod);
    if (replica === undefined) return [];
    const role = roles.find(({ name }) => name.toLowerCase() === replica.role);
    const containers = pod.spec?.containers ?? [];
    const main = containers.find(({ name }) => name === role?.containerName) ?? containers[0];
    const numbered = replica.index === undefined ? (pod.metadata?.name ?? '') : `${replica.role}-${replica.index}`;
    return {
      name: role !== undefined && isUnnumbered(role) ? replica.role : numbered,
      role: role?.name ?? replica.role,
      container: main?.name ?? role?.containerName ?? '',
      pod,
      rank: role === undefined ? roles.length : roles.indexOf(role),
      index: replica.index ?? 0,
    };
  });
  found.sort(
    (a, b) => a.rank - b.rank || a.role.localeCompare(b.role) || a.index - b.index || createdFirst(a.pod, b.pod),
  );
  return found.map(({ rank: _rank, index: _index, ...replica }) => replica);
}

function createdFirst({ metadata: a = {} }: Pod, { metadata: b = {} }: Pod): number {
  return (
    (a.creationTimestamp ?? '').localeCompare(b.creationTimestamp ?? '') || (a.name ?? '').localeCompare(b.name ?? '')
  );
}

function rolesOf(
  job: TrainingJob | undefined,
  { replicaStatuses = {} }: JobStatus,
  replicas: readonly ReplicaView[],
  arePodsKnown: boolean,
): RoleView[] {
  const names = new Set([...(job?.roles ?? []).map(({ name }) => name), ...replicas.map(({ role }) => role)]);
  return [...names].map((name) => {
    const { replicas: wanted, cannotRejoin } = job?.roles.find((role) => role.name === name) ?? {};
    const { active = 0, succeeded = 0, failed = 0 } = replicaStatuses[name] ?? {};
    if (!arePodsKnown) return { name, wanted, cannotRejoin, there: undefined, ready: active, succeeded, failed };
    const pods = replicas.filter(({ role }) => role === name).map(({ pod }) => pod);
    const inPhase = (phase: string) => pods.filter(({ status }) => status?.phase === phase).length;
    return {
      name,
      wanted,
      cannotRejoin,
      there: pods.length,
      ready: pods.filter(isReady).length,
      // Ended pods may be deleted; the status still counts them.
      succeeded: Math.max(succeeded, inPhase('Succeeded')),
      failed: Math.max(failed, inPhase('Failed')),
    };
  });
}

function readyOf(roles: readonly RoleView[]): string | undefined {
  if (roles.length === 0) return undefined;
  const sum = (count: (role: RoleView) => number) => roles.reduce((total, role) => total + count(role), 0);
  return `${sum(({ ready }) => ready)}/${sum(({ wanted, there = 0 }) => wanted ?? there)}`;
}

function containerRestarts(pods: readonly Pod[]): number {
  const counts = pods.flatMap(({ status }) => status?.containerStatuses ?? []).map(({ restartCount }) => restartCount);
  return counts.reduce((sum, count) => sum + count, 0);
}

const LEADING: readonly (string | undefined)[] = [JOB_ROLE_MASTER, 'launcher'];

/** The replica that the operator labels as the leader; for a RayCluster the head. */
function decidingReplica(
  { labels }: FrameworkAdapter,
  job: TrainingJob | undefined,
  replicas: readonly ReplicaView[],
): string | undefined {
  const labelled = replicas.find(({ pod }) => LEADING.includes(pod.metadata?.labels?.[LABELS.jobRole]));
  const roles = job?.roles.filter((role) => role.replicas > 0) ?? [];
  const leading = roles.find((role) =>
    LEADING.includes(labels.ofPod(job as TrainingJob, { role, index: 0 })[LABELS.jobRole]),
  );
  const role = leading ?? roles[0];
  const ofRole = replicas.filter((replica) => replica.role === role?.name);
  // A head has a new index each time it is created.
  const byRole = role?.replicas === 1 ? ofRole.at(-1) : ofRole[0];
  const name = role && (isUnnumbered(role) ? role.name.toLowerCase() : `${role.name.toLowerCase()}-0`);
  return (labelled ?? byRole)?.name ?? name ?? replicas[0]?.name;
}
