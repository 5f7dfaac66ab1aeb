import { createHash } from 'node:crypto';
import { ANNOTATIONS, hasEnded, type KubeObject, type Pod } from '@muster/job-api';
import { workloadResourceOf, type WorkloadResource } from '../model/replica-identity.ts';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import {
  ownResources,
  type OwnedResource,
  type ResourceChange,
  type DesiredResource,
} from '../model/owned-resources.ts';
import { attemptLabel, attemptOf, isOutdated } from '../model/attempt.ts';
import { roleName } from '../model/pod-name.ts';
import { IGNORE_DISRUPTIONS } from '../pods/pod-end.ts';
import { exitCodeOf, haveContainersEnded } from '../pods/replica-pods.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import {
  hasWorkloadEnded,
  isAtRest,
  ownWorkloads,
  podsOf,
  WORKLOAD_KINDS,
  workloadOf,
  type WorkloadObject,
} from './workloads.ts';

/** @param pod the role's first pod */
export function desiredWorkload(
  job: TrainingJob,
  role: ReplicaRole & { readonly identity: WorkloadResource },
  pod: Pod,
  pods: readonly Pod[],
): DesiredResource<WorkloadObject> {
  const { kind, labels, spec } = role.identity;
  const { resource } = WORKLOAD_KINDS[kind];
  const isSuspended = job.hold !== undefined;
  const replicas = isSuspended ? 0 : role.replicas;
  const template = templateOf(pod);
  const digest = digestOf(role.identity, template, attemptOf(job, role));
  // Otherwise Muster decides on each failure.
  const ignoresDisruptions = kind === 'Job' && role.restartsAsPods !== true && template.spec.restartPolicy === 'Never';
  const object: KubeObject & { spec: object } = {
    apiVersion: `${resource.group}/${resource.version}`,
    kind,
    metadata: {
      name: roleName(job, role),
      labels: { ...labels, ...attemptLabel(job, role) },
      annotations: { [ANNOTATIONS.template]: digest },
    },
    spec: {
      ...(kind === 'StatefulSet' && { replicas }),
      ...spec,
      ...(kind === 'Job' && isSuspended && { suspend: true }),
      ...(ignoresDisruptions && { podFailurePolicy: { rules: [IGNORE_DISRUPTIONS] } }),
      template,
    },
  };
  return {
    resource,
    object,
    change(existing) {
      if (isOutdated(existing, job, role)) return 'Recreate';
      const isOther = existing.metadata?.annotations?.[ANNOTATIONS.template] !== digest;
      // Earlier pods may still be terminating. The job is reconciled again when they are gone.
      if (isOther && isAtRest(existing)) return podsOf(existing, pods).every(hasEnded) ? 'Recreate' : undefined;
      return kind === 'Job' ? jobChange(existing, isSuspended, template) : scaled(existing, replicas);
    },
  };
}

/**
 * Identifies the spec that an object was created from, because the API server adds defaults. Excludes the fields that
 * `jobChange` patches into a suspended Job, which a queue changes at each start.
 */
function digestOf({ kind, spec }: WorkloadResource, template: ReturnType<typeof templateOf>, attempt: number): string {
  const { nodeSelector: _nodes, tolerations: _tolerations, schedulingGates: _gates, ...lasting } = template.spec;
  const { finalizers } = template.metadata;
  const made = kind === 'Job' ? { finalizers, spec: lasting, ...(attempt > 0 && { attempt }) } : template;
  return createHash('sha256')
    .update(canonicalJson([spec, made]))
    .digest('hex')
    .slice(0, 16);
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}

/** Remaining grace period for a finished job's sidecars in milliseconds. 0: the pod is not kept. */
export type GraceOf = (replica: ReplicaPod) => number;

export function stoppedWorkloads(
  job: TrainingJob,
  ownedResources: readonly OwnedResource[],
  replicas: readonly ReplicaPod[],
  graceOf: GraceOf,
): DesiredResource[] {
  const own = ownResources(job, ownedResources);
  const ofRoles = job.roles.flatMap((role) => {
    const { kind } = workloadResourceOf(role) ?? {};
    const object = workloadOf(job, role, own);
    if (kind === undefined || object === undefined) return [];
    const mine = replicas.filter((replica) => replica.role === role);
    const change = kind === 'StatefulSet' ? scaled(object, 0) : ended(object, mine, graceOf);
    return [{ resource: WORKLOAD_KINDS[kind].resource, object, change: () => change }];
  });
  return [...ofRoles, ...surplusWorkloads(job, ownedResources)];
}

/** StatefulSets of roles that the job no longer has are scaled to 0 and kept. */
export function surplusWorkloads(job: TrainingJob, ownedResources: readonly OwnedResource[]): DesiredResource[] {
  const ofRoles = new Set(job.roles.map((role) => workloadOf(job, role, ownedResources)));
  return ownWorkloads(job, ownedResources)
    .filter(({ kind, object }) => kind.resource === WORKLOAD_KINDS.StatefulSet.resource && !ofRoles.has(object))
    .map(({ kind: { resource }, object }) => ({ resource, object, change: () => scaled(object, 0) }));
}

/** Suspends the Job, unless it or its pod has ended, or its pod has a grace period for sidecars. */
function ended(job: WorkloadObject, replicas: readonly ReplicaPod[], graceOf: GraceOf): ResourceChange | undefined {
  if (hasWorkloadEnded(job) || job.spec?.suspend === true) return undefined;
  const pods = replicas.flatMap(({ pod }) => pod ?? []);
  const isEnding = pods.length > 0 && (pods.every(hasEnded) || pods.every(haveContainersEnded));
  const isLeft = isEnding ? !replicas.some(isRetriedForSidecar) : replicas.some((replica) => graceOf(replica) > 0);
  return isLeft ? undefined : { patch: { spec: { suspend: true } } };
}

/** The program succeeded and a sidecar failed: the Job counts the pod as failed and would run the program again. */
function isRetriedForSidecar({ pod, role }: ReplicaPod): boolean {
  if (pod === undefined || exitCodeOf(pod, role.containerName) !== 0) return false;
  return (pod.status?.containerStatuses ?? []).some(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
}

function scaled(existing: WorkloadObject, replicas: number): ResourceChange | undefined {
  return existing.spec?.replicas === replicas ? undefined : { patch: { spec: { replicas } } };
}

/**
 * A Job's template can be changed only in its scheduling fields, while it is suspended and has no start time, so that is
 * removed first. Kueue relies on this for its changes of a suspended job (kubeflow/mpi-operator, pull request 670).
 */
function jobChange(
  existing: WorkloadObject,
  isSuspended: boolean,
  { metadata, spec }: ReturnType<typeof templateOf>,
): ResourceChange | undefined {
  if (hasWorkloadEnded(existing) || (existing.spec?.suspend ?? false) === isSuspended) return undefined;
  if (isSuspended) return { patch: { spec: { suspend: true } } };
  if (existing.status?.startTime !== undefined) {
    return { patch: { status: { startTime: null } }, subresource: 'status' };
  }
  const { tolerations = null, schedulingGates = null } = spec;
  // Removes each key that a queue set for an earlier run.
  const before = Object.keys(existing.spec?.template?.spec?.nodeSelector ?? {}).map((key) => [key, null] as const);
  const nodeSelector = { ...Object.fromEntries(before), ...spec.nodeSelector };
  const { labels, annotations } = metadata;
  const scheduling = { ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }), tolerations, schedulingGates };
  const changed = { metadata: { labels, ...(annotations && { annotations }) }, spec: scheduling };
  return { patch: { spec: { suspend: false, template: changed } } };
}

function templateOf({ metadata, spec }: Pod) {
  const { labels = {}, annotations, finalizers } = metadata ?? {};
  return {
    metadata: { labels, ...(annotations && { annotations }), ...(finalizers && { finalizers }) },
    spec: spec ?? { containers: [] },
  };
}
